/**
 * A reply's reasoning by its tokens, so that it ends when its budget is spent: the closing tag, a token of its
 * own, is then taken instead of what would have been sampled. Reasoning that never opened is never closed.
 */
import type { ReasoningBudget } from "../run/RunSpec.ts";

/** Tokens of a reply among which the opening tag may stand: white space may come first. */
const OPENING_TOKENS_MAX = 4;

export class ReasoningWatch {
  readonly #budget: ReasoningBudget;
  readonly #first: number[] = [];
  #open: boolean;
  #over = false;
  #spent = 0;

  constructor(budget: ReasoningBudget) {
    this.#budget = budget;
    this.#open = budget.opened;
  }

  /** The token that has to come now, or -1. */
  get due(): number {
    return this.#open && !this.#over && this.#spent >= this.#budget.tokensMax ? this.#budget.end : -1;
  }

  /** Every token of the reply, in order. */
  take(token: number): void {
    if (this.#over) return;
    if (this.#open) {
      this.#spent += 1;
      this.#over = token === this.#budget.end;
      return;
    }
    const { start } = this.#budget;
    this.#first.push(token);
    this.#open = start.length > 0 && start.every((one, i) => this.#first.at(i - start.length) === one);
    this.#over = !this.#open && this.#first.length >= OPENING_TOKENS_MAX + start.length;
  }
}
