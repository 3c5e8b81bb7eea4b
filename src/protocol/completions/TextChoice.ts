/** One choice of a text completion as its events come: its text, and probabilities in OpenAI's legacy form. */
import type { TokenProbs } from "../../run/RunSpec.ts";
import type { TextVocab } from "../../run/TextVocab.ts";
import type { ReplyEvent } from "../../serve/reply.ts";
import { NEVER } from "../shared/tokenProbs.ts";
import { timingsOf } from "../shared/usage.ts";

export interface LegacyLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  /** By their text; of two tokens with the same one the likelier. */
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** Where each token begins in the choice's text, in characters. */
  readonly text_offset: readonly number[];
}

export class TextChoice {
  text: string;
  /** `timings`, where they are told with each token. */
  timings: object = {};
  readonly #vocab: Pick<TextVocab, "piece">;
  #probs: TokenProbs[] = [];
  /** Where the next token begins. */
  #offset: number;

  constructor(echo: string, vocab: Pick<TextVocab, "piece">) {
    this.text = echo;
    this.#offset = echo.length;
    this.#vocab = vocab;
  }

  take(event: ReplyEvent): void {
    if (event.type === "text") this.text += event.text;
    if (event.type !== "told") return;
    this.#probs.push(...event.probs);
    if (event.report !== undefined) this.timings = { timings: timingsOf(event.report) };
  }

  /** Of what was told since; null where nothing was. */
  takeLogprobs(): LegacyLogprobs | null {
    const probs = this.#probs.splice(0);
    if (probs.length === 0) return null;
    const tokens = probs.map(({ token }) => this.#textOf(token));
    const text_offset = tokens.map((text) => {
      const at = this.#offset;
      this.#offset += text.length;
      return at;
    });
    return {
      tokens,
      token_logprobs: probs.map(({ value }) => Math.max(value, NEVER)),
      top_logprobs: probs.map(({ top }) =>
        // The likeliest comes first, and is written last.
        Object.fromEntries(
          top.toReversed().map(({ token, value }) => [this.#textOf(token), Math.max(value, NEVER)]),
        ),
      ),
      text_offset,
    };
  }

  #textOf(token: number): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#vocab.piece(token));
  }
}
