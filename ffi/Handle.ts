/**
 * What all owners of a native handle share: an owner refuses to close while a child lives, a use after close is an
 * error, and closing twice does nothing.
 */
import { FfiError } from "./FfiError.ts";

export abstract class Handle {
  readonly #kind: string;
  readonly #parent: Handle | null;
  #children = 0;
  #open = true;

  protected constructor(kind: string, parent: Handle | null) {
    this.#kind = kind;
    this.#parent = parent;
    parent?.use();
    if (parent) parent.#children++;
  }

  /** Gives the native thing back. Called once. */
  protected abstract release(): void;

  /** @throws FfiError("closed") after close. */
  protected use(): void {
    if (!this.#open) throw new FfiError("closed", `the ${this.#kind} is closed`);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** @throws FfiError("busy") while a child lives. Closing twice is fine. */
  close(): void {
    if (!this.#open) return;
    if (this.#children > 0) {
      throw new FfiError(
        "busy",
        `the ${this.#kind} still has ${this.#children} open ${this.#children === 1 ? "child" : "children"}`,
      );
    }
    this.release();
    this.abandon();
  }

  /** For a constructor that failed after it was counted. */
  protected abandon(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#parent) this.#parent.#children--;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
