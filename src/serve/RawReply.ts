/**
 * A reply that nothing is read into: its text as the tokens spell it, up to a stop string. As in llama-server, a
 * control token spells nothing; each token comes with the text that it made sure.
 */
import { ReplyDecoder } from "../chat/replyDecoder.ts";
import type { ReplyDelta } from "../chat/replyParser.ts";
import { StopFilter } from "../chat/replyStop.ts";
import type { TokenProbs } from "../run/RunSpec.ts";
import type { TextVocab } from "../run/TextVocab.ts";
import { HeldProbs } from "./HeldProbs.ts";
import type { ReplyReader } from "./ReplyReader.ts";

export interface RawReplyOptions {
  readonly vocab: Pick<TextVocab, "piece" | "specials">;
  readonly stop: readonly string[];
}

export class RawReply implements ReplyReader {
  readonly reasoningTokens = 0;
  readonly callCount = 0;
  readonly #vocab: RawReplyOptions["vocab"];
  readonly #controls: ReadonlySet<number>;
  readonly #decoder = new ReplyDecoder();
  readonly #stop: StopFilter;
  readonly #parts: string[] = [];
  readonly #tokens: number[] = [];
  readonly #probs = new HeldProbs();

  constructor({ vocab, stop }: RawReplyOptions) {
    this.#vocab = vocab;
    this.#controls = controlsOf(vocab);
    this.#stop = new StopFilter(stop);
  }

  get stops(): boolean {
    return this.#stop.isWatching;
  }

  get stopString(): string | null {
    return this.#stop.hit;
  }

  get text(): string {
    return this.#parts.join("");
  }

  /** All that were generated, those of a stop string included. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  takeProbs(): readonly TokenProbs[] {
    return this.#probs.take();
  }

  push(token: number, probs?: TokenProbs): readonly ReplyDelta[] {
    if (this.#stop.hit !== null) return [];
    this.#tokens.push(token);
    const bytes = this.#controls.has(token) ? NOTHING : this.#vocab.piece(token);
    const written = this.#decoder.push(bytes);
    const text = this.#take(written);
    this.#probs.push(probs, written.length, text.length, this.#stop.hit !== null);
    return [{ type: "text", text, token }];
  }

  end(): readonly ReplyDelta[] {
    const text = this.#take(this.#decoder.end()) + this.#keep(this.#stop.end());
    if (this.#stop.hit === null) this.#probs.end();
    return text === "" ? [] : [{ type: "text", text }];
  }

  #take(text: string): string {
    return this.#keep(this.#stop.push(text));
  }

  #keep(text: string): string {
    if (text !== "") this.#parts.push(text);
    return text;
  }
}

const NOTHING = new Uint8Array(0);

const known = new WeakMap<RawReplyOptions["vocab"], ReadonlySet<number>>();

function controlsOf(vocab: RawReplyOptions["vocab"]): ReadonlySet<number> {
  let controls = known.get(vocab);
  if (controls === undefined) {
    controls = new Set(vocab.specials.filter(({ kind }) => kind === "control").map(({ id }) => id));
    known.set(vocab, controls);
  }
  return controls;
}
