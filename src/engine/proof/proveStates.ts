/**
 * The self-test of a setup: a few chunks, evaluated cold and then resumed in every way that the engine resumes.
 * A memory kind or backend whose logits differ in any of them never resumes.
 */
import { TILE_ROWS } from "../../plan/padding.ts";
import { type Device, DeviceError } from "../../run/Device.ts";
import { testChunk } from "./proofChunk.ts";
import { togetherTest } from "./proveTogether.ts";

export interface SelfTestResult {
  /** Way of resuming → same logits as the cold run? */
  readonly equal: Readonly<Record<"again" | "resumed" | "otherSequence" | "restored" | "forked", boolean>>;
  readonly allowed: boolean;
  readonly why: string;
  /** Replies that are decoded in one step are right (`togetherTest`); else each has to be decoded alone. */
  readonly together: boolean;
  /** What was evaluated can be taken back to an earlier cut; else only whole states are resumed, where they end. */
  readonly rollsBack: boolean;
  /** A state that is taken apart into rows and put together again is what it was; else it is saved whole. */
  readonly rows: boolean;
  /** A last chunk with rows behind it that are removed again is the same in any sequence, cold and resumed. */
  readonly pads: boolean;
}

export interface SelfTestSize {
  readonly chunkTokens: number;
  /** Chunks in front of the last, short one. */
  readonly chunks: number;
}

export const LAST_CHUNK_TOKENS = 5;
/** At the first use of a setup nobody shall wait for it. */
const SHORT: SelfTestSize = { chunkTokens: 64, chunks: 2 };
/** Kernels choose by the rows of a batch; above this none is known to choose differently. */
const LONG_CHUNK_TOKENS_MAX = 512;

export const NO_NUMBERS = "the model's logits are no numbers here: it cannot write a reply";
export const WHOLE_ONLY =
  "this model's states cannot be taken back to an earlier place: a conversation is resumed only where a whole state of it ends";

/** What the first use of a setup tests. `chunkTokens`: of the setup's own chunks, at most. */
export function shortSelfTest(chunkTokens: number): SelfTestSize {
  return { ...SHORT, chunkTokens: Math.min(chunkTokens, SHORT.chunkTokens) };
}

/** `doctor`'s: chunks of the setup's full size, and as many as write over every cell of a sliding window. */
export function longSelfTest(chunkTokens: number, window: number, ctxTokens: number): SelfTestSize {
  const size = Math.min(chunkTokens, LONG_CHUNK_TOKENS_MAX);
  // A window's layers hold the window and one micro-batch.
  const wrapping = window > 0 ? Math.ceil((window + chunkTokens) / size) + 1 : SHORT.chunks;
  const fitting = Math.floor((ctxTokens - LAST_CHUNK_TOKENS - 1) / size);
  return { chunkTokens: size, chunks: Math.max(1, Math.min(wrapping, fitting)) };
}

/** Why nothing is resumed of a model that cannot write either. */

export function selfTest(device: Device, { chunkTokens, chunks }: SelfTestSize): SelfTestResult {
  const room = Math.floor((device.ctxTokens - LAST_CHUNK_TOKENS - 1) / chunks);
  const run = new SelfTestRun(device, Math.max(2, Math.min(chunkTokens, room)), chunks);
  const cold = run.cold(0);
  const finite = areFinite(device);
  const last = device.lanes + device.spares - 1;
  const same = (way: () => bigint): boolean => isCold(cold, way);
  const equal = {
    resumed: same(() => run.resumed(0)),
    again: same(() => run.cold(0)),
    otherSequence: same(() => run.cold(last)),
    restored: same(() => run.restored(last)),
    forked: same(() => run.forked(0, last)),
  };
  const rows = same(() => run.composed(last));
  const pads = device.memory === "dense" && padsExactly(device, run, last);
  const wrong = Object.entries(equal).flatMap(([way, same]) => (same ? [] : [way]));
  // On dense memory every cut is one to go back to: nothing would be left.
  const wholeOnly =
    device.memory !== "dense" && wrong.join() === "resumed" && same(() => (run.comesBack() ? cold : -1n));
  const together = togetherTest(device);
  for (let seq = 0; seq <= last; seq++) device.clear(seq);
  const why = !finite
    ? NO_NUMBERS
    : wrong.length === 0
      ? "resumed, restored and forked states give the same logits as a cold run"
      : wholeOnly
        ? WHOLE_ONLY
        : `states of this ${device.memory} model do not give the same logits here (${wrong.join(", ")}): every turn is prefilled in full`;
  const allowed = finite && (wholeOnly || wrong.length === 0);
  return { equal, allowed, why, rollsBack: equal.resumed, rows, together, pads };
}

/** Logits that are not finite would be equal in every way, and prove nothing. One of them makes the sum of its row not finite. */
function areFinite(device: Device): boolean {
  return !Number.isNaN(device.logProbs(0, 0, 0).value);
}

/** Logits of the padded chunk, and of the token decoded behind it once its rows are gone. */
function padsExactly(device: Device, run: SelfTestRun, last: number): boolean {
  if (run.end + TILE_ROWS > device.ctxTokens) return false;
  const padded = (seq: number): bigint => run.padded(seq);
  const cold = padded(0);
  return isCold(cold, () => padded(0)) && isCold(cold, () => padded(last));
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
  readonly #chunks: number;
  #partial: Uint8Array | undefined;

  constructor(device: Device, size: number, chunks: number) {
    this.#device = device;
    this.#size = size;
    this.#chunks = chunks;
  }

  /** All chunks but the last; behind each of them what cannot be rolled back is saved, as every run does. */
  #prefix(seq: number): void {
    const device = this.#device;
    device.clear(seq);
    for (let index = 0; index < this.#chunks; index++) {
      device.prefill(seq, index * this.#size, testChunk(index, this.#size), false);
      this.#trip(seq);
    }
  }

  get end(): number {
    return this.#chunks * this.#size;
  }

  #trip(seq: number): void {
    if (this.#device.memory === "dense") return;
    this.#partial = this.#device.save(seq, "partial");
    if (this.#device.memory === "window") this.#device.restore(seq, "partial", this.#partial);
  }

  #last(seq: number): bigint {
    this.#device.prefill(seq, this.end, testChunk(this.#chunks, LAST_CHUNK_TOKENS), true);
    return this.#device.hashLogits(0, 0n);
  }

  cold(seq: number): bigint {
    this.#prefix(seq);
    return this.#last(seq);
  }

  padded(seq: number): bigint {
    this.#prefix(seq);
    const device = this.#device;
    device.prefill(seq, this.end, testChunk(this.#chunks, LAST_CHUNK_TOKENS), true, TILE_ROWS);
    const chain = device.hashLogits(0, 0n);
    device.prefill(seq, this.end + LAST_CHUNK_TOKENS, testChunk(this.#chunks + 1, 1), true);
    return device.hashLogits(0, chain);
  }

  /** After `cold(seq)`: back to the last cut, and the last chunk again. */
  resumed(seq: number): bigint {
    if (!this.#rollBack(seq)) return -1n;
    return this.#last(seq);
  }

  #rollBack(seq: number): boolean {
    const restored = this.#partial === undefined || this.#device.restore(seq, "partial", this.#partial);
    return restored && this.#device.truncate(seq, this.end);
  }

  /** From host memory into a sequence that holds something else. */
  restored(seq: number): bigint {
    const device = this.#device;
    this.#prefix(0);
    const bytes = device.save(0, "full");
    device.clear(seq);
    device.prefill(seq, 0, testChunk(this.#chunks + 3, this.#size), false);
    if (!device.restore(seq, "full", bytes)) return -1n;
    return this.#last(seq);
  }

  /** A whole state that is restored and saved again is the same bytes: equal logits alone may not show every one. */
  comesBack(): boolean {
    const device = this.#device;
    this.#prefix(0);
    const bytes = device.save(0, "full");
    device.clear(0);
    return device.restore(0, "full", bytes) && Buffer.compare(device.save(0, "full"), bytes) === 0;
  }

  /** As `restored`, of rows of two stretches and what cannot be rolled back. */
  composed(seq: number): bigint {
    const device = this.#device;
    this.#prefix(0);
    const partial = device.memory === "dense" ? null : device.save(0, "partial");
    using saved = device.saveState(0);
    if (saved.rowBytes === 0) return -1n;
    const rows = saved.rows([0, this.#size >> 1, this.end]);
    device.clear(seq);
    device.prefill(seq, 0, testChunk(this.#chunks + 3, this.#size), false);
    if (!device.restoreRows(seq, rows, partial)) return -1n;
    return this.#last(seq);
  }

  /** The live end of one sequence, copied over another. */
  forked(from: number, to: number): bigint {
    this.#prefix(from);
    if (from !== to) this.#device.copy(from, to);
    return this.#last(to);
  }
}
