/** The rules of JSON itself. White space is bounded: a model that likes it must not get lost in it. */
import type { Gbnf } from "./Gbnf.ts";

const RULES: Readonly<Record<string, string>> = {
  ws: '(" " | "\\n" [ \\t]{0,20})?',
  value: "object | array | string | number | boolean | null",
  object: '"{" ws (pair ("," ws pair)* ws)? "}"',
  pair: 'string " "? ":" ws value',
  array: '"[" ws (value ("," ws value)* ws)? "]"',
  string: '"\\"" char* "\\""',
  char: '[^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" unit)',
  // Surrogates come in pairs, which are one character.
  unit: '([0-9a-cA-CefEF] hex | [dD] [0-7]) hex hex | [dD] [89abAB] hex hex "\\\\u" [dD] [c-fC-F] hex hex',
  hex: "[0-9a-fA-F]",
  number: '"-"? ("0" | [1-9] [0-9]{0,20}) ("." [0-9]{1,24})? ([eE] [-+]? [12]? [0-9]{1,2})?',
  integer: '"-"? ("0" | [1-9] [0-9]{0,15})',
  boolean: '"true" | "false"',
  null: '"null"',
};

/** Adds the rule of this name with all that it uses; gives the name. */
export function jsonRule(gbnf: Gbnf, name: keyof typeof RULES & string): string {
  const body = RULES[name] ?? "";
  if (gbnf.has(name)) return name;
  gbnf.define(name, body);
  for (const word of body.replace(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]/g, " ").match(/[a-z][a-z-]*/g) ??
    []) {
    if (word in RULES) jsonRule(gbnf, word);
  }
  return name;
}
