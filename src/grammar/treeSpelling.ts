/** Values as tags by their own names, each behind one mark (MiniMax-M3): `mark<k>value mark</k>`, `mark<item>`. */
import { type CharSet, charSet, charsOf, complement } from "./CharSet.ts";
import { both, type Dfa, noneOf } from "./Dfa.ts";
import { charClass, dfaRule, type Gbnf, literal, RAW } from "./Gbnf.ts";
import { patternDfa } from "./patternDfa.ts";
import type { Quote, Spelling } from "./Spelling.ts";

const KEY: CharSet = complement(charSet([...charsOf("<>/\"'"), [0, 0x20]]));
const KEYS: Dfa = {
  states: [
    { edges: [{ set: KEY, to: 1 }], accepts: false },
    { edges: [{ set: KEY, to: 1 }], accepts: true },
  ],
};

const known = new Map<string, { readonly value: Spelling; readonly arguments: Spelling }>();

/** `arguments` is for a call's own, which are objects alone. */
export function treeSpelling(mark: string): { readonly value: Spelling; readonly arguments: Spelling } {
  const made = known.get(mark) ?? make(mark);
  known.set(mark, made);
  return made;
}

function make(mark: string): { readonly value: Spelling; readonly arguments: Spelling } {
  const escaped = mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const quote: Quote = {
    open: "",
    close: '""',
    allowed: noneOf(patternDfa(`${escaped}<`)),
    character: (_, set) => charClass(set),
    write: (text) => [text],
  };
  const none = { open: "", close: "", comma: "" };
  const value: Spelling = {
    name: `tree ${mark}`,
    quotes: [quote],
    words: { null: ["null"], true: ["true"], false: ["false"] },
    object: () => none,
    array: () => none,
    pair(_, key, rule) {
      const inner = rule(value, "any");
      return inner === null ? null : `${literal(`${mark}<${key}>`)} ${inner} ${literal(`${mark}</${key}>`)}`;
    },
    otherPair(gbnf, keys, rule) {
      const inner = rule(value, "any");
      const key = dfaRule(gbnf, "s-key", keys === null ? KEYS : both(keys, KEYS), RAW);
      return inner === null
        ? null
        : `${literal(`${mark}<`)} ${key} ">" ${inner} ${literal(`${mark}</`)} ${key} ">"`;
    },
    item: (inner) => `${literal(`${mark}<item>`)} ${inner} ${literal(`${mark}</item>`)}`,
    any: (gbnf) => anyValue(gbnf, mark, quote),
  };
  return { value, arguments: { ...value, name: `${value.name} arguments`, quotes: [], any: () => null } };
}

function anyValue(gbnf: Gbnf, mark: string, quote: Quote): string {
  return gbnf.once(`tree value ${mark}`, () => {
    const value = gbnf.fresh("tree-value");
    const key = `${charClass(KEY)} ${charClass(KEY)}* ">"`;
    const pair = gbnf.rule(
      "tree-pair",
      `${literal(`${mark}<`)} ${key} ${value} ${literal(`${mark}</`)} ${key}`,
    );
    const text = dfaRule(gbnf, "tree-text", quote.allowed ?? KEYS, quote);
    return gbnf.define(value, `${text} | ${pair} ${pair}*`);
  });
}
