/**
 * Reads a schema's `pattern` (an ECMAScript expression) into a tree over sets of code points. What no regular
 * language has (references back, look-around but at the start, word borders) is refused in words. Written by hand:
 * `@eslint-community/regexpp` needs the `u` flag for characters beyond U+FFFF, refuses with it what schemas write (`\-`),
 * and overflows the stack on deep nesting.
 */
import {
  type CharRange,
  type CharSet,
  charSet,
  charsMatching,
  charsOf,
  codeOf,
  complement,
} from "./CharSet.ts";
import { spend } from "./Work.ts";

export type PatternNode =
  | { readonly kind: "chars"; readonly set: CharSet }
  | { readonly kind: "all"; readonly of: readonly PatternNode[] }
  | { readonly kind: "any"; readonly of: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly of: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: "start" }
  | { readonly kind: "end" };

/** Look-ahead that stands at the very start: the whole text must (or must not) match `^of`. */
export interface Ahead {
  readonly of: PatternNode;
  readonly wanted: boolean;
}

export interface ParsedPattern {
  readonly root: PatternNode;
  readonly aheads: readonly Ahead[];
}

/** Its message follows "the pattern". */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

const DIGIT: CharSet = [[0x30, 0x39]];
const WORD = charSet([...DIGIT, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]);
const SPACE = charSet([
  [9, 13],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
const DOT = complement(charsOf("\n\r\u2028\u2029"));
const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGIT,
  D: complement(DIGIT),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };
const DEPTH_MAX = 100;
const PROPERTY_WORK = 300_000;

export function parsePattern(text: string): ParsedPattern {
  return new PatternReader(text).read();
}

class PatternReader {
  readonly #chars: readonly string[];
  readonly #aheads: Ahead[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#chars = Array.from(text);
  }

  read(): ParsedPattern {
    if (this.#peek() === "^") this.#leadingAheads();
    const root = this.#alternatives();
    if (this.#at < this.#chars.length) throw new PatternError('has a ")" too many');
    if (this.#aheads.length > 0 && root.kind === "any") {
      throw new PatternError("has look-ahead in one of several alternatives");
    }
    return { root, aheads: this.#aheads };
  }

  /** `^(?=…)(?!…)rest`: the caret stays, the look-ahead is taken out. */
  #leadingAheads(): void {
    let at = 1;
    while (this.#starts("(?=", at) || this.#starts("(?!", at)) {
      const wanted = this.#chars[at + 2] === "=";
      this.#at = at + 3;
      const of = this.#group();
      this.#aheads.push({ of: { kind: "all", of: [{ kind: "start" }, of] }, wanted });
      at = this.#at;
    }
    // Read from the caret again: it is part of what follows the look-ahead.
    if (at > 1) this.#pendingStart = true;
    this.#at = at > 1 ? at : 0;
  }

  #pendingStart = false;
  readonly #properties = new Set<string>();

  #starts(text: string, at: number): boolean {
    return this.#chars.slice(at, at + text.length).join("") === text;
  }

  #peek(offset = 0): string {
    return this.#chars[this.#at + offset] ?? "";
  }

  #take(): string {
    const char = this.#peek();
    if (char === "") throw new PatternError("ends too early");
    this.#at += 1;
    return char;
  }

  #group(): PatternNode {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new PatternError("is nested too deeply");
    const node = this.#alternatives();
    if (this.#peek() !== ")") throw new PatternError('lacks a ")"');
    this.#at += 1;
    this.#depth -= 1;
    return node;
  }

  #alternatives(): PatternNode {
    const of = [this.#sequence()];
    while (this.#peek() === "|") {
      this.#at += 1;
      of.push(this.#sequence());
    }
    return of.length === 1 && of[0] !== undefined ? of[0] : { kind: "any", of };
  }

  #sequence(): PatternNode {
    const of: PatternNode[] = [];
    if (this.#pendingStart) of.push({ kind: "start" });
    this.#pendingStart = false;
    while (this.#peek() !== "" && this.#peek() !== "|" && this.#peek() !== ")") {
      of.push(this.#repeated(this.#atom()));
    }
    return { kind: "all", of };
  }

  #atom(): PatternNode {
    const char = this.#take();
    switch (char) {
      case "^":
        return { kind: "start" };
      case "$":
        return { kind: "end" };
      case ".":
        return { kind: "chars", set: DOT };
      case "[":
        return { kind: "chars", set: this.#class() };
      case "(":
        return this.#opened();
      case "\\":
        return { kind: "chars", set: this.#escape(false) };
      case "*":
      case "+":
      case "?":
        throw new PatternError(`has a "${char}" with nothing to repeat`);
      default:
        return { kind: "chars", set: charsOf(char) };
    }
  }

  #opened(): PatternNode {
    if (this.#peek() !== "?") return this.#group();
    const kind = this.#peek(1);
    if (kind === ":") this.#at += 2;
    else if (kind === "<" && this.#peek(2) !== "=" && this.#peek(2) !== "!") {
      while (this.#take() !== ">") {}
    } else throw new PatternError("has look-around or a flag that a grammar cannot hold");
    return this.#group();
  }

  #repeated(of: PatternNode): PatternNode {
    const range = this.#quantifier();
    if (range === null) return of;
    if (of.kind === "start" || of.kind === "end") throw new PatternError("repeats an anchor");
    if (this.#peek() === "?") this.#at += 1;
    return this.#repeated({ kind: "repeat", of, min: range[0], max: range[1] });
  }

  #quantifier(): readonly [number, number] | null {
    const simple = {
      "*": [0, Number.POSITIVE_INFINITY],
      "+": [1, Number.POSITIVE_INFINITY],
      "?": [0, 1],
    } as const;
    const char = this.#peek();
    if (char === "*" || char === "+" || char === "?") {
      this.#at += 1;
      return simple[char];
    }
    const match = /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(this.#chars.slice(this.#at, this.#at + 24).join(""));
    if (match === null) return null;
    this.#at += match[0].length;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === "" ? Number.POSITIVE_INFINITY : Number(match[3]);
    if (max < min) throw new PatternError("has a repetition whose maximum is below its minimum");
    return [min, max];
  }

  #escape(inClass: boolean): CharSet {
    const char = this.#take();
    const set = CLASSES[char];
    if (set !== undefined) return set;
    if (char === "b" && inClass) return [[8, 8]];
    if (char === "b" || char === "B")
      throw new PatternError("has a word border, which a grammar cannot hold");
    if (/[1-9]/.test(char) || char === "k") throw new PatternError("refers back to a group");
    if (char === "p" || char === "P") return this.#property(char);
    const control = CONTROLS[char];
    if (control !== undefined) return [[control, control]];
    if (char === "c") {
      const code = codeOf(this.#take()) % 32;
      return [[code, code]];
    }
    if (char === "x") return this.#hex(2);
    if (char === "u") return this.#unicode();
    return charsOf(char);
  }

  #property(kind: string): CharSet {
    if (this.#peek() !== "{") throw new PatternError(`has \\${kind} without a name`);
    let name = "";
    for (let char = this.#take(); char !== "}"; char = this.#take()) name += char;
    // All of Unicode is asked once; what is known by then costs the same.
    if (!this.#properties.has(name)) spend(PROPERTY_WORK);
    this.#properties.add(name);
    const set = charsMatching(`\\${kind}${name}}`);
    if (set === null) throw new PatternError(`names an unknown class \\${kind}${name}}`);
    return set;
  }

  #unicode(): CharSet {
    if (this.#peek() !== "{") {
      const [high = [0, 0]] = this.#hex(4);
      const isPair = high[0] >= 0xd800 && high[0] <= 0xdbff && this.#peek() === "\\" && this.#peek(1) === "u";
      if (!isPair) return [high];
      this.#at += 2;
      const [low = [0, 0]] = this.#hex(4);
      const code = 0x10000 + (high[0] - 0xd800) * 0x400 + (low[0] - 0xdc00);
      return [[code, code]];
    }
    this.#at += 1;
    let digits = "";
    for (let char = this.#take(); char !== "}"; char = this.#take()) digits += char;
    return codeSet(digits);
  }

  #hex(count: number): CharSet {
    let digits = "";
    while (digits.length < count) digits += this.#take();
    return codeSet(digits);
  }

  #class(): CharSet {
    const negated = this.#peek() === "^";
    if (negated) this.#at += 1;
    const ranges: CharRange[] = [];
    for (;;) {
      const first = this.#classAtom();
      if (first === null) break;
      const single = first.length === 1 && first[0]?.[0] === first[0]?.[1] ? first[0]?.[0] : undefined;
      if (this.#peek() !== "-" || this.#peek(1) === "]" || single === undefined) {
        ranges.push(...first);
        continue;
      }
      this.#at += 1;
      const last = this.#classAtom() ?? [];
      const high = last[0]?.[1];
      if (last.length !== 1 || high === undefined || high < single)
        throw new PatternError("has a class whose range is upside down");
      ranges.push([single, high]);
    }
    const set = charSet(ranges);
    return negated ? complement(set) : set;
  }

  #classAtom(): CharSet | null {
    const char = this.#take();
    if (char === "]") return null;
    return char === "\\" ? this.#escape(true) : charsOf(char);
  }
}

function codeSet(digits: string): CharSet {
  if (!/^[0-9a-fA-F]{1,6}$/.test(digits)) throw new PatternError("has an escape that is not hexadecimal");
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff) throw new PatternError("has an escape beyond Unicode");
  return [[code, code]];
}
