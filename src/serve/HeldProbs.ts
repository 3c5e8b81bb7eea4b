/** Probabilities of tokens, in step with their text: they come out with it, and those of a stop string never do. */
import type { TokenProbs } from "../run/RunSpec.ts";

export class HeldProbs {
  #held: { readonly probs: TokenProbs; readonly from: number }[] = [];
  #out: TokenProbs[] = [];
  /** Characters that the tokens wrote, and those that were passed on. */
  #written = 0;
  #passed = 0;

  /** A token wrote `chars`, of which all up to now `passed` were passed on. */
  push(probs: TokenProbs | undefined, chars: number, passed: number, stopped: boolean): void {
    if (probs !== undefined) this.#held.push({ probs, from: this.#written });
    this.#written += chars;
    this.#passed += passed;
    if (this.#held.length === 0) return;
    const isAllOut = this.#passed === this.#written && !stopped;
    const count = isAllOut ? this.#held.length : this.#held.filter(({ from }) => from < this.#passed).length;
    this.#out.push(...this.#held.splice(0, count).map((one) => one.probs));
    if (stopped) this.#held = [];
  }

  /** What has come out since it was last asked for. */
  take(): readonly TokenProbs[] {
    return this.#out.splice(0);
  }

  /** The reply has ended: what is held is text after all. */
  end(): void {
    this.#out.push(...this.#held.splice(0).map((one) => one.probs));
  }
}
