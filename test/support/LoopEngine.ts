/**
 * The engine's real loop over the fake device, as the HTTP side sees it through its Worker: commands are handled
 * between two steps, and no event comes before the call that asked for it has returned.
 */
import { EmbedError } from "../../src/run/EmbedError.ts";
import type { Engine, EngineRun } from "../../src/run/Engine.ts";
import type { EngineEvent } from "../../src/run/EngineEvent.ts";
import type { EngineReady } from "../../src/run/EngineReady.ts";
import type { RunSpec } from "../../src/run/RunSpec.ts";
import { EngineHarness, type HarnessOptions, isTerminal } from "./EngineHarness.ts";
import { FAKE_READY } from "./FakeEngine.ts";

export class LoopEngine implements Engine {
  readonly ready: EngineReady;
  readonly requests: Omit<RunSpec, "id">[] = [];
  readonly ends: EngineEvent[] = [];
  readonly #harness: EngineHarness;
  readonly #runs = new Map<
    number,
    { readonly isWarm: boolean; readonly tell: (event: EngineEvent) => void }
  >();
  readonly #inbox: (() => void)[] = [];
  #pumping = false;
  #nextId = 1;

  constructor(options: HarnessOptions) {
    this.#harness = new EngineHarness({ ...options, onEvent: (event) => this.#tell(event) });
    const { lanes, spares, memory, ctxTokens } = this.#harness.device;
    this.ready = { ...FAKE_READY, memory, ctxTokens, lanes, spares, embeddings: null };
  }

  get pending(): number {
    return this.#count(false);
  }

  get warm(): "idle" | "working" {
    return this.#count(true) > 0 ? "working" : "idle";
  }

  run(spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void): EngineRun {
    const id = this.#nextId++;
    const isWarm = spec.purpose === "warm";
    if (!isWarm) this.requests.push(spec);
    this.#runs.set(id, { isWarm, tell: onEvent });
    this.#post(() => this.#harness.loop.handle({ type: "run", run: { ...spec, id } }));
    return { id, cancel: () => this.#post(() => this.#harness.loop.handle({ type: "cancel", id })) };
  }

  /** `ready` says so. */
  async embed(): Promise<never> {
    throw new EmbedError("evaluate-failed", "this engine embeds nothing");
  }

  drop(conversation: string): void {
    this.#post(() => this.#harness.loop.handle({ type: "drop", conversation }));
  }

  async close(): Promise<void> {
    this.#post(() => this.#harness.loop.handle({ type: "close" }));
  }

  #count(isWarm: boolean): number {
    return [...this.#runs.values()].filter((run) => run.isWarm === isWarm).length;
  }

  #tell(event: EngineEvent): void {
    if (!("id" in event)) return;
    const run = this.#runs.get(event.id);
    if (isTerminal(event) || event.type === "refused") {
      this.#runs.delete(event.id);
      if (run?.isWarm === false) this.ends.push(event);
    }
    run?.tell(event);
  }

  #post(command: () => void): void {
    this.#inbox.push(command);
    this.#pump();
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      for (const command of this.#inbox.splice(0)) command();
      if (this.#harness.loop.step() || this.#inbox.length > 0) this.#pump();
    });
  }
}
