/**
 * A masked render to tokens. It is partitioned at the special tokens that the template itself wrote; the
 * stretches between them are tokenised whole, without special tokens, so that merges are as trained. Text
 * without spellings of special tokens gives exactly what tokenising the whole render at once would give.
 * Stretches are remembered, so that a request tokenises only what is new in it.
 */
import { LRUCache } from "lru-cache";
import type { TextVocab } from "../run/TextVocab.ts";
import { joined } from "./joined.ts";
import type { Mask } from "./Mask.ts";
import { promptTooLong } from "./promptTooLong.ts";
import { hasNoInside, insideOf, Spellings } from "./Spellings.ts";

/** Bytes of remembered stretches, text and tokens. About 100 agent prompts of 100 KB. */
export const STRETCH_CACHE_BYTES = 64 * 1024 * 1024;

export class RenderTokeniser {
  readonly spellings: Spellings;
  readonly #vocab: TextVocab;
  readonly #userDefined: Spellings;
  readonly #stretches: LRUCache<string, Int32Array>;
  /** White space that a special token eats beside it (Phi-3's do), learnt when first met. */
  readonly #eats = new Map<number, { readonly left: boolean; readonly right: boolean }>();
  /** Does the tokenizer put a space in front of a text, as SentencePiece does? */
  readonly #addsSpace: boolean;
  /** What the vocabulary's bytes say; null until it is asked for. */
  #known: { readonly longestBytes: number; readonly partsAtLines: boolean } | null = null;

  constructor(vocab: TextVocab, cacheBytes = STRETCH_CACHE_BYTES) {
    this.#vocab = vocab;
    this.spellings = Spellings.of(vocab);
    this.#userDefined = this.spellings.ofKind("user-defined");
    this.#stretches = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: (tokens, text) => tokens.byteLength + text.length * 2 + 64,
    });
    this.#addsSpace = spelledBytes(vocab, vocab.tokenise("a", false)) !== 1;
  }

  /**
   * With BOS in front where the model wants one and the template wrote none. Throws AppError("prompt-too-long")
   * where it is plain, before or while tokenising, that `ctxTokens` are far exceeded: megabytes that are refused
   * in the end must not stop the thread for seconds first.
   */
  tokens(render: string, mask: Mask, ctxTokens = Number.POSITIVE_INFINITY): Int32Array {
    return this.withBos(this.masked(render, mask, ctxTokens));
  }

  /** As `tokens`, without BOS. */
  masked(render: string, mask: Mask, ctxTokens = Number.POSITIVE_INFINITY): Int32Array {
    return this.#spelled(render, mask, ctxTokens);
  }

  /** A client's own text, in which the spelling of a special token is that token wherever it stands. */
  spelled(text: string, ctxTokens = Number.POSITIVE_INFINITY): Int32Array {
    return this.#spelled(text, NOTHING_MASKED, ctxTokens);
  }

  /** A client's own text, in which nothing is a special token. */
  plain(text: string, ctxTokens = Number.POSITIVE_INFINITY): Int32Array {
    this.#refuseFarTooLong(text, ctxTokens);
    return this.#stretch(text, -1, -1);
  }

  /** BOS in front where the model wants one and there is none. */
  withBos(tokens: Int32Array): Int32Array {
    const { bos, addBos } = this.#vocab;
    return addBos && bos >= 0 && tokens[0] !== bos ? joined([Int32Array.of(bos), tokens]) : tokens;
  }

  #spelled(render: string, mask: Pick<Mask, "char" | "unmask">, ctxTokens: number): Int32Array {
    if (render.length > ctxTokens * USUAL_TOKEN_CHARS) this.#refuseFarTooLong(mask.unmask(render), ctxTokens);
    const parts: Int32Array[] = [];
    let counted = 0;
    const add = (part: Int32Array): void => {
      parts.push(part);
      counted += part.length;
      if (counted > ctxTokens * COUNTED_CONTEXTS_MAX) throw promptTooLong(counted, ctxTokens, true);
    };
    let from = 0;
    let previous = -1;
    for (const { from: at, to, special } of this.spellings.find(render)) {
      if (hasNoInside(special.text) && render[at - 1] === mask.char) continue;
      add(this.#stretch(mask.unmask(render.slice(from, at)), previous, special.id));
      add(Int32Array.of(special.id));
      from = to;
      previous = special.id;
    }
    add(this.#stretch(mask.unmask(render.slice(from)), previous, -1));
    return joined(parts);
  }

  /** Every token is at most so many bytes, and every character at least one. */
  #refuseFarTooLong(text: string, ctxTokens: number): void {
    if (text.length <= ctxTokens * USUAL_TOKEN_CHARS) return;
    const least = Math.ceil(text.length / this.#pieces().longestBytes);
    if (least >= ctxTokens) throw promptTooLong(least, ctxTokens, true);
  }

  /** Asked for only by long prompts: it reads the whole vocabulary, once. */
  #pieces(): { readonly longestBytes: number; readonly partsAtLines: boolean } {
    if (this.#known === null) {
      let longestBytes = 1;
      let partsAtLines = true;
      for (let token = 0; token < this.#vocab.size; token++) {
        const piece = this.#vocab.piece(token);
        longestBytes = Math.max(longestBytes, piece.length);
        partsAtLines &&= !piece.some((byte, at) => byte === NEWLINE && isLetter(piece[at + 1] ?? 0));
      }
      this.#known = { longestBytes, partsAtLines };
    }
    return this.#known;
  }

  #stretch(text: string, before: number, after: number): Int32Array {
    let plain = text;
    if (before >= 0 && this.#eaten(before).right) plain = plain.replace(/^[ \t\n\v\f\r]+/, "");
    if (after >= 0 && this.#eaten(after).left) plain = plain.replace(/[ \t\n\v\f\r]+$/, "");
    if (plain === "") return EMPTY;
    if (plain.length < 2 * SEGMENT_CHARS) return this.#remembered(plain);
    return joined(this.#segments(plain).map((segment) => this.#remembered(segment)));
  }

  #remembered(text: string): Int32Array {
    let tokens = this.#stretches.get(text);
    if (tokens === undefined) {
      tokens = this.#plainTokens(text);
      this.#stretches.set(text, tokens);
    }
    return tokens;
  }

  /**
   * A long stretch in parts that are remembered apart: a template without special tokens is a single one, and
   * grows with each turn. It is parted where a line begins with a letter behind a line that is not blank: no
   * pre-tokenizer joins those, and no token of the vocabulary may. Where the parts lie depends on nothing but
   * the text before them.
   */
  #segments(text: string): string[] {
    if (this.#addsSpace || !this.#pieces().partsAtLines) return [text];
    const segments: string[] = [];
    let from = 0;
    for (;;) {
      LINE_START.lastIndex = from + SEGMENT_CHARS;
      if (LINE_START.lastIndex >= text.length || LINE_START.exec(text) === null) break;
      segments.push(text.slice(from, LINE_START.lastIndex));
      from = LINE_START.lastIndex;
    }
    segments.push(text.slice(from));
    return segments;
  }

  /**
   * A USER_DEFINED token is matched in plain text as well. Whatever is spelled in a stretch was in the data, so
   * the text is split inside each spelling and the pieces tokenised apart.
   */
  #plainTokens(text: string): Int32Array {
    const parts: Int32Array[] = [];
    let from = 0;
    for (const spelled of this.#userDefined.occurrences(text)) {
      const at = insideOf(spelled);
      if (at <= from) continue;
      parts.push(this.#piece(text.slice(from, at), from > 0));
      from = at;
    }
    parts.push(this.#piece(text.slice(from), from > 0));
    return joined(parts);
  }

  /** A piece that goes on from another must not get SentencePiece's space in front. */
  #piece(text: string, goesOn: boolean): Int32Array {
    if (!goesOn || !this.#addsSpace) return this.#vocab.tokenise(text, false);
    for (const guard of GUARDS) {
      const front = this.#vocab.tokenise(guard, false);
      const both = this.#vocab.tokenise(guard + text, false);
      if (front.every((token, i) => both[i] === token)) return both.slice(front.length);
    }
    return this.#vocab.tokenise(text, false);
  }

  #eaten(id: number): { readonly left: boolean; readonly right: boolean } {
    let eaten = this.#eats.get(id);
    if (eaten === undefined) {
      const text = this.spellings.specials.find((special) => special.id === id)?.text ?? "";
      const plain = this.#vocab.tokenise(text, true).length;
      eaten = {
        left: this.#vocab.tokenise(` ${text}`, true).length === plain,
        right: this.#vocab.tokenise(`${text} `, true).length === plain,
      };
      this.#eats.set(id, eaten);
    }
    return eaten;
  }
}

/** More characters to a token than any language has on average: below this nothing is looked at. */
const USUAL_TOKEN_CHARS = 12;
/** A prompt is counted to its end up to this many contexts, so that its refusal has its exact length. */
const COUNTED_CONTEXTS_MAX = 16;

/** Characters of a remembered part of a long stretch, at least. */
const SEGMENT_CHARS = 8192;
/** Behind the newline that it matches, a line begins. */
const LINE_START = /(?<=\S)\n(?=[A-Za-z])/g;
const NEWLINE = 10;
const isLetter = (byte: number): boolean => (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);

const NOTHING_MASKED = { char: "", unmask: (text: string) => text };
const EMPTY = new Int32Array(0);
/** Characters that hardly merge with what follows them. */
const GUARDS = ["\n", "\u0001", "\t"];

function spelledBytes(vocab: TextVocab, tokens: Int32Array): number {
  let bytes = 0;
  for (const token of tokens) bytes += vocab.piece(token).length;
  return bytes;
}
