/** Token ids to reply events: bytes, characters, stop strings, then reasoning, text and calls. */
import type { AssistantMessage } from "../chat/Message.ts";
import { ReplyDecoder } from "../chat/replyDecoder.ts";
import { type ReplyDelta, ReplyParser, type ReplyParserOptions } from "../chat/replyParser.ts";
import type { TokenProbs } from "../run/RunSpec.ts";
import type { TextVocab } from "../run/TextVocab.ts";
import { HeldProbs } from "./HeldProbs.ts";
import type { ReplyReader } from "./ReplyReader.ts";

export interface ReplyAssemblerOptions extends ReplyParserOptions {
  readonly vocab: Pick<TextVocab, "piece">;
}

export class ReplyAssembler implements ReplyReader {
  readonly #vocab: Pick<TextVocab, "piece">;
  readonly #decoder = new ReplyDecoder();
  readonly #parser: ReplyParser;
  readonly #probs = new HeldProbs();
  #reasoningTokens = 0;

  constructor(options: ReplyAssemblerOptions) {
    this.#vocab = options.vocab;
    this.#parser = new ReplyParser(options);
  }

  get stops(): boolean {
    return this.#parser.stop.isWatching;
  }

  get stopString(): string | null {
    return this.#parser.stop.hit;
  }

  get reasoningTokens(): number {
    return this.#reasoningTokens;
  }

  get callCount(): number {
    return this.#parser.callCount;
  }

  takeProbs(): readonly TokenProbs[] {
    return this.#probs.take();
  }

  push(token: number, probs?: TokenProbs): readonly ReplyDelta[] {
    const { stop } = this.#parser;
    if (stop.hit !== null) return [];
    const before = this.#parser.inReasoning;
    const held = stop.heldChars;
    const written = this.#decoder.push(this.#vocab.piece(token));
    const deltas = this.#parser.push(written);
    // What the parser itself holds back counts as passed on.
    this.#probs.push(probs, written.length, written.length + held - stop.heldChars, stop.hit !== null);
    if (before || this.#parser.inReasoning) this.#reasoningTokens += 1;
    return deltas;
  }

  end(): readonly ReplyDelta[] {
    const deltas = [...this.#parser.push(this.#decoder.end()), ...this.#parser.end()];
    if (this.#parser.stop.hit === null) this.#probs.end();
    return deltas;
  }

  message(): AssistantMessage {
    return this.#parser.message();
  }
}
