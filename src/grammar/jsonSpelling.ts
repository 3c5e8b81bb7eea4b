/** Values as JSON. White space is the model's to choose, within bounds. */
import { dfaRule, type Gbnf, jsonCharacter, literal } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import type { Quote, Spelling } from "./Spelling.ts";

const QUOTE: Quote = {
  open: literal('"'),
  close: literal('"'),
  allowed: null,
  character: jsonCharacter,
  write: (text) => JSON.stringify(text).slice(1, -1),
};

const brackets = (open: string, close: string) => (gbnf: Gbnf) => {
  const ws = jsonRule(gbnf, "ws");
  return { open: `"${open}" ${ws}`, close: `${ws} "${close}"`, comma: `"," ${ws}` };
};

/** Some models write a space in front of the colon, too. */
const COLON = '" "? ":"';

export const JSON_SPELLING: Spelling = {
  name: "json",
  quotes: [QUOTE],
  words: { null: ["null"], true: ["true"], false: ["false"] },
  object: brackets("{", "}"),
  array: brackets("[", "]"),
  pair(gbnf, key, value) {
    const rule = value(JSON_SPELLING, "any");
    return rule === null ? null : `${literal(JSON.stringify(key))} ${COLON} ${jsonRule(gbnf, "ws")} ${rule}`;
  },
  otherPair(gbnf, keys, value) {
    const rule = value(JSON_SPELLING, "any");
    if (rule === null) return null;
    const key = keys === null ? jsonRule(gbnf, "string") : dfaRule(gbnf, "s-key", keys, QUOTE);
    return `${key} ${COLON} ${jsonRule(gbnf, "ws")} ${rule}`;
  },
  item: (value) => value,
  any: (gbnf) => jsonRule(gbnf, "value"),
};
