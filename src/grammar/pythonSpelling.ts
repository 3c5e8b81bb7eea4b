/**
 * Values as Python prints them, and as the templates of models that were taught Python do: words of JSON too, and
 * strings with raw line breaks, or in single quotes without escapes.
 */
import { type CharSet, charSet, charsOf, complement, intersect } from "./CharSet.ts";
import { noneOf } from "./Dfa.ts";
import { charClass, dfaRule, type Gbnf, literal } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import { patternDfa } from "./patternDfa.ts";
import type { Quote, Spelling } from "./Spelling.ts";

const SHORT: Readonly<Record<string, string>> = { "\n": "n", "\t": "t", "\r": "r", "\\": "\\" };

function character(quote: string, isRaw: boolean): Quote["character"] {
  const closed = charsOf(isRaw ? "\\" : `\\${quote}`);
  return (_, set) => {
    const out: string[] = [];
    const plain = intersect(set, complement(closed));
    if (plain.length > 0) out.push(charClass(plain));
    const escaped = Array.from(`${quote}\n\t\r\\`).filter((char) => intersect(set, charsOf(char)).length > 0);
    if (escaped.length > 0) {
      const letters = charSet(escaped.flatMap((char) => charsOf(SHORT[char] ?? char)));
      out.push(`${literal("\\")} ${charClass(letters)}`);
    }
    out.push(...hexEscapes(set));
    return out.length === 1 ? (out[0] ?? "") : `(${out.join(" | ")})`;
  };
}

/** `\\x1b`, `\\xa0`: what Python does not print. */
const UNPRINTED: CharSet = [
  [0, 8],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
];

function hexEscapes(set: CharSet): string[] {
  const out: string[] = [];
  const rows = new Map<number, string>();
  for (const [low, high] of intersect(set, UNPRINTED)) {
    for (let code = low; code <= high; code += 1) {
      rows.set(code >> 4, (rows.get(code >> 4) ?? "") + (code & 15).toString(16));
    }
  }
  for (const [row, digits] of rows)
    out.push(`${literal(`\\x${row.toString(16)}`)} ${charClass(charsOf(digits))}`);
  return out;
}

function quote(mark: string, isRaw: boolean): Quote {
  return {
    open: literal(mark),
    close: literal(mark),
    // As the parser reads it: a quote that something fitting follows ends the string.
    allowed: isRaw ? noneOf(patternDfa(`${mark}[ \\t\\r\\n]*[,)\\]}:<]`)) : null,
    character: character(mark, isRaw),
    write(text) {
      const escaped = text.replace(/[\n\t\r\\]/g, (char) => `\\${SHORT[char]}`).replaceAll(mark, `\\${mark}`);
      return isRaw && escaped !== text ? [escaped, text] : [escaped];
    },
  };
}

const QUOTES = [quote("'", false), quote('"', false)];

const brackets = (open: string, close: string) => () => ({
  open: `"${open}" " "?`,
  close: `" "? "${close}"`,
  comma: '"," " "?',
});

function spelling(name: string, quotes: readonly Quote[]): Spelling {
  const self: Spelling = {
    name,
    quotes,
    words: { null: ["None", "null"], true: ["True", "true"], false: ["False", "false"] },
    object: brackets("{", "}"),
    array: brackets("[", "]"),
    pair(_, key, value) {
      const rule = value(PYTHON_SPELLING, "any");
      const names = [
        ...new Set(
          QUOTES.map(({ open, close, write }) => `${open} ${literal(write(key)[0] ?? "")} ${close}`),
        ),
      ];
      return rule === null ? null : `(${names.join(" | ")}) ":" " "? ${rule}`;
    },
    otherPair(gbnf, keys, value) {
      const rule = value(PYTHON_SPELLING, "any");
      if (rule === null) return null;
      const names = QUOTES.map((one) =>
        keys === null ? anyText(gbnf, one) : dfaRule(gbnf, "s-key", keys, one),
      );
      return `(${names.join(" | ")}) ":" " "? ${rule}`;
    },
    item: (value) => value,
    any: (gbnf) => anyValue(gbnf, self),
  };
  return self;
}

/** Rule of any string in this quote. */
function anyText(gbnf: Gbnf, { open, close, allowed }: Quote): string {
  return gbnf.once(`python text ${open} ${allowed !== null}`, () => {
    const mark = open.includes("'") ? "'" : '\\"';
    if (allowed === null)
      return gbnf.rule("py-text", `${open} ([^${mark.slice(-1)}\\\\] | "\\\\" [^\\x00])* ${close}`);
    const character = (_: Gbnf, set: CharSet) => {
      const plain = intersect(set, complement(charsOf("\\")));
      const isAny = intersect(set, charsOf("\\")).length > 0;
      return isAny ? `(${charClass(plain)} | "\\\\" [^\\x00])` : charClass(plain);
    };
    return dfaRule(gbnf, "py-text", allowed, { open, close, character });
  });
}

function anyValue(gbnf: Gbnf, { name, quotes, words }: Spelling): string {
  return gbnf.once(`python value ${name}`, () => {
    const texts = [...new Set([...quotes, ...QUOTES])].map((one) => anyText(gbnf, one));
    const plain = Object.values(words).flat().map(literal);
    const inner = gbnf.has("py-value") ? "py-value" : gbnf.define("py-value", "");
    const key = QUOTES.map((one) => anyText(gbnf, one)).join(" | ");
    const list = gbnf.rule("py-list", `"[" " "? (${inner} ("," " "? ${inner})*)? " "? "]"`);
    const pair = gbnf.rule("py-pair", `(${key}) ":" " "? ${inner}`);
    const object = gbnf.rule("py-object", `"{" " "? (${pair} ("," " "? ${pair})*)? " "? "}"`);
    const number = jsonRule(gbnf, "number");
    const body = (ways: readonly string[]) => [...ways, number, ...plain, list, object].join(" | ");
    if (name === "python") return gbnf.define(inner, body(texts));
    gbnf.define(inner, body(QUOTES.map((one) => anyText(gbnf, one))));
    return gbnf.rule("py-any", body(texts));
  });
}

/** As Python's `repr`. */
export const PYTHON_SPELLING = spelling("python", QUOTES);

/** The value of a keyword argument: strings stand between single quotes as they are (LFM2). */
export const KEYWORD_SPELLING = spelling("keyword", [quote("'", true), quote('"', true)]);
