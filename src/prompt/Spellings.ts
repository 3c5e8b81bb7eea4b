/**
 * Where special tokens are spelled in a text. Matches are found as llama.cpp finds them: longer spellings take
 * their place first, equal ones from left to right.
 */
import type { SpecialToken, TextVocab } from "../run/TextVocab.ts";

/** `[from, to)` in UTF-16 units. */
export interface Spelled {
  readonly from: number;
  readonly to: number;
  readonly special: SpecialToken;
}

/**
 * Tokens that can open, close or steer something. A USER_DEFINED token of white space (Gemma has one for each
 * run of line breaks) or of one character is ordinary text, and must stay what the tokenizer makes of it.
 */
function isMarker(special: SpecialToken): boolean {
  if (special.text === "") return false;
  if (special.kind === "control") return true;
  return special.text.trim() !== "" && !hasNoInside(special.text);
}

/** A single character cannot be split. */
export function hasNoInside(spelling: string): boolean {
  return spelling.length <= (isAstral(spelling) ? 2 : 1);
}

/** The first place inside a spelling at which the text may be split without breaking a character. */
export function insideOf(spelled: Spelled): number {
  return spelled.from + (isAstral(spelled.special.text) ? 2 : 1);
}

function isAstral(text: string): boolean {
  return (text.codePointAt(0) ?? 0) > 0xffff;
}

interface Node {
  readonly next: Map<number, Node>;
  special: SpecialToken | undefined;
}

export class Spellings {
  readonly specials: readonly SpecialToken[];
  /** Longest spelling, in UTF-16 units. */
  readonly lengthMax: number;
  readonly #root: Node = { next: new Map(), special: undefined };
  /** UTF-16 units that begin a spelling; everything else is passed over. */
  readonly #firsts: RegExp | undefined;

  constructor(specials: readonly SpecialToken[]) {
    this.specials = specials;
    this.lengthMax = specials.reduce((longest, { text }) => Math.max(longest, text.length), 0);
    for (const special of specials) this.#add(special);
    const firsts = [...this.#root.next.keys()].map((code) => `\\u${code.toString(16).padStart(4, "0")}`);
    this.#firsts = firsts.length === 0 ? undefined : new RegExp(`[${firsts.join("")}]`, "g");
  }

  /** All markers of a vocabulary. */
  static of(vocab: TextVocab): Spellings {
    return new Spellings(vocab.specials.filter(isMarker));
  }

  /** Those of one kind. */
  ofKind(kind: SpecialToken["kind"]): Spellings {
    return new Spellings(this.specials.filter((special) => special.kind === kind));
  }

  #add(special: SpecialToken): void {
    let node = this.#root;
    for (let i = 0; i < special.text.length; i++) {
      const code = special.text.charCodeAt(i);
      let next = node.next.get(code);
      if (next === undefined) {
        next = { next: new Map(), special: undefined };
        node.next.set(code, next);
      }
      node = next;
    }
    // Two tokens of one spelling: the first is found, as by llama.cpp.
    node.special ??= special;
  }

  /** Every occurrence, overlapping ones and spellings inside spellings included, by position. */
  occurrences(text: string): Spelled[] {
    const found: Spelled[] = [];
    if (this.#firsts === undefined) return found;
    this.#firsts.lastIndex = 0;
    for (let hit = this.#firsts.exec(text); hit !== null; hit = this.#firsts.exec(text)) {
      let node: Node | undefined = this.#root;
      for (let at = hit.index; node !== undefined; at++) {
        if (node.special !== undefined) found.push({ from: hit.index, to: at, special: node.special });
        node = at < text.length ? node.next.get(text.charCodeAt(at)) : undefined;
      }
    }
    return found;
  }

  /** Occurrences that do not overlap, by position: what the tokenizer would take for special tokens. */
  find(text: string): Spelled[] {
    const all = this.occurrences(text);
    if (!overlaps(all)) return all;
    const taken: Spelled[] = [];
    const bySize = [...all].sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
    const covered = new Set<number>();
    for (const one of bySize) {
      let free = true;
      for (let at = one.from; free && at < one.to; at++) free = !covered.has(at);
      if (!free) continue;
      for (let at = one.from; at < one.to; at++) covered.add(at);
      taken.push(one);
    }
    return taken.sort((a, b) => a.from - b.from);
  }
}

function overlaps(found: readonly Spelled[]): boolean {
  let end = 0;
  for (const one of found) {
    if (one.from < end) return true;
    end = one.to;
  }
  return false;
}
