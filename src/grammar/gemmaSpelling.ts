/** Values as Gemma 4 writes them: `k:<|"|>v<|"|>,n:3,o:{a:true}`, keys bare or quoted, no white space. */
import { type CharSet, charSet, charsOf, complement } from "./CharSet.ts";
import { both, type Dfa, noneOf } from "./Dfa.ts";
import { charClass, dfaRule, type Gbnf, literal, RAW } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import { patternDfa } from "./patternDfa.ts";
import type { Quote, Spelling } from "./Spelling.ts";
import { wordsBody } from "./valuesBody.ts";

const MARK = '<|"|>';

/** Anything but the mark that closes it. */
const QUOTE: Quote = {
  open: literal(MARK),
  close: literal(MARK),
  allowed: noneOf(patternDfa('<\\|"\\|>')),
  character: (_, set) => charClass(set),
  write: (text) => [text],
};

/** What ends a bare key, or would open another thing than one. */
const KEY: CharSet = complement(charSet([...charsOf(":,{}[]<>\"'"), [0, 0x20]]));
const KEYS: Dfa = {
  states: [
    { edges: [{ set: KEY, to: 1 }], accepts: false },
    { edges: [{ set: KEY, to: 1 }], accepts: true },
  ],
};

const brackets = (open: string, close: string) => () => ({
  open: literal(open),
  close: literal(close),
  comma: '","',
});

export const GEMMA_SPELLING: Spelling = {
  name: "gemma",
  quotes: [QUOTE],
  words: { null: ["None", "null"], true: ["true"], false: ["false"] },
  object: brackets("{", "}"),
  array: brackets("[", "]"),
  pair(_, key, value) {
    const rule = value(GEMMA_SPELLING, "any");
    return rule === null ? null : `(${literal(key)} | ${literal(MARK + key + MARK)}) ":" ${rule}`;
  },
  otherPair(gbnf, keys, value) {
    const rule = value(GEMMA_SPELLING, "any");
    if (rule === null) return null;
    return `${dfaRule(gbnf, "s-key", keys === null ? KEYS : both(keys, KEYS), RAW)} ":" ${rule}`;
  },
  item: (value) => value,
  any: anyValue,
};

function anyValue(gbnf: Gbnf): string {
  return gbnf.once("gemma value", () => {
    const value = gbnf.fresh("ge-value");
    const text = dfaRule(gbnf, "ge-text", QUOTE.allowed ?? KEYS, QUOTE);
    const key = `(${charClass(KEY)} ${charClass(KEY)}* | ${text})`;
    const pair = gbnf.rule("ge-pair", `${key} ":" ${value}`);
    const ways = [
      text,
      jsonRule(gbnf, "number"),
      wordsBody(gbnf, "null", GEMMA_SPELLING),
      wordsBody(gbnf, "boolean", GEMMA_SPELLING),
      `"[" (${value} ("," ${value})*)? "]"`,
      `"{" (${pair} ("," ${pair})*)? "}"`,
    ];
    return gbnf.define(value, ways.join(" | "));
  });
}

/** The arguments of a call, which stand inside braces of the call's own. */
export const GEMMA_ARGUMENTS: Spelling = {
  ...GEMMA_SPELLING,
  name: "gemma arguments",
  quotes: [],
  object: () => ({ open: "", close: "", comma: '","' }),
  any: () => null,
};
