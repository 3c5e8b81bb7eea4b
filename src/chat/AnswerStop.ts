/**
 * Stop strings of an answer: they bind its text alone, neither reasoning nor calls. White space in front of the
 * answer, which no client gets, completes none: with `["\n"]` a model that breaks the line behind its reasoning
 * still answers.
 */
import { StopFilter } from "./replyStop.ts";

export class AnswerStop {
  readonly #filter: StopFilter;
  /** White space in front of the answer, until it begins. */
  #lead: string | null;

  /** `continues`: the answer has begun in the prompt, and its first white space is its own. */
  constructor(stops: readonly string[], continues: boolean) {
    this.#filter = new StopFilter(stops);
    this.#lead = continues || !this.#filter.isWatching ? null : "";
  }

  get isWatching(): boolean {
    return this.#filter.isWatching;
  }

  get hit(): string | null {
    return this.#filter.hit;
  }

  /** Characters of text that have come and were not passed on. */
  get heldChars(): number {
    return this.#filter.heldChars + (this.#lead?.length ?? 0);
  }

  push(text: string): string {
    if (this.#lead === null) return this.#filter.push(text);
    this.#lead += text;
    const blank = this.#lead.length - this.#lead.trimStart().length;
    if (blank === this.#lead.length) return "";
    const all = this.#lead;
    this.#lead = null;
    return this.#filter.push(all, blank);
  }

  /** The text has ended, or something else stands behind it. */
  end(): string {
    return this.#filter.end();
  }
}
