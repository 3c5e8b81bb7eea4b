/**
 * Every save, restore and copy of sequence states goes through here: counted in bytes, timed, and kept off the
 * sequences of a copy that the device has only queued (design: fact 10).
 */
import type { Device, StatePart } from "../run/Device.ts";
import type { Sequence } from "./Sequence.ts";

/** What a run moved: bytes saved, restored and copied, and the milliseconds that took. */
export interface Moves {
  bytes: number;
  ms: number;
}

/** Before the first save was timed: host memory copies at about 1 GB/s, read back from a device. */
const MS_PER_BYTE_GUESS = 1e-6;

export class StateMover {
  readonly #device: Device;
  readonly #now: () => number;
  /** Sources and destinations of queued copies. */
  readonly #pending = new Set<number>();
  #msPerByte = MS_PER_BYTE_GUESS;

  constructor(device: Device, now: () => number) {
    this.#device = device;
    this.#now = now;
  }

  /** A prefill or decode has returned: queued copies are done. */
  evaluated(): void {
    this.#pending.clear();
  }

  isPending(sequence: Sequence): boolean {
    return this.#pending.has(sequence.index);
  }

  size(sequence: Sequence, part: StatePart): number {
    return this.#device.saveSize(sequence.index, part);
  }

  /** Measured time of a full save of so many bytes. */
  saveMs(bytes: number): number {
    return bytes * this.#msPerByte;
  }

  save(sequence: Sequence, part: StatePart, moves: Moves): Uint8Array {
    this.#refusePending(sequence);
    const start = this.#now();
    const bytes = this.#device.save(sequence.index, part);
    const ms = this.#now() - start;
    if (bytes.length > 0) this.#msPerByte = (this.#msPerByte + ms / bytes.length) / 2;
    moves.bytes += bytes.length;
    moves.ms += ms;
    return bytes;
  }

  restore(sequence: Sequence, part: StatePart, bytes: Uint8Array, moves: Moves): boolean {
    this.#refusePending(sequence);
    const start = this.#now();
    const fits = this.#device.restore(sequence.index, part, bytes);
    moves.bytes += bytes.length;
    moves.ms += this.#now() - start;
    return fits;
  }

  copy(from: Sequence, to: Sequence, moves: Moves): void {
    this.#refusePending(from);
    this.#refusePending(to);
    const start = this.#now();
    moves.bytes += this.#device.saveSize(from.index, "full");
    this.#device.copy(from.index, to.index);
    moves.ms += this.#now() - start;
    to.copyOf(from);
    if (this.#device.copyIsDeferred) this.#pending.add(from.index).add(to.index);
  }

  /**
   * Carries queued copies out now, by evaluating one token behind the rows of a sequence whose content is about
   * to be replaced or rolled back. That costs one small evaluation, where a detour through host memory costs
   * the whole sequence twice, and it leaves a busy source alone.
   */
  settle(sequence: Sequence, token: number, moves: Moves): void {
    if (this.#pending.size === 0) return;
    const start = this.#now();
    this.#device.prefill(sequence.index, sequence.rows, Int32Array.of(token), false);
    moves.ms += this.#now() - start;
    sequence.advance(1);
    this.evaluated();
  }

  #refusePending(sequence: Sequence): void {
    if (this.isPending(sequence)) throw new Error(`sequence ${sequence.index} is part of a queued copy`);
  }
}
