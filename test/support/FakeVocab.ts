/**
 * A small tokenizer with the traits that matter to planning: special tokens of both kinds matched as llama.cpp
 * matches them, white space that merges ("\n\n" is one token), words that are one token, bytes for the rest,
 * and, when asked, SentencePiece's space in front of a text and special tokens that eat white space.
 */
import type { SpecialToken, TextVocab } from "../../src/run/TextVocab.ts";

export interface FakeVocabOptions {
  readonly control?: readonly string[];
  readonly userDefined?: readonly string[];
  /** One token each; matched longest first. */
  readonly words?: readonly string[];
  /** A spelling among `control`. */
  readonly bos?: string;
  readonly eos?: string;
  readonly addBos?: boolean;
  readonly addSpace?: boolean;
  /** Spellings that eat white space behind them. */
  readonly eatRight?: readonly string[];
  readonly eatLeft?: readonly string[];
}

const MERGES = [
  "\n\n",
  "\n\n\n",
  "\n\n\n\n",
  "  ",
  "user",
  "assistant",
  "system",
  "tool",
  "model",
  "the",
  " the",
];

export class FakeVocab implements TextVocab {
  readonly size: number;
  readonly specials: readonly SpecialToken[];
  readonly bos: number;
  readonly eos: number;
  readonly addBos: boolean;
  /** Characters handed to `tokenise` so far. */
  tokenised = 0;
  readonly #words: readonly string[];
  /** Places in `#words` by first UTF-16 unit, the longest word first. */
  readonly #byFirst = new Map<string, number[]>();
  readonly #options: FakeVocabOptions;
  readonly #bySize: readonly SpecialToken[];

  constructor(options: FakeVocabOptions = {}) {
    this.#options = options;
    this.#words = [...MERGES, ...(options.words ?? [])];
    const sizes = this.#words.map((word, i) => ({ word, i })).sort((a, b) => b.word.length - a.word.length);
    for (const { word, i } of sizes) {
      const first = word[0];
      if (first !== undefined) this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), i]);
    }
    const special = (kind: SpecialToken["kind"], from: number) => (text: string, i: number) => ({
      id: from + i,
      text,
      kind,
    });
    const first = 256 + this.#words.length;
    const control = (options.control ?? []).map(special("control", first));
    this.specials = [
      ...control,
      ...(options.userDefined ?? []).map(special("user-defined", first + control.length)),
    ];
    this.size = first + this.specials.length;
    this.#bySize = [...this.specials].sort((a, b) => b.text.length - a.text.length);
    this.bos = this.idOf(options.bos);
    this.eos = this.idOf(options.eos);
    this.addBos = options.addBos ?? false;
  }

  idOf(spelling: string | undefined): number {
    return this.specials.find((special) => special.text === spelling)?.id ?? -1;
  }

  tokenise(text: string, parseSpecial: boolean): Int32Array {
    this.tokenised += text.length;
    let parts: (string | number)[] = text === "" ? [] : [text];
    for (const special of this.#bySize) {
      if (special.kind === "control" && !parseSpecial) continue;
      parts = parts.flatMap((part) => (typeof part === "string" ? this.#split(part, special) : [part]));
    }
    return Int32Array.from(parts.flatMap((part) => (typeof part === "string" ? this.#plain(part) : [part])));
  }

  #split(text: string, special: SpecialToken): (string | number)[] {
    const pieces = text.split(special.text);
    return pieces.flatMap((piece, i) => {
      let plain = piece;
      if (i > 0 && this.#options.eatRight?.includes(special.text)) plain = plain.trimStart();
      if (i < pieces.length - 1 && this.#options.eatLeft?.includes(special.text)) plain = plain.trimEnd();
      return [...(i > 0 ? [special.id] : []), ...(plain === "" ? [] : [plain])];
    });
  }

  #plain(text: string): number[] {
    const spaced = this.#options.addSpace ? ` ${text}` : text;
    const tokens: number[] = [];
    for (let at = 0; at < spaced.length; ) {
      const best = (this.#byFirst.get(spaced[at] ?? "") ?? []).find((i) =>
        spaced.startsWith(this.#words[i] ?? "", at),
      );
      if (best !== undefined) {
        tokens.push(256 + best);
        at += this.#words[best]?.length ?? 1;
        continue;
      }
      const char = String.fromCodePoint(spaced.codePointAt(at) ?? 0);
      if (char < "\u0080") tokens.push(char.charCodeAt(0));
      else tokens.push(...new TextEncoder().encode(char));
      at += char.length;
    }
    return tokens;
  }

  piece(token: number): Uint8Array {
    if (token < 256) return Uint8Array.of(token);
    const word = this.#words[token - 256] ?? this.specials[token - 256 - this.#words.length]?.text ?? "";
    return new TextEncoder().encode(word);
  }

  isEnd(token: number): boolean {
    return token >= 0 && token === this.eos;
  }

  /** Tokens as the text that they spell, special ones included. */
  text(tokens: Iterable<number>): string {
    const bytes: number[] = [];
    for (const token of tokens) bytes.push(...this.piece(token));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }

  /** For failing tests to show: tokens as text, special ones in brackets. */
  show(tokens: Iterable<number>): string {
    const bytes: number[] = [];
    for (const token of tokens) {
      const special = this.specials.some(({ id }) => id === token);
      if (special) bytes.push(0xc2, 0xab);
      bytes.push(...this.piece(token));
      if (special) bytes.push(0xc2, 0xbb);
    }
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }
}
