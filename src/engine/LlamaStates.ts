/**
 * Whole states of a context's sequences, taken apart into rows and put together again. A state that was put together
 * is the saved one, byte for byte (`proveStates` looks); one whose layout is not known is moved whole, in buffers.
 */
import type { Context } from "../../ffi/Context.ts";
import { HeldState } from "../../ffi/HeldState.ts";
import {
  clearSequences,
  framedBytes,
  frameOf,
  readRows,
  readStateLayout,
  STATE_HEAD_BYTES,
  type StateFrame,
  type StateLayout,
  writeState,
} from "../../ffi/stateLayout.ts";
import { DeviceError, type SavedState } from "../run/Device.ts";

/** A JavaScript buffer ends at 4 GiB; smaller ones are found more easily. */
const BUFFER_BYTES_MAX = 2 ** 30;
/** Taking a state apart and putting it together takes its size again. */
const CHECKED_BYTES_MAX = 2 ** 28;
/** Tokens that a layout shows in: with one row two arrays may look like one. */
const PROBE_TOKENS = Int32Array.of(3, 4);

export class LlamaStates {
  readonly #context: Context;
  /** Whether a sequence has a part that cannot be rolled back. */
  readonly #hasTail: boolean;
  #frame: StateFrame | null = null;
  /** False: states are moved whole. */
  takesApart = true;

  constructor(context: Context, hasTail: boolean) {
    this.#context = context;
    this.#hasTail = hasTail;
  }

  save(seq: number): SavedState {
    const held = HeldState.save(this.#context, seq);
    const layout = this.#layout(held, seq);
    return {
      bytes: held.size,
      tokens: layout?.rows ?? 0,
      rowBytes: layout?.rowBytes ?? 0,
      rows: (cuts) => (layout === null ? [] : rowsOf(held, layout, cuts)),
      whole: () => buffersOf(held),
      [Symbol.dispose]: () => held[Symbol.dispose](),
    };
  }

  /** The same for all sequences: one that differs is not what this class knows. */
  #layout(held: HeldState, seq: number): StateLayout | null {
    const tail = this.#hasTail ? this.#context.stateSize(seq, true) - STATE_HEAD_BYTES : 0;
    const layout = this.takesApart ? readStateLayout(held, tail) : null;
    if (layout === null) return null;
    if (this.#frame === null) {
      if (held.size > CHECKED_BYTES_MAX) return null;
      const frame = frameOf(held, layout);
      if (!isWhole(held, layout, frame)) return null;
      this.#frame = frame;
    }
    const { arrays } = this.#frame;
    const isSame =
      arrays.length === layout.arrays.length &&
      layout.arrays.every(({ rowBytes }, i) => rowBytes === arrays[i]);
    return isSame ? layout : null;
  }

  /** `partial`: what cannot be rolled back, as it was saved behind the last row. */
  restoreRows(seq: number, pieces: readonly Uint8Array[], partial: Uint8Array | null): boolean {
    this.learn(seq);
    const frame = this.takesApart ? this.#frame : null;
    if (frame === null || (partial === null) === this.#hasTail) return false;
    if (pieces.length === 0 || pieces.some(({ length }) => length === 0 || length % frame.rowBytes > 0))
      return false;
    const rows = pieces.reduce((sum, piece) => sum + piece.length, 0) / frame.rowBytes;
    const tail = partial?.subarray(STATE_HEAD_BYTES) ?? new Uint8Array(0);
    using held = HeldState.make(this.#context, framedBytes(frame, rows) + tail.length);
    writeState((at, bytes) => held.write(at, bytes), frame, pieces, tail);
    return held.restore(seq);
  }

  /** Learns the layout from two tokens in a sequence that may be emptied. */
  learn(seq: number): void {
    if (this.#frame !== null) return;
    this.#context.clear(seq);
    this.#context.prefill(seq, 0, PROBE_TOKENS, false);
    using held = HeldState.save(this.#context, seq);
    this.#layout(held, seq);
    this.#context.clear(seq);
  }

  restoreWhole(seq: number, buffers: readonly Uint8Array[]): boolean {
    const size = buffers.reduce((sum, { length }) => sum + length, 0);
    if (size === 0) return false;
    using held = HeldState.make(this.#context, size);
    let at = 0;
    for (const bytes of buffers) {
      held.write(at, bytes);
      at += bytes.length;
    }
    return held.restore(seq);
  }
}

/** Taken apart and put together, is the state what it was, byte for byte? */
function isWhole(held: HeldState, layout: StateLayout, frame: StateFrame): boolean {
  const half = layout.rows >> 1;
  const pieces = [readRows(held, layout, 0, half), readRows(held, layout, half, layout.rows)];
  const tail = held.read(layout.tailAt, new Uint8Array(held.size - layout.tailAt));
  let same = true;
  let end = 0;
  writeState(
    (at, bytes) => {
      end = at + bytes.length;
      same &&= end <= held.size && Buffer.compare(held.read(at, new Uint8Array(bytes.length)), bytes) === 0;
    },
    frame,
    pieces,
    tail,
  );
  return same && end === held.size;
}

function rowsOf(held: HeldState, layout: StateLayout, cuts: readonly number[]): readonly Uint8Array[] {
  return orOutOfMemory(() =>
    cuts.slice(1).map((to, i) => clearSequences(readRows(held, layout, cuts[i] ?? 0, to), layout)),
  );
}

function buffersOf(held: HeldState): readonly Uint8Array[] {
  return orOutOfMemory(() => {
    const buffers: Uint8Array[] = [];
    for (let at = 0; at < held.size; at += BUFFER_BYTES_MAX) {
      buffers.push(held.read(at, new Uint8Array(Math.min(BUFFER_BYTES_MAX, held.size - at))));
    }
    return buffers;
  });
}

/** A buffer that cannot be had is a RangeError. */
function orOutOfMemory<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DeviceError("out-of-memory", "no memory is left to save a state in");
  }
}
