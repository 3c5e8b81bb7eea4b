/** Token ids to reply events: bytes, characters, stop strings, then reasoning, text and calls. */
import type { AssistantMessage } from "../chat/Message.ts";
import { ReplyDecoder } from "../chat/replyDecoder.ts";
import { type ReplyDelta, ReplyParser, type ReplyParserOptions } from "../chat/replyParser.ts";
import { StopFilter } from "../chat/replyStop.ts";
import type { TokenProbs } from "../run/RunSpec.ts";
import type { TextVocab } from "../run/TextVocab.ts";
import { HeldProbs } from "./HeldProbs.ts";
import type { ReplyReader } from "./ReplyReader.ts";

export interface ReplyAssemblerOptions extends ReplyParserOptions {
  readonly vocab: Pick<TextVocab, "piece">;
  readonly stop: readonly string[];
}

export class ReplyAssembler implements ReplyReader {
  readonly #vocab: Pick<TextVocab, "piece">;
  readonly #decoder = new ReplyDecoder();
  readonly #stop: StopFilter;
  readonly #parser: ReplyParser;
  readonly #probs = new HeldProbs();
  #reasoningTokens = 0;

  constructor(options: ReplyAssemblerOptions) {
    this.#vocab = options.vocab;
    this.#stop = new StopFilter(options.stop);
    this.#parser = new ReplyParser(options);
  }

  get stops(): boolean {
    return this.#stop.isWatching;
  }

  get stopString(): string | null {
    return this.#stop.hit;
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
    if (this.#stop.hit !== null) return [];
    const before = this.#parser.inReasoning;
    const written = this.#decoder.push(this.#vocab.piece(token));
    const passed = this.#stop.push(written);
    this.#probs.push(probs, written.length, passed.length, this.#stop.hit !== null);
    const deltas = this.#parser.push(passed);
    if (before || this.#parser.inReasoning) this.#reasoningTokens += 1;
    return deltas;
  }

  end(): readonly ReplyDelta[] {
    const rest = this.#stop.push(this.#decoder.end()) + this.#stop.end();
    if (this.#stop.hit === null) this.#probs.end();
    return [...this.#parser.push(rest), ...this.#parser.end()];
  }

  message(): AssistantMessage {
    return this.#parser.message();
  }
}
