/** A grammar in the making: rules by name, the same body once. Its text is llama.cpp's GBNF. */
import { type CharSet, charSet, codeOf, complement, intersect } from "./CharSet.ts";
import type { Dfa } from "./Dfa.ts";
import { spend } from "./Work.ts";

/** Repetitions beyond this are written as blocks: llama.cpp makes a rule for each, 2000 at most. */
const BLOCK = 256;
const BLOCKS_MAX = 1_900;

export class Gbnf {
  readonly #rules = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #made = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #chars = 0;

  get length(): number {
    return this.#chars;
  }

  /** Defines a rule under this very name. */
  define(name: string, body: string): string {
    this.#chars += name.length + body.length + 6 - (this.#rules.get(name)?.length ?? 0);
    this.#rules.set(name, body);
    return name;
  }

  has(name: string): boolean {
    return this.#rules.has(name);
  }

  /** The rule with this body; a new one is named after `hint`. */
  rule(hint: string, body: string): string {
    const known = this.#names.get(body);
    if (known !== undefined) return known;
    const name = this.fresh(hint);
    this.#names.set(body, name);
    return this.define(name, body);
  }

  /** A name that is not used yet, to be defined later. */
  fresh(hint: string): string {
    const base = hint.replace(/[^a-zA-Z0-9-]/g, "-");
    let count = this.#counts.get(base) ?? 0;
    let name = base;
    while (this.#rules.has(name)) name = `${base}-${++count}`;
    this.#counts.set(base, count);
    return this.define(name, "");
  }

  /** Takes a fresh name back. */
  drop(name: string): void {
    this.#rules.delete(name);
  }

  /** The rule that was made under this key before, or now. */
  once(key: string, make: () => string): string {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const name = make();
    this.#made.set(key, name);
    return name;
  }

  /** Rules that a refused schema left unfinished match nothing, and nothing uses them. */
  text(): string {
    return [...this.#rules].map(([name, body]) => `${name} ::= ${body === "" ? '""' : body}`).join("\n");
  }
}

/** A literal; "" matches nothing and is allowed. */
export function literal(text: string): string {
  let out = "";
  for (const char of text) {
    if (char === '"' || char === "\\") out += `\\${char}`;
    else if (char === "\n") out += "\\n";
    else if (char === "\r") out += "\\r";
    else if (char === "\t") out += "\\t";
    else out += char < " " ? hexEscape(codeOf(char)) : char;
  }
  return `"${out}"`;
}

export function charClass(set: CharSet): string {
  const negated = set.at(-1)?.[1] === 0x10ffff && set.length > 1;
  const ranges = (negated ? complement(set) : set).map(([low, high]) =>
    low === high ? hexEscape(low) : `${hexEscape(low)}-${hexEscape(high)}`,
  );
  return `[${negated ? "^" : ""}${ranges.join("")}]`;
}

function hexEscape(code: number): string {
  const char = String.fromCodePoint(code);
  if (/[a-zA-Z0-9_ ]/.test(char)) return char;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** `item`, the name of a rule, `min` to `max` times. */
export function repeated(gbnf: Gbnf, item: string, min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return `${exactly(gbnf, item, min)} ${item}*`.trim();
  if (max <= 2 * BLOCK) return max === 0 ? '""' : `${item}{${min},${max}}`;
  return `${exactly(gbnf, item, min)} ${atMost(gbnf, item, max - min)}`.trim();
}

function exactly(gbnf: Gbnf, item: string, count: number): string {
  if (count === 0) return "";
  if (count <= BLOCK) return `${item}{${count}}`;
  const blocks = Math.floor(count / BLOCK);
  const block = gbnf.rule(`${item}-block`, `${item}{${BLOCK}}`);
  const rest = count % BLOCK;
  return `${block}{${Math.min(blocks, BLOCKS_MAX)}}${rest > 0 ? ` ${item}{${rest}}` : ""}`;
}

function atMost(gbnf: Gbnf, item: string, count: number): string {
  if (count <= 2 * BLOCK) return count === 0 ? "" : `${item}{0,${count}}`;
  const blocks = Math.floor(count / BLOCK);
  // Half a million characters and more: nobody writes them.
  if (blocks > BLOCKS_MAX) return `${item}*`;
  const block = gbnf.rule(`${item}-block`, `${item}{${BLOCK}}`);
  const full = `${block}{${blocks}}${count % BLOCK > 0 ? ` ${item}{0,${count % BLOCK}}` : ""}`;
  return gbnf.rule(`${item}-most`, `${block}{0,${blocks - 1}} ${item}{0,${BLOCK - 1}} | ${full}`);
}

/** How a character of a JSON string may be written. Only what has to be escaped is. */
const SHORT: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, "\\"],
  [8, "b"],
  [9, "t"],
  [10, "n"],
  [12, "f"],
  [13, "r"],
]);
const ESCAPED: CharSet = [
  [0, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];
const PLAIN = complement(ESCAPED);

/** One character out of `set` within a JSON string. */
export function jsonCharacter(gbnf: Gbnf, set: CharSet): string {
  const out: string[] = [];
  const plain = intersect(set, PLAIN);
  if (plain.length > 0) out.push(charClass(plain));
  const escaped = intersect(set, ESCAPED);
  if (escaped.length === ESCAPED.length && escaped[0]?.[1] === 0x1f) {
    const any = escapes(ESCAPED);
    out.push(gbnf.has(ESCAPE_RULE) ? ESCAPE_RULE : gbnf.define(ESCAPE_RULE, any.join(" | ")));
  } else out.push(...escapes(escaped));
  return out.length === 1 ? (out[0] ?? "") : `(${out.join(" | ")})`;
}

const ESCAPE_RULE = "escaped";

function escapes(set: CharSet): string[] {
  const out: string[] = [];
  const short: number[] = [];
  const long: number[] = [];
  for (const [low, high] of set) {
    for (let code = low; code <= high; code += 1) {
      const letter = SHORT.get(code);
      if (letter === undefined) long.push(code);
      else short.push(codeOf(letter));
    }
  }
  const letters = charSet(short.map((code) => [code, code] as const));
  if (letters.length > 0) out.push(`${literal("\\")} ${charClass(letters)}`);
  for (const row of [0, 1]) {
    const digits = charSet(long.filter((code) => code >> 4 === row).flatMap((code) => hexDigit(code & 15)));
    if (digits.length > 0) out.push(`${literal(`\\u00${row}`)} ${charClass(digits)}`);
  }
  return out;
}

function hexDigit(value: number): (readonly [number, number])[] {
  const digit = value.toString(16);
  return [...new Set([digit, digit.toUpperCase()])].map((char) => [codeOf(char), codeOf(char)] as const);
}

/** How a text is written around its characters: what `Quote` says of that. */
interface Written {
  readonly open: string;
  readonly close: string;
  character(gbnf: Gbnf, set: CharSet): string;
}

/** As it is, with nothing around it. */
export const RAW: Written = { open: "", close: '""', character: (_, set) => charClass(set) };

/** Classes longer than this are rules of their own: an automaton may write one in each of its states. */
const CLASS_CHARS_MAX = 48;

/** A rule for the automaton's texts. A state that leads to itself is a repetition, which a walk passes through without growing. */
export function dfaRule(gbnf: Gbnf, hint: string, dfa: Dfa, as: Written): string {
  const written = new Map<CharSet, string>();
  const character = (set: CharSet): string => {
    const known = written.get(set);
    if (known !== undefined) return known;
    spend(set.length);
    const body = as.character(gbnf, set);
    const name = body.length > CLASS_CHARS_MAX ? gbnf.rule("chars", body) : body;
    written.set(set, name);
    return name;
  };
  const start = gbnf.fresh(hint);
  const names = dfa.states.map(() => gbnf.fresh("d"));
  for (const [index, state] of dfa.states.entries()) {
    const onward = state.edges.filter(({ to }) => to !== index);
    const loop = state.edges.find(({ to }) => to === index);
    const alternatives = onward.map(({ set, to }) => `${character(set)} ${names[to]}`);
    if (state.accepts) alternatives.push(as.close);
    const body = alternatives.join(" | ");
    const repeat = loop === undefined ? "" : gbnf.rule("loop", character(loop.set));
    gbnf.define(names[index] ?? "", repeat === "" ? body : `${repeat}* (${body})`);
    spend(1 + state.edges.length);
  }
  return gbnf.define(start, `${as.open} ${names[0] ?? ""}`.trim());
}
