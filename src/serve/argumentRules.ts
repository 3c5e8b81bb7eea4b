/** A call's arguments as its family writes them, held by the tool's schema whatever the spelling. */
import type { ArgumentsFormat, TaggedArguments } from "../chat/CallFormat.ts";
import { type CharSet, charSet, charsOf, complement } from "../grammar/CharSet.ts";
import { both, type Dfa, noneOf, until } from "../grammar/Dfa.ts";
import { charClass, dfaRule, type Gbnf, literal, RAW } from "../grammar/Gbnf.ts";
import { GEMMA_ARGUMENTS } from "../grammar/gemmaSpelling.ts";
import { JSON_SPELLING } from "../grammar/jsonSpelling.ts";
import { patternDfa } from "../grammar/patternDfa.ts";
import { KEYWORD_SPELLING, PYTHON_SPELLING } from "../grammar/pythonSpelling.ts";
import { SchemaCompiler } from "../grammar/SchemaCompiler.ts";
import { SchemaError } from "../grammar/SchemaError.ts";
import { SchemaRoot } from "../grammar/SchemaRoot.ts";
import type { Quote, Spelling, ValueRule } from "../grammar/Spelling.ts";
import { treeSpelling } from "../grammar/treeSpelling.ts";
import { beyondWork, withinWork } from "../grammar/Work.ts";
import type { Json } from "../json/json.ts";

const ANY_OBJECT: Json = new Map([["type", "object"]]);

export interface ArgumentRules {
  /** Body of the arguments, which may match nothing where there are none. */
  readonly body: string;
  /** Places of the schema that allow any value because no grammar holds them. */
  readonly refused: readonly SchemaError[];
}

/** Throws SchemaError for a schema that allows no arguments, or cannot be read at all. */
export function argumentRules(gbnf: Gbnf, format: ArgumentsFormat, schema: Json): ArgumentRules {
  const root = new SchemaRoot(schema);
  const compiler = new SchemaCompiler(gbnf, root, { anyOrder: true, lenient: true });
  const parts = [
    { json: schema, path: "" },
    { json: ANY_OBJECT, path: "" },
  ];
  const body = withinWork(() => compiler.rule(parts, "arguments", spellingOf(format)));
  if (body === null) throw new SchemaError("schema", "", "allows no object");
  return { body, refused: root.refused };
}

/** Of any tool, once for all that a grammar cannot hold: it is counted to none of them. */
export function anyArguments(gbnf: Gbnf, format: ArgumentsFormat): string {
  const spelling = spellingOf(format);
  return gbnf.once(`any ${spelling.name}`, () => {
    const compiler = new SchemaCompiler(gbnf, new SchemaRoot(ANY_OBJECT), {
      anyOrder: true,
      unlimited: true,
    });
    const rule = beyondWork(() => compiler.rule([{ json: ANY_OBJECT, path: "" }], "arguments", spelling));
    return rule ?? '""';
  });
}

const spellings = new WeakMap<ArgumentsFormat, Spelling>();

function spellingOf(format: ArgumentsFormat): Spelling {
  switch (format.kind) {
    case "json":
      return JSON_SPELLING;
    case "pythonic":
      return KEYWORD_ARGUMENTS;
    case "gemma":
      return GEMMA_ARGUMENTS;
    case "tree":
      return treeSpelling(format.mark).arguments;
    case "tagged": {
      const known = spellings.get(format) ?? taggedSpelling(format);
      spellings.set(format, known);
      return known;
    }
  }
}

/** Of objects alone: what stands around their pairs belongs to the call. */
const ARGUMENTS = {
  quotes: [],
  words: { null: [], true: [], false: [] },
  array: () => ({ open: "", close: "", comma: "" }),
  item: (value: string) => value,
  any: () => null,
} as const;

const NAME: CharSet = complement(charSet([...charsOf("=<>\"'(){}[],"), [0, 0x20]]));
const NAMES: Dfa = {
  states: [
    { edges: [{ set: NAME, to: 1 }], accepts: false },
    { edges: [{ set: NAME, to: 1 }], accepts: true },
  ],
};

function names(gbnf: Gbnf, keys: Dfa | null): string {
  return dfaRule(gbnf, "s-key", keys === null ? NAMES : both(keys, NAMES), RAW);
}

const KEYWORD_ARGUMENTS: Spelling = {
  ...ARGUMENTS,
  name: "keyword arguments",
  object: () => ({ open: "", close: "", comma: '"," " "?' }),
  pair(_, key, value) {
    const rule = value(KEYWORD_SPELLING, "any");
    return rule === null ? null : `${literal(`${key}=`)} ${rule}`;
  },
  otherPair(gbnf, keys, value) {
    const rule = value(KEYWORD_SPELLING, "any");
    return rule === null ? null : `${names(gbnf, keys)} "=" ${rule}`;
  },
};

function taggedSpelling(format: TaggedArguments): Spelling {
  const texts = textSpelling(format);
  const isPython = format.words === "python" || format.nested === "python";
  const values = isPython ? [JSON_SPELLING, PYTHON_SPELLING] : [JSON_SPELLING];
  const end = literal(format.valueEnd);
  /** Key end, value and value end. */
  const rest = (gbnf: Gbnf, value: ValueRule): string | null => {
    const ways: string[] = [];
    const text = value(texts ?? JSON_SPELLING, "text");
    if (text !== null) ways.push(`${literal(format.textKeyEnd)} ${text}${texts === null ? ` ${end}` : ""}`);
    const rules = new Set(values.flatMap((spelling) => value(spelling, "other") ?? []));
    if (rules.size > 0) ways.push(`${literal(format.keyEnd)} (${[...rules].join(" | ")}) ${end}`);
    return ways.length === 0 ? null : gbnf.rule("tagged", ways.join(" | "));
  };
  return {
    ...ARGUMENTS,
    name: `tagged ${JSON.stringify(format)}`,
    object: () => ({
      open: "",
      close: "",
      comma: format.separator === "" ? "" : literal(format.separator),
    }),
    pair(gbnf, key, value) {
      const rule = rest(gbnf, value);
      return rule === null ? null : `${literal(format.keyStart + key)} ${rule}`;
    },
    otherPair(gbnf, keys, value) {
      const rule = rest(gbnf, value);
      return rule === null ? null : `${literal(format.keyStart)} ${names(gbnf, keys)} ${rule}`;
    },
  };
}

/** Strings up to and with what closes them; null where they are JSON. */
function textSpelling(format: TaggedArguments): Spelling | null {
  if (format.texts === "json") return null;
  const quotes = [rawQuote("", format.valueEnd)];
  if (format.texts === "cdata") quotes.push(rawQuote("<![CDATA[", "]]>", format.valueEnd));
  const [bare] = quotes;
  return {
    ...JSON_SPELLING,
    name: `text ${JSON.stringify(format)}`,
    quotes,
    any: (gbnf) => (bare === undefined ? null : untilRule(gbnf, format.valueEnd)),
  };
}

function rawQuote(start: string, end: string, behind = ""): Quote {
  return {
    open: start === "" ? "" : literal(start),
    close: literal(end + behind),
    allowed: noneOf(patternDfa(end.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))),
    character: (_, set) => charClass(set),
    write: (text) => [text],
  };
}

/** Any text up to and with `end`. */
export function untilRule(gbnf: Gbnf, end: string): string {
  return gbnf.once(`until ${end}`, () => dfaRule(gbnf, "until", until(end), RAW));
}
