/** Values as JSON. White space is the model's to choose, within bounds. */
import { dfaRule, type Gbnf, jsonCharacter, literal } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import type { Quote, Spelling } from "./Spelling.ts";

/** Some templates, and the models taught by them, escape all that is not ASCII. */
function written(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return ascii === plain ? [plain] : [plain, ascii];
}

function keyBody(key: string): string {
  const ways = written(key).map((text) => literal(`"${text}"`));
  return ways.length === 1 ? (ways[0] ?? "") : `(${ways.join(" | ")})`;
}

const QUOTE: Quote = {
  open: literal('"'),
  close: literal('"'),
  allowed: null,
  character: jsonCharacter,
  write: written,
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
    return rule === null ? null : `${keyBody(key)} ${COLON} ${jsonRule(gbnf, "ws")} ${rule}`;
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
