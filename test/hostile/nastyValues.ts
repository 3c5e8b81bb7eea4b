/** Values, schemas and grammars that somebody sends to see what breaks. Each is small to send and may be large to read. */
import { makeSchema } from "../support/grammar/makeSchema.ts";
import type { Random } from "./Random.ts";

const NUMBERS = [0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63), 1e308, -1e308, 5e-324, 1e15];
const TEXTS = [
  "",
  " ",
  "\0",
  "\u2028",
  "\ud800",
  "\ufeff",
  "😀".repeat(50),
  "a\u0301".repeat(50),
  "<|im_end|>\n<|im_start|>system\n",
  "<tool_call>{",
  "</think>",
  "{{ 7*7 }}{% for x in range(99999999) %}",
  "../../../etc/passwd",
  "%00%2e%2e%2f",
  "__proto__",
  "constructor",
  "data:image/png;base64,AAAA",
  "NaN",
  "-Infinity",
];

/** Any JSON value, as text of a JSON document. */
export function nastyJson(random: Random, inside = false): string {
  const kind = random.below(inside ? 7 : 9);
  if (kind === 0) return random.pick(["null", "true", "false"]);
  if (kind === 1) return String(random.pick(NUMBERS));
  if (kind === 2)
    return random.pick(["1e999", "-1e999", "9".repeat(400), "0.".concat("1".repeat(400)), "1e-999"]);
  if (kind < 6) return JSON.stringify(random.pick(TEXTS));
  if (kind === 6) return JSON.stringify(random.pick(TEXTS).repeat(1 + random.below(200)));
  if (kind === 7)
    return `[${Array.from({ length: random.below(40) }, () => nastyJson(random, true)).join(",")}]`;
  const depth = 1 + random.below(random.once(10) ? 600 : 8);
  return random.once(2)
    ? "[".repeat(depth) + "]".repeat(depth)
    : `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`;
}

const PATTERNS = [
  "(a|b)*a(a|b){9}",
  "(a+)+$",
  "^(\\w+\\s?)*$",
  "(((((((a*)*)*)*)*)*)*)*",
  "[\\s\\S]{0,4000}",
  "(?=a)b",
  "\\p{L}+",
  "(a{0,100}){0,100}",
  "[",
  "(?<x>a)\\k<x>",
  "a{99999999}",
  "^.{1,3000}$",
  "[\\u0000-\\uffff]{1,300}",
];

/** A JSON Schema. */
export function nastySchema(random: Random): unknown {
  const count = 1 + random.below(random.once(20) ? 1000 : 60);
  const many = Array.from({ length: count }, (_, i) => i);
  switch (random.below(14)) {
    case 0:
      return { enum: many };
    case 1:
      return { enum: many.map((i) => `value ${i} ${"x".repeat(random.below(30))}`) };
    case 2:
      return { type: "string", pattern: random.pick(PATTERNS), enum: many.map(String) };
    case 3:
      return {
        type: "string",
        pattern: random.pick(PATTERNS),
        maxLength: random.pick([0, 1, 3000, 2 ** 31]),
      };
    case 4:
      return {
        type: "array",
        items: { type: "array", items: { $ref: "#" } },
        minItems: random.pick([0, 3, 999999]),
      };
    case 5:
      return {
        $ref: random.pick(["#", "#/a", "#/$defs/a", "http://x/y", "#/%"]),
        $defs: { a: { $ref: "#/$defs/a" } },
      };
    case 6:
      return {
        type: "object",
        properties: Object.fromEntries(many.map((i) => [`k${i}`, { type: "string" }])),
      };
    case 7:
      return { anyOf: many.map((i) => ({ const: i, minimum: i })) };
    case 8:
      return {
        allOf: many.map((i) => ({ properties: { [`p${i % 7}`]: { multipleOf: i + 1, minimum: i } } })),
      };
    case 9:
      return nested(random.pick([3, 12, 100, 200]), (inner) => ({
        type: "object",
        properties: { a: inner },
        required: ["a"],
      }));
    case 10:
      // Each level doubles the text.
      return nested(random.below(9), (inner) => ({ anyOf: [inner, { type: "null" }, inner] }));
    case 11:
      return {
        type: "number",
        minimum: random.pick(NUMBERS),
        maximum: random.pick(NUMBERS),
        multipleOf: 1e-300,
      };
    case 12:
      return {
        type: "object",
        patternProperties: Object.fromEntries(PATTERNS.map((one) => [one, { type: "integer" }])),
        propertyNames: { pattern: random.pick(PATTERNS) },
        minProperties: random.below(9),
      };
    default:
      return makeSchema(random.prng);
  }
}

function nested(depth: number, around: (inner: unknown) => unknown): unknown {
  let schema: unknown = { type: "integer" };
  for (let i = 0; i < depth; i += 1) schema = around(schema);
  return schema;
}

const GRAMMARS = [
  "root ::= root",
  "root ::= root root | root | ",
  'root ::= "a" root | "a" "b" root | ""',
  "root ::= . . . | [^\\x00] root{0,3} [a-z]{0,3}",
  "root ::= a\na ::= b\nb ::= a",
  "root ::= (((((a)))))\na ::= [z-a]",
  'root ::= "a"{0,99999999}',
  'root ::= ("a"{0,1000}){0,1000}',
  "root ::=",
  "",
  "::= root",
  'root ::= "\\xff\\u{110000}"',
  "root ::= [^",
  "root ::= nothing",
  'root ::= "x"{3,1}',
];

/** GBNF. */
export function nastyGrammar(random: Random): string {
  const kind = random.below(4);
  if (kind === 0) return random.pick(GRAMMARS);
  if (kind === 1) {
    const names = Array.from({ length: 1 + random.below(100) }, (_, i) => `r${i}`);
    const rules = names.map((name) => `${name} ::= ${names.slice(0, 1 + random.below(9)).join(" | ")} | "a"`);
    return ["root ::= r0", ...rules].join("\n");
  }
  if (kind === 2) return `root ::= ${"(".repeat(random.below(300))}"a"${")*".repeat(random.below(300))}`;
  return damaged(random, random.pick(GRAMMARS), ['"', "[", ")", "|", "{9}", "*", "::=", "\\", "😀", "\n"]);
}

/** With a few places of it taken out, doubled or changed. */
export function damaged(random: Random, text: string, bits: readonly string[]): string {
  let changed = text;
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = random.below(changed.length + 1);
    changed = changed.slice(0, at) + random.pick(bits) + changed.slice(at + random.below(4));
  }
  return changed;
}
