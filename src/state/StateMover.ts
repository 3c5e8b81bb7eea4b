/**
 * Every save, restore and copy of sequence states goes through here: counted in bytes, timed, and kept off the
 * sequences of a copy that the device has only queued (ARCHITECTURE.md, "Kept states"). What the device fails at is a value, never
 * thrown into a run: a state that could not be saved was not kept, and one that could not be fetched is a miss.
 */
import { type Device, DeviceError, type SavedState, type StatePart } from "../run/Device.ts";
import type { Sequence } from "./Sequence.ts";

/** What a run moved: bytes saved, restored and copied, and the milliseconds that took. */
export interface Moves {
  bytes: number;
  ms: number;
}

/** A state as it was saved: in rows, with what cannot be rolled back behind them, or whole. */
export type RowsOrWhole =
  | { readonly rows: readonly Uint8Array[]; readonly partial: Uint8Array | null }
  | { readonly whole: readonly Uint8Array[] };

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

  /**
   * A sliding window's save and restore, which every run makes at its trips, since they decide how the cells lie: one
   * that cannot would give other bits. @throws DeviceError
   */
  trip(sequence: Sequence, moves: Moves): Uint8Array {
    this.#refusePending(sequence);
    const start = this.#now();
    const bytes = this.#device.save(sequence.index, "partial");
    const fits = this.#device.restore(sequence.index, "partial", bytes);
    moves.bytes += 2 * bytes.length;
    moves.ms += this.#now() - start;
    if (!fits) throw new Error("the device did not take back what it had saved");
    return bytes;
  }

  /** null where the device failed, for want of memory mostly. */
  save(sequence: Sequence, part: StatePart, moves: Moves): Uint8Array | null {
    this.#refusePending(sequence);
    const start = this.#now();
    const bytes = orElse(null, () => this.#device.save(sequence.index, part));
    if (bytes === null) return null;
    const ms = this.#now() - start;
    if (bytes.length > 0) this.#msPerByte = (this.#msPerByte + ms / bytes.length) / 2;
    moves.bytes += bytes.length;
    moves.ms += ms;
    return bytes;
  }

  /** Everything of the sequence, to be disposed; null where the device failed. Its copies may then fail as well. */
  saveState(sequence: Sequence, moves: Moves): SavedState | null {
    this.#refusePending(sequence);
    const start = this.#now();
    const saved = orElse(null, () => this.#device.saveState(sequence.index));
    if (saved === null) return null;
    const ms = this.#now() - start;
    if (saved.bytes > 0) this.#msPerByte = (this.#msPerByte + ms / saved.bytes) / 2;
    moves.bytes += saved.bytes;
    moves.ms += ms;
    return saved;
  }

  /** As `SavedState.rows`; null where no memory is left for them. */
  rows(saved: SavedState, cuts: readonly number[], moves: Moves): readonly Uint8Array[] | null {
    const start = this.#now();
    const rows = orElse(null, () => saved.rows(cuts));
    moves.ms += this.#now() - start;
    return rows;
  }

  whole(saved: SavedState): readonly Uint8Array[] | null {
    return orElse(null, () => saved.whole());
  }

  /** All of the sequence. False as of `restore`. */
  restoreAll(sequence: Sequence, from: RowsOrWhole, moves: Moves): boolean {
    this.#refusePending(sequence);
    const start = this.#now();
    const fits = orElse(false, () =>
      "whole" in from
        ? this.#device.restoreWhole(sequence.index, from.whole)
        : this.#device.restoreRows(sequence.index, from.rows, from.partial),
    );
    moves.bytes +=
      bytesOf("whole" in from ? from.whole : from.rows) + ("whole" in from ? 0 : (from.partial?.length ?? 0));
    moves.ms += this.#now() - start;
    return fits;
  }

  /** False where the bytes do not fit, or the device failed: the sequence then holds nothing of use. */
  restore(sequence: Sequence, part: StatePart, bytes: Uint8Array, moves: Moves): boolean {
    this.#refusePending(sequence);
    const start = this.#now();
    const fits = orElse(false, () => this.#device.restore(sequence.index, part, bytes));
    moves.bytes += bytes.length;
    moves.ms += this.#now() - start;
    return fits;
  }

  /** False where the device failed: `to` then holds nothing of use. */
  copy(from: Sequence, to: Sequence, moves: Moves): boolean {
    this.#refusePending(from);
    this.#refusePending(to);
    const start = this.#now();
    const bytes = orElse(-1, () => {
      this.#device.copy(from.index, to.index);
      return this.#device.saveSize(from.index, "full");
    });
    if (bytes < 0) return false;
    moves.bytes += bytes;
    moves.ms += this.#now() - start;
    to.copyOf(from);
    if (this.#device.copyIsDeferred) this.#pending.add(from.index).add(to.index);
    return true;
  }

  /**
   * Carries queued copies out now, by evaluating one token behind the rows of a sequence whose content is about
   * to be replaced or rolled back. That costs one small evaluation, where a detour through host memory costs
   * the whole sequence twice, and it leaves a busy source alone. An evaluation that fails is a DeviceError, as any is.
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

function bytesOf(buffers: readonly Uint8Array[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** What a device fails at is `otherwise`. */
function orElse<T>(otherwise: T, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return otherwise;
  }
}
