/** A hub, an empty cache folder, and what was said while a model was fetched. Waits end at once and are written down. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HubError } from "../../src/hub/HubError.ts";
import { type HubOptions, hubOptions } from "../../src/hub/HubOptions.ts";
import { ModelCache } from "../../src/hub/ModelCache.ts";
import { parseModelName } from "../../src/hub/ModelName.ts";
import { type PullDeps, type Pulled, pullModel } from "../../src/hub/pullModel.ts";
import { FakeHub } from "./FakeHub.ts";

export class PullRig implements AsyncDisposable {
  readonly hub: FakeHub;
  readonly home: string;
  readonly notes: string[] = [];
  /** `path from/size`. */
  readonly begun: string[] = [];
  readonly waits: number[] = [];
  ended = 0;

  private constructor(hub: FakeHub, home: string) {
    this.hub = hub;
    this.home = home;
  }

  static async start(): Promise<PullRig> {
    return new PullRig(await FakeHub.start(), await mkdtemp(join(tmpdir(), "warmturn-pull-")));
  }

  get cache(): ModelCache {
    return new ModelCache(this.home);
  }

  async pull(name: string, more: Partial<HubOptions> = {}, deps: Partial<PullDeps> = {}): Promise<Pulled> {
    const wait = async (ms: number): Promise<void> => {
      this.waits.push(ms);
      await Bun.sleep(1);
    };
    const options = { ...hubOptions({ HF_ENDPOINT: this.hub.endpoint }), wait, ...more };
    const progress = {
      note: (text: string) => void this.notes.push(text),
      begin: (file: string, bytes: number, size: number) => void this.begun.push(`${file} ${bytes}/${size}`),
      advance: (bytes: number) => this.hub.received(bytes),
      end: () => {
        this.ended += 1;
      },
    };
    return await pullModel(parseModelName(name), { options, cache: this.cache, progress, ...deps });
  }

  /** The error of a pull that has to fail. */
  async refused(
    name: string,
    more: Partial<HubOptions> = {},
    deps: Partial<PullDeps> = {},
  ): Promise<HubError> {
    const error = await this.pull(name, more, deps).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof HubError)) throw error ?? new Error("nothing was thrown");
    return error;
  }

  /** All files below `models/`, by path. */
  files(): readonly string[] {
    const root = join(this.home, "models");
    if (!existsSync(root)) return [];
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true, force: true });
  }
}
