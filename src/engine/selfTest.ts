/**
 * The first-use self-test of a setup: about three chunks, evaluated cold and then resumed in every way that
 * the engine resumes. A memory kind or backend whose logits differ in any of them never resumes; the result
 * is remembered in the home folder under the setup's hash.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Device, DeviceError } from "./Device.ts";

export interface SelfTestResult {
  /** Way of resuming → same logits as the cold run? */
  readonly equal: Readonly<Record<"again" | "resumed" | "otherSequence" | "restored" | "forked", boolean>>;
  readonly allowed: boolean;
  readonly why: string;
}

const LAST_CHUNK_TOKENS = 5;

export function selfTest(device: Device, chunkTokens: number): SelfTestResult {
  const size = Math.max(2, Math.min(chunkTokens, Math.floor((device.ctxTokens - LAST_CHUNK_TOKENS - 1) / 2)));
  const run = new SelfTestRun(device, size);
  const cold = run.cold(0);
  const last = device.lanes + device.spares - 1;
  const same = (way: () => bigint): boolean => isCold(cold, way);
  const equal = {
    resumed: same(() => run.resumed(0)),
    again: same(() => run.cold(0)),
    otherSequence: same(() => run.cold(last)),
    restored: same(() => run.restored(last)),
    forked: same(() => run.forked(0, last)),
  };
  for (let seq = 0; seq <= last; seq++) device.clear(seq);
  const wrong = Object.entries(equal).flatMap(([way, same]) => (same ? [] : [way]));
  const why =
    wrong.length === 0
      ? "resumed, restored and forked states give the same logits as a cold run"
      : `states of this ${device.memory} model do not give the same logits here (${wrong.join(", ")}): every turn is prefilled in full`;
  return { equal, allowed: wrong.length === 0, why };
}

/** A way that the device refuses is a way that is wrong, and no reason not to start. */
function isCold(cold: bigint, way: () => bigint): boolean {
  try {
    return way() === cold;
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return false;
  }
}

class SelfTestRun {
  readonly #device: Device;
  readonly #size: number;
  #partial: Uint8Array | undefined;

  constructor(device: Device, size: number) {
    this.#device = device;
    this.#size = size;
  }

  /** Token ids that any vocabulary has, other at every position. */
  #chunk(index: number, length: number): Int32Array {
    return Int32Array.from({ length }, (_, i) => 3 + ((i * 7 + index * 31) % 89));
  }

  /** The first two chunks; between them and behind them what cannot be rolled back is saved, as every run does. */
  #prefix(seq: number): void {
    const device = this.#device;
    device.clear(seq);
    device.prefill(seq, 0, this.#chunk(0, this.#size), false);
    this.#trip(seq);
    device.prefill(seq, this.#size, this.#chunk(1, this.#size), false);
    this.#trip(seq);
  }

  #trip(seq: number): void {
    if (this.#device.memory === "dense") return;
    this.#partial = this.#device.save(seq, "partial");
    if (this.#device.memory === "window") this.#device.restore(seq, "partial", this.#partial);
  }

  #last(seq: number): bigint {
    this.#device.prefill(seq, 2 * this.#size, this.#chunk(2, LAST_CHUNK_TOKENS), true);
    return this.#device.hashLogits(0, 0n);
  }

  cold(seq: number): bigint {
    this.#prefix(seq);
    return this.#last(seq);
  }

  /** After `cold(seq)`: back to the second cut, and the last chunk again. */
  resumed(seq: number): bigint {
    if (!this.#rollBack(seq)) return -1n;
    return this.#last(seq);
  }

  #rollBack(seq: number): boolean {
    const restored = this.#partial === undefined || this.#device.restore(seq, "partial", this.#partial);
    return restored && this.#device.truncate(seq, 2 * this.#size);
  }

  /** From host memory into a sequence that holds something else. */
  restored(seq: number): bigint {
    const device = this.#device;
    this.#prefix(0);
    const bytes = device.save(0, "full");
    device.clear(seq);
    device.prefill(seq, 0, this.#chunk(5, this.#size), false);
    if (!device.restore(seq, "full", bytes)) return -1n;
    return this.#last(seq);
  }

  /** The live end of one sequence, copied over another. */
  forked(from: number, to: number): bigint {
    this.#prefix(from);
    if (from !== to) this.#device.copy(from, to);
    return this.#last(to);
  }
}

/** Remembered results: one small file a setup. Anything wrong with it makes it absent, never an error. */
export class SelfTestMemory {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, "self-test");
  }

  read(setup: bigint): SelfTestResult | undefined {
    try {
      const text = readFileSync(this.#path(setup), "utf8");
      const value: unknown = JSON.parse(text);
      return isResult(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  write(setup: bigint, result: SelfTestResult): void {
    try {
      mkdirSync(this.#folder, { recursive: true });
      const temporary = `${this.#path(setup)}.${process.pid}.tmp`;
      writeFileSync(temporary, JSON.stringify(result));
      renameSync(temporary, this.#path(setup));
    } catch {
      // A read-only home costs the self-test at the next start, nothing else.
    }
  }

  #path(setup: bigint): string {
    return join(this.#folder, `${setup.toString(16).padStart(16, "0")}.json`);
  }
}

function isResult(value: unknown): value is SelfTestResult {
  return (
    typeof value === "object" &&
    value !== null &&
    "allowed" in value &&
    typeof value.allowed === "boolean" &&
    "why" in value &&
    typeof value.why === "string"
  );
}
