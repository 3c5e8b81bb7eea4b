/** Engines that are stopped and started again over one folder of kept states. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineHarness, type HarnessOptions } from "./EngineHarness.ts";

export const FINGERPRINT = 0xfeedn;

export interface RigOptions extends HarnessOptions {
  readonly fingerprint?: bigint;
  readonly diskBytes?: number;
}

export class DiskRig implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "warmturn-states-"));
  readonly warnings: string[] = [];

  /** A fresh process. */
  start({ fingerprint = FINGERPRINT, diskBytes = 2 ** 30, ...options }: RigOptions): EngineHarness {
    const engine = new EngineHarness({ lanes: 1, spares: 0, stateRamBytes: 0, ...options });
    const warn = (sentence: string): void => void this.warnings.push(sentence);
    engine.loop.states.openDisk({ path: this.path, bytes: diskBytes, fingerprint, warn });
    return engine;
  }

  /** Where files of a fingerprint lie. */
  folder(fingerprint = FINGERPRINT): string {
    return join(this.path, fingerprint.toString(16).padStart(16, "0"));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** As the Worker does when nobody has asked for anything for a while. */
export async function rest(engine: EngineHarness): Promise<void> {
  do await engine.loop.states.disk?.settled();
  while (engine.loop.idle());
}
