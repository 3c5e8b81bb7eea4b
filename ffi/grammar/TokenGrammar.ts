/**
 * A grammar over tokens: which may come next, one at a time or all at once. A token may end inside a
 * character; then the rest of it must still fit. End-of-generation tokens fit where the text may end, and
 * nothing else does when nothing may follow.
 */
import { NO_GROUP } from "./ClassSet.ts";
import { type GrammarWalk, type Place, TooAmbiguous } from "./GrammarWalk.ts";
import { knownGrammar } from "./knownGrammar.ts";
import type { TokenLists } from "./TokenLists.ts";
import type { TokenTable } from "./TokenTable.ts";

/** Vocabularies below this are looked through in no time. */
const LONG_WALK_TOKENS = 10_000;

/** Where a text stands: a place of the grammar, and the bytes of a character that is not whole yet. */
interface Standing {
  readonly place: Place;
  readonly value: number;
  /** Bytes that the character still lacks; 0 between characters. */
  readonly left: number;
  /** Bytes of the character in all: its least value depends on them. */
  readonly length: number;
}

export class TokenGrammar {
  readonly #walk: GrammarWalk;
  readonly #table: () => TokenTable;
  readonly #piece: (token: number) => Uint8Array;
  readonly #isEnd: (token: number) => boolean;
  readonly #lists: TokenLists;
  #at: Standing;
  #ended = false;

  /**
   * @param table asked for when the whole vocabulary has to be looked at.
   * @throws GrammarError, or TooAmbiguous.
   */
  constructor(
    text: string,
    vocab: { piece(token: number): Uint8Array; isEnd(token: number): boolean },
    table: () => TokenTable,
  ) {
    const { walk, lists } = knownGrammar(text, vocab);
    this.#walk = walk;
    this.#lists = lists;
    this.#table = table;
    this.#piece = (token) => vocab.piece(token);
    this.#isEnd = (token) => vocab.isEnd(token);
    this.#at = { place: this.#walk.start, value: 0, left: 0, length: 0 };
  }

  /** @throws TooAmbiguous */
  allows(token: number): boolean {
    return this.#after(token) !== null;
  }

  /** Takes a token that is allowed. @throws TooAmbiguous */
  accept(token: number): void {
    const after = this.#after(token);
    if (after === null) throw new Error(`token ${token} does not fit the grammar`);
    this.#at = after;
    this.#ended = this.#isEnd(token);
  }

  /** Whether most letters may come next: then most tokens may, and to know them all can be a long walk. */
  get isWide(): boolean {
    const { place, left } = this.#at;
    if (left > 0 || this.#ended || this.#table().size < LONG_WALK_TOKENS) return false;
    this.#walk.rest();
    let letters = 0;
    for (let code = 0x61; code <= 0x7a; code++) if (this.#walk.step(place, code) !== null) letters++;
    return letters >= 20;
  }

  /** Whether these bytes may come next. @throws TooAmbiguous */
  fits(bytes: Uint8Array): boolean {
    return this.#afterBytes(bytes) !== null;
  }

  /** Takes bytes that fit. @throws TooAmbiguous */
  take(bytes: Uint8Array): void {
    const after = this.#afterBytes(bytes);
    if (after === null) throw new Error("bytes that do not fit the grammar");
    this.#at = after;
  }

  /** The tokens that are allowed, in no order. Not to be changed. @throws TooAmbiguous */
  allowed(): Int32Array {
    const { place, left } = this.#at;
    const isKept = left === 0 && !this.#ended;
    const known = isKept ? this.#lists.get(place.id) : undefined;
    if (known) return known;
    this.#walk.rest();
    const tokens: number[] = left === 0 && place.ends ? [...this.#table().ends] : [];
    if (!this.#ended) this.#collect(tokens);
    const list = Int32Array.from(tokens);
    if (isKept) this.#lists.set(place.id, list);
    return list;
  }

  /** First bytes that do not fit are passed over: mostly that is nearly all of the vocabulary. */
  #collect(tokens: number[]): void {
    const { starts } = this.#table();
    const { place } = this.#at;
    const begun = this.#at.left > 0 ? this.#at : null;
    for (let byte = 0; byte < 256; byte++) {
      const from = starts[byte] ?? 0;
      const to = starts[byte + 1] ?? 0;
      if (from === to) continue;
      if (begun === null && byte < 0x80 && place.set.groupOf(byte) === NO_GROUP) continue;
      const next = this.#byteFrom(place, begun, byte);
      if (next === null || (!("steps" in next) && !this.#mayRest(next))) continue;
      this.#collectFrom(from, to, tokens);
    }
  }

  /** Tokens in the order of their bytes: what neighbours share is walked once. */
  #collectFrom(from: number, to: number, tokens: number[]): void {
    const table = this.#table();
    /* Where n bytes of the token lead: a place, and a character begun. From `failed` bytes on, none fits. */
    const places: Place[] = [this.#at.place];
    const begun: (Standing | null)[] = [this.#at.left > 0 ? this.#at : null];
    let failed = Number.POSITIVE_INFINITY;
    for (let index = from; index < to; index++) {
      const shared = table.shared[index] ?? 0;
      if (shared >= failed) {
        const jump = table.jumps[failed - 1]?.[index];
        if (jump !== undefined) index = jump - 1;
        continue;
      }
      failed = Number.POSITIVE_INFINITY;
      const token = table.order[index] ?? 0;
      const bytes = table.piece(token);
      for (let length = shared; length < bytes.length; length++) {
        const next = this.#byteFrom(places[length] as Place, begun[length] ?? null, bytes[length] ?? 0);
        if (next === null) {
          failed = length + 1;
          break;
        }
        const isPlace = "steps" in next;
        places[length + 1] = isPlace ? next : next.place;
        begun[length + 1] = isPlace ? null : next;
      }
      const last = begun[bytes.length] ?? null;
      if (failed === Number.POSITIVE_INFINITY && (last === null || this.#mayRest(last))) tokens.push(token);
    }
  }

  #after(token: number): Standing | null {
    if (this.#isEnd(token)) return this.#at.left === 0 && this.#at.place.ends ? this.#at : null;
    return this.#ended ? null : this.#afterBytes(this.#piece(token));
  }

  #afterBytes(bytes: Uint8Array): Standing | null {
    this.#walk.rest();
    if (bytes.length === 0) return null;
    let at: Standing | null = this.#at;
    for (const byte of bytes) {
      at = this.#byte(at, byte);
      if (at === null) return null;
    }
    return this.#mayRest(at) ? at : null;
  }

  #byte(at: Standing, byte: number): Standing | null {
    const next = this.#byteFrom(at.place, at.left > 0 ? at : null, byte);
    return next === null || !("steps" in next) ? next : { place: next, value: 0, left: 0, length: 0 };
  }

  /** One byte further: a place where it ends a character, else the character begun. */
  #byteFrom(place: Place, begun: Standing | null, byte: number): Place | Standing | null {
    if (begun === null) {
      if (byte < 0x80) return this.#walk.step(place, byte);
      const length = byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
      return length === 0 ? null : { place, value: byte & (0x7f >> length), left: length - 1, length };
    }
    if ((byte & 0xc0) !== 0x80) return null;
    const { left, length } = begun;
    const value = (begun.value << 6) | (byte & 0x3f);
    if (left > 1) return { place, value, left: left - 1, length };
    return value < least(length) || isSurrogate(value) || value > 0x10ffff
      ? null
      : this.#walk.step(place, value);
  }

  /** Whether a character that is not whole yet can become one that fits. */
  #mayRest(at: Standing): boolean {
    if (at.left === 0) return true;
    const low = Math.max(at.value << (6 * at.left), least(at.length));
    const high = ((at.value + 1) << (6 * at.left)) - 1;
    if (low > high || low > 0x10ffff || (isSurrogate(low) && isSurrogate(high))) return false;
    return this.#walk.meets(at.place, low, high);
  }
}

/** The least code point that a character of so many bytes may spell. */
function least(bytes: number): number {
  return bytes === 2 ? 0x80 : bytes === 3 ? 0x800 : 0x10000;
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}

export { TooAmbiguous };
