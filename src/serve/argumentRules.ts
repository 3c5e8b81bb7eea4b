/** A call's arguments as its family writes them, held by the tool's schema as far as that form allows. */
import type { ArgumentsFormat, TaggedArguments } from "../chat/CallFormat.ts";
import { compileSchema } from "../grammar/compileSchema.ts";
import { until } from "../grammar/Dfa.ts";
import { dfaRule, type Gbnf, literal } from "../grammar/Gbnf.ts";
import { jsonRule } from "../grammar/jsonRules.ts";
import { PairRules } from "../grammar/PairRules.ts";
import { type TaggedKey, taggedKeys } from "../grammar/taggedKeys.ts";
import type { Json } from "../json/json.ts";

/**
 * The body for arguments of this schema, which may be "" where there are none. Null where the form has no
 * grammar. Throws SchemaError for a schema that has none.
 */
export function argumentRules(gbnf: Gbnf, format: ArgumentsFormat, schema: Json): string | null {
  switch (format.kind) {
    case "json":
      return compileSchema(schema, gbnf).rule;
    case "tagged":
      return pairs(
        gbnf,
        schema,
        literal(format.separator),
        (key) => taggedPair(gbnf, format, key),
        taggedOther(gbnf, format),
      );
    case "pythonic":
      return pairs(
        gbnf,
        schema,
        literal(", "),
        (key) => `${literal(`${key.name}=`)} ${spelledValue(gbnf, key, PYTHON)}`,
        `[a-zA-Z_] [a-zA-Z0-9_]* "=" ${word(gbnf, PYTHON, "py-value")}`,
      );
    case "gemma":
      return pairs(
        gbnf,
        schema,
        literal(","),
        (key) => `${literal(`${key.name}:`)} ${spelledValue(gbnf, key, GEMMA)}`,
        `[a-zA-Z_] [a-zA-Z0-9_]* ":" ${word(gbnf, GEMMA, "ge-value")}`,
        // Its keys come sorted.
        (a, b) => (a.name < b.name ? -1 : 1),
      );
    case "tree":
      return null;
  }
}

function pairs(
  gbnf: Gbnf,
  schema: Json,
  comma: string,
  pair: (key: TaggedKey) => string,
  other: string,
  order?: (a: TaggedKey, b: TaggedKey) => number,
): string {
  const { keys, open } = taggedKeys(schema, gbnf);
  const sorted = order === undefined ? keys : keys.toSorted(order);
  const named = sorted.map((key) => ({ pair: gbnf.rule("argument", pair(key)), required: key.required }));
  const extra = open ? gbnf.rule("argument", other) : null;
  const counts = { propertiesMin: 0, propertiesMax: Number.POSITIVE_INFINITY };
  const rules = new PairRules(gbnf, named, extra, counts, "arguments", comma);
  const inner = rules.inner() ?? "";
  return inner === "" || !rules.mayBeEmpty ? inner : `(${inner})?`;
}

function taggedPair(gbnf: Gbnf, format: TaggedArguments, key: TaggedKey): string {
  const isText = key.types.has("string") && format.texts !== "json";
  const head = literal(format.keyStart + key.name + (isText ? format.textKeyEnd : format.keyEnd));
  const end = literal(format.valueEnd);
  if (isText && key.texts !== null && key.types.size === 1) {
    return `${head} (${key.texts.map(literal).join(" | ")}) ${end}`;
  }
  if (isText) return `${head} ${untilRule(gbnf, format.valueEnd)}`;
  const isPython =
    format.words === "python" ||
    (format.nested === "python" && (key.types.has("array") || key.types.has("object")));
  return `${head} ${isPython ? spelledValue(gbnf, key, PYTHON) : key.json} ${end}`;
}

function taggedOther(gbnf: Gbnf, format: TaggedArguments): string {
  return `${literal(format.keyStart)} [a-zA-Z_] [a-zA-Z0-9_.-]* ${literal(format.textKeyEnd)} ${untilRule(gbnf, format.valueEnd)}`;
}

/** Any text up to and with `end`. */
export function untilRule(gbnf: Gbnf, end: string): string {
  return gbnf.once(`until ${end}`, () => dfaRule(gbnf, "until", until(end), "raw"));
}

/** How a family that is not JSON spells values: rules by type. */
interface Words {
  readonly prefix: string;
  readonly rules: Readonly<Record<string, string>>;
  readonly text: (value: string) => string;
}

const PYTHON: Words = {
  prefix: "py",
  text: (value) => `'${value.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n")}'`,
  rules: {
    "py-value": "py-string | number | py-boolean | py-null | py-array | py-object",
    "py-string": `"'" ([^'\\\\\\n] | "\\\\" [^\\n])* "'" | "\\"" ([^"\\\\\\n] | "\\\\" [^\\n])* "\\""`,
    "py-boolean": '"True" | "False"',
    "py-null": '"None"',
    "py-array": '"[" (py-value (", " py-value)*)? "]"',
    "py-object": '"{" (py-string ": " py-value (", " py-string ": " py-value)*)? "}"',
  },
};

const GEMMA_QUOTE = '<|"|>';
const GEMMA: Words = {
  prefix: "ge",
  text: (value) => GEMMA_QUOTE + value + GEMMA_QUOTE,
  rules: {
    "ge-value": "ge-string | number | ge-boolean | ge-null | ge-array | ge-object",
    "ge-string": `"<|\\"|>" [^<]* "<|\\"|>"`,
    "ge-boolean": '"true" | "false"',
    "ge-null": '"null"',
    "ge-array": '"[" (ge-value ("," ge-value)*)? "]"',
    "ge-object": '"{" (ge-key ":" ge-value ("," ge-key ":" ge-value)*)? "}"',
    "ge-key": "[a-zA-Z_] [a-zA-Z0-9_]*",
  },
};

function spelledValue(gbnf: Gbnf, key: TaggedKey, words: Words): string {
  const { types, texts } = key;
  if (texts !== null && texts.length > 0 && types.size === 1) {
    return `(${texts.map((text) => literal(words.text(text))).join(" | ")})`;
  }
  const names = [...types].map((type) =>
    type === "number" ? jsonRule(gbnf, "number") : word(gbnf, words, `${words.prefix}-${type}`),
  );
  return `(${names.join(" | ")})`;
}

/** Adds a rule with all that it uses. */
function word(gbnf: Gbnf, words: Words, name: string): string {
  const body = words.rules[name];
  if (body === undefined || gbnf.has(name)) return name;
  gbnf.define(name, body);
  jsonRule(gbnf, "number");
  for (const other of Object.keys(words.rules)) if (body.includes(other)) word(gbnf, words, other);
  return name;
}
