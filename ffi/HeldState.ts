/**
 * A whole state in a context's own memory, which has no size that is too large: it is read and written in parts. A
 * context holds one at a time; opening the next ends the one before.
 */
import type { Context } from "./Context.ts";
import { FfiError, unwrap } from "./FfiError.ts";
import type { Shim } from "./symbols.ts";

export class HeldState implements Disposable {
  readonly #shim: Shim;
  readonly #context: number;
  /** Bytes. */
  readonly size: number;

  private constructor(shim: Shim, context: number, size: number) {
    this.#shim = shim;
    this.#context = context;
    this.size = size;
  }

  /** Everything of a sequence. @throws FfiError: `out-of-memory`, `range`, `failed` */
  static save(context: Context, seq: number): HeldState {
    const { shim, id } = context.native();
    const size = Number(shim.wt_held_save(id, seq));
    return new HeldState(shim, id, unwrap(size, `Cannot save sequence ${seq}`));
  }

  /** Room for a state that is still to be written. @throws FfiError("out-of-memory") */
  static make(context: Context, size: number): HeldState {
    const { shim, id } = context.native();
    unwrap(shim.wt_held_make(id, size), `Cannot hold a state of ${size} bytes`);
    return new HeldState(shim, id, size);
  }

  /** Fills `into` with what lies from `from` on. */
  read(from: number, into: Uint8Array): Uint8Array {
    this.#check(from, into);
    if (into.length > 0) {
      unwrap(this.#shim.wt_held_read(this.#context, from, into, into.length), "Cannot read a held state");
    }
    return into;
  }

  write(from: number, bytes: Uint8Array): void {
    this.#check(from, bytes);
    if (bytes.length === 0) return;
    unwrap(this.#shim.wt_held_write(this.#context, from, bytes, bytes.length), "Cannot write a held state");
  }

  #check(from: number, part: Uint8Array): void {
    if (Number.isSafeInteger(from) && from >= 0 && from + part.length <= this.size) return;
    throw new FfiError("range", `bytes ${from} to ${from + part.length} of a state of ${this.size}`);
  }

  /** Replaces all of a sequence; false when it does not fit, and then the sequence is empty. */
  restore(seq: number): boolean {
    return unwrap(this.#shim.wt_held_restore(this.#context, seq), `Cannot restore sequence ${seq}`) === 1;
  }

  [Symbol.dispose](): void {
    this.#shim.wt_held_done(this.#context);
  }
}
