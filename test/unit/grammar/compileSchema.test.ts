/** What a schema becomes: sizes, what is read as closed, and what is refused by keyword and path. */
import { describe, expect, test } from "bun:test";
import { compileSchema } from "../../../src/grammar/compileSchema.ts";
import { Gbnf } from "../../../src/grammar/Gbnf.ts";
import { SchemaError } from "../../../src/grammar/SchemaError.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import { grammarOf } from "../../support/grammar/checkSchema.ts";
import { GrammarMatcher } from "../../support/grammar/GrammarMatcher.ts";
import type { PlainSchema } from "../../support/grammar/makeInstance.ts";
import { processorTime } from "../../support/processorTime.ts";

function fits(schema: PlainSchema): (text: string) => boolean {
  const matcher = new GrammarMatcher(grammarOf(schema));
  return (text) => matcher.matches(text);
}

function refusal(schema: PlainSchema): SchemaError {
  try {
    grammarOf(schema);
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("what is refused, by keyword and path", () => {
  test.each<[string, PlainSchema, string, string]>([
    ["a million values", { enum: Array.from({ length: 1_000_000 }, (_, i) => i) }, "enum", "/enum"],
    [
      "5,000 keys",
      { required: Array.from({ length: 5_000 }, (_, i) => `v${i}`) },
      "properties",
      "/properties",
    ],
    [
      "a negation",
      { type: "object", properties: { a: { not: { type: "null" } } } },
      "not",
      "/properties/a/not",
    ],
    ["a condition", { if: { type: "string" }, else: { minLength: 1 } }, "if", "/if"],
    ["dependent keys", { dependentRequired: { a: ["b"] } }, "dependentRequired", "/dependentRequired"],
    ["a dynamic reference", { items: { $dynamicRef: "#n" } }, "$dynamicRef", "/items/$dynamicRef"],
    [
      "a value that holds another of its own",
      {
        $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] } },
        $ref: "#/$defs/a",
      },
      "$ref",
      "/$defs/a/properties/a",
    ],
    [
      "two that hold each other",
      {
        $defs: {
          a: { type: "array", minItems: 1, items: { $ref: "#/$defs/b" } },
          b: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] },
        },
        properties: { x: { $ref: "#/$defs/a" } },
      },
      "$ref",
      "/$defs/a/items",
    ],
    ["a reference that leads nowhere", { items: { $ref: "#/$defs/x" } }, "$ref", "/items/$ref"],
    ["a reference to elsewhere", { $ref: "https://example.com/s.json" }, "$ref", "/$ref"],
    ["a pattern that refers back", { pattern: "^(a)\\1$" }, "pattern", "/pattern"],
    ["a pattern with a word border", { pattern: "\\bfoo\\b" }, "pattern", "/pattern"],
    ["a pattern that looks behind", { pattern: "(?<=a)b" }, "pattern", "/pattern"],
    ["a pattern that does not parse", { pattern: "^[a" }, "pattern", "/pattern"],
    ["a pattern of too many states", { pattern: "^([a-z]{1,60}\\.){1,60}$" }, "pattern", "/pattern"],
    ["a key pattern", { patternProperties: { "(": {} } }, "patternProperties", "/patternProperties"],
    [
      "a type that is none",
      { type: "object", properties: { "a/b": { type: "file" } } },
      "type",
      "/properties/a~1b/type",
    ],
    ["a bound that is no number", { minimum: "1" }, "minimum", "/minimum"],
    ["a length that is no count", { minLength: 1.5 }, "minLength", "/minLength"],
    ["choices that are no list", { anyOf: {} }, "anyOf", "/anyOf"],
    ["a schema that is a number", { items: 5 }, "schema", "/items"],
    ["no value at all", false, "schema", ""],
    ["bounds without a number between", { type: "integer", minimum: 5, maximum: 4 }, "schema", ""],
    ["an endless reference", { $ref: "#", not: { type: "null" } }, "not", "/not"],
    [
      "too many combinations",
      { allOf: Array.from({ length: 9 }, () => ({ anyOf: [{ minimum: 1 }, { maximum: 9 }] })) },
      "anyOf",
      "/allOf/0/anyOf",
    ],
    [
      "a multiple with too many remainders",
      { multipleOf: 12345.6789, type: "number" },
      "multipleOf",
      "/multipleOf",
    ],
  ])("%s", (_, schema, keyword, path) => {
    const error = refusal(schema);
    expect([error.keyword, error.path]).toEqual([keyword, path]);
  });

  test("a schema that refers to itself and nothing else allows anything", () => {
    expect(fits({ $ref: "#" })("[1]")).toBe(true);
  });
});

test("keywords that are not held are named, the others are held", () => {
  const gbnf = new Gbnf();
  const schema = {
    type: "array",
    uniqueItems: true,
    contains: { const: 1 },
    items: { type: "integer" },
    maxItems: 3,
  };
  const compiled = compileSchema(fromPlain(schema), gbnf);
  expect(compiled.relaxed).toEqual([
    { keyword: "uniqueItems", path: "/uniqueItems" },
    { keyword: "contains", path: "/contains" },
  ]);
  gbnf.define("root", compiled.rule);
  const matcher = new GrammarMatcher(gbnf.text());
  expect(["[1, 1, 1]", "[1, 1, 1, 1]", '["a"]'].map((text) => matcher.matches(text))).toEqual([
    true,
    false,
    false,
  ]);
});

describe("huge counts stay small, and exact", () => {
  test.each<[string, PlainSchema, (count: number) => string, number, number]>([
    ["maxLength", { type: "string", maxLength: 65_536 }, (n) => JSON.stringify("é".repeat(n)), 0, 65_536],
    [
      "minLength",
      { type: "string", minLength: 3000, maxLength: 5000 },
      (n) => JSON.stringify("x".repeat(n)),
      3000,
      5000,
    ],
    [
      "a class and maxLength",
      { type: "string", pattern: "^[a-z]+$", maxLength: 10_000 },
      (n) => JSON.stringify("q".repeat(n)),
      1,
      10_000,
    ],
    [
      "a pattern's own count",
      { type: "string", pattern: "^[\\s\\S]{1,8000}$" },
      (n) => JSON.stringify("q".repeat(n)),
      1,
      8000,
    ],
    [
      "maxItems",
      { type: "array", items: { const: 1 }, maxItems: 10_000 },
      (n) => JSON.stringify(Array(n).fill(1)),
      0,
      10_000,
    ],
  ])("%s", (_, schema, make, least, most) => {
    const grammar = grammarOf(schema);
    expect(grammar.length).toBeLessThan(2000);
    const matcher = new GrammarMatcher(grammar);
    for (const count of [least, least + 1, most - 1, most, least + 700])
      expect(matcher.matches(make(count))).toBe(true);
    for (const count of [least - 1, most + 1])
      if (count >= 0) expect(matcher.matches(make(count))).toBe(false);
  });

  test("beyond what anybody writes there is no maximum", () => {
    expect(grammarOf({ type: "string", maxLength: 2 ** 31 }).length).toBeLessThan(1000);
  });
});

describe("what is not said is closed", () => {
  test("keys beside properties, unless the schema speaks of others", () => {
    const properties = { a: { type: "integer" } };
    expect(fits({ type: "object", properties })('{"a": 1, "b": 2}')).toBe(false);
    expect(fits({ type: "object", properties, additionalProperties: true })('{"a": 1, "b": 2}')).toBe(true);
    expect(fits({ type: "object" })('{"b": 2}')).toBe(true);
  });

  test("items behind a tuple", () => {
    expect(fits({ prefixItems: [{ type: "integer" }] })("[1, 2]")).toBe(false);
    expect(fits({ prefixItems: [{ type: "integer" }], items: true })("[1, 2]")).toBe(true);
  });

  test("a schema without a type is of the type that its keywords are about", () => {
    expect(fits({ properties: { a: {} } })("5")).toBe(false);
    expect(fits({ minLength: 1 })('"x"')).toBe(true);
    expect(fits({ description: "anything" })("[5]")).toBe(true);
  });
});

test("values within themselves that may end are held", () => {
  const $defs = {
    list: {
      type: "object",
      properties: { next: { anyOf: [{ $ref: "#/$defs/list" }, { $ref: "#/$defs/tree" }, { type: "null" }] } },
      required: ["next"],
    },
    tree: {
      type: "object",
      properties: { of: { type: "array", items: { $ref: "#/$defs/tree" } }, l: { $ref: "#/$defs/list" } },
      required: ["of"],
    },
  };
  const is = fits({ $defs, $ref: "#/$defs/list" });
  expect(is('{"next": {"next": null}}')).toBe(true);
  expect(is('{"next": {"of": [{"of": [], "l": {"next": null}}]}}')).toBe(true);
  expect(is('{"next": {}}')).toBe(false);
});

test("keys come in the schema's order, then others; none twice", () => {
  const is = fits({
    type: "object",
    properties: { a: {}, b: {} },
    required: ["b"],
    additionalProperties: true,
  });
  expect(is('{"a": 1, "b": 2, "c": 3}')).toBe(true);
  expect(is('{"b": 2}')).toBe(true);
  expect(is('{"b": 2, "a": 1}')).toBe(false);
  expect(is('{"a": 1}')).toBe(false);
  expect(is('{"a": 1, "b": 2, "a": 3}')).toBe(false);
  expect(is('{"a": 1, "b": 2, "\\u0061": 3}')).toBe(false);
});

test("white space as any client writes it, but not without end", () => {
  const is = fits({ type: "object", properties: { a: { type: "array", items: {} } } });
  for (const indent of [0, 1, 2, 4, "\t"])
    expect(is(JSON.stringify({ a: [1, { b: [] }] }, null, indent))).toBe(true);
  expect(is(`{${" ".repeat(3)}"a":[]}`)).toBe(false);
});

test("a hundred tools' worth of keys compile in no time", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`key_${i}`, { type: "string" }]),
  );
  const used = processorTime();
  const matcher = new GrammarMatcher(grammarOf({ type: "object", properties }));
  expect(matcher.matches('{"key_7": "x", "key_299": "y"}')).toBe(true);
  expect(used()).toBeLessThan(1000);
});
