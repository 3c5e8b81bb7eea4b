/**
 * How far the engine Worker's load has come: a number in shared memory that the C side writes and the HTTP
 * side reads. A mapped file is read before the first of its tensors is counted, so what this process has read
 * from disk counts too, where the system tells it (Linux).
 */
import { readFileSync, statSync } from "node:fs";

/** What the C side counts to. */
const WHOLE = 1000;
/** Only the C side knows the end. */
const READ_SHARE_MAX = 0.99;

export class LoadProgress {
  /** Handed to the Worker. */
  readonly cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #fileBytes: number;
  readonly #readBefore: number;

  constructor(modelPath: string) {
    this.#fileBytes = statSync(modelPath, { throwIfNoEntry: false })?.size ?? 0;
    this.#readBefore = bytesReadFromDisk();
  }

  /** 0 … 1; never falls back. */
  get share(): number {
    const loaded = Atomics.load(this.cell, 0) / WHOLE;
    const read = this.#fileBytes > 0 ? (bytesReadFromDisk() - this.#readBefore) / this.#fileBytes : 0;
    return Math.max(loaded, Math.min(READ_SHARE_MAX, read));
  }
}

function bytesReadFromDisk(): number {
  try {
    return Number(/^read_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
