/**
 * Which tokens wrote a message's text. Probabilities are told of every token, in front of what it wrote; those of
 * tags, of blanks at edges, of reasoning and of calls belong to no message.
 */
import type { TokenProbs } from "../../run/RunSpec.ts";
import type { TextVocab } from "../../run/TextVocab.ts";

/** What a token wrote; `probs` null where they were given out already with the text in front. */
interface Written {
  readonly bytes: Uint8Array;
  readonly probs: TokenProbs | null;
}

export class TextProbs {
  readonly #vocab: Pick<TextVocab, "piece">;
  /** Of which no text has come out yet. */
  #held: Written[] = [];

  constructor(vocab: Pick<TextVocab, "piece">) {
    this.#vocab = vocab;
  }

  told(probs: readonly TokenProbs[]): void {
    for (const one of probs) this.#held.push({ bytes: this.#vocab.piece(one.token), probs: one });
  }

  /**
   * Of the tokens that wrote `text`, the next of a message: what they wrote before it was no text, and what they
   * wrote behind it is held back. Text that is not found as it was written (half a character) is all of it.
   */
  text(text: string): readonly TokenProbs[] {
    if (this.#held.length === 0) return [];
    const wanted = Buffer.from(text);
    const all = Buffer.concat(this.#held.map(({ bytes }) => bytes));
    const found = all.lastIndexOf(wanted);
    const from = Math.max(found, 0);
    const to = found < 0 ? all.length : found + wanted.length;
    const wrote: TokenProbs[] = [];
    const held: Written[] = [];
    let at = 0;
    for (const { bytes, probs } of this.#held) {
      const end = at + bytes.length;
      if (at < to && end > from && probs !== null) wrote.push(probs);
      if (end > to) held.push(at >= to ? { bytes, probs } : { bytes: bytes.slice(to - at), probs: null });
      at = end;
    }
    this.#held = held;
    return wrote;
  }

  /** What was told wrote something else. */
  other(): void {
    this.#held = [];
  }
}
