/** What a schema may cost is counted: large ones compile soon, or are refused by name, whatever came before them. */
import { describe, expect, test } from "bun:test";
import type { Tool } from "../../../src/chat/Message.ts";
import { SchemaError } from "../../../src/grammar/SchemaError.ts";
import { ENUM_VALUES_MAX } from "../../../src/grammar/Shape.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import { replyGrammar } from "../../../src/serve/replyGrammar.ts";
import { grammarOf } from "../../support/grammar/checkSchema.ts";
import { GrammarMatcher } from "../../support/grammar/GrammarMatcher.ts";
import type { PlainSchema } from "../../support/grammar/makeInstance.ts";
import { processorTime } from "../../support/processorTime.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
/** 3,000 characters, no two of them neighbours. */
const characters = String.fromCodePoint(...numbers(3000).map((i) => 0x4e00 + 2 * i));

/** Far from what the machine at hand takes, and far from what was seen before: seconds to minutes. */
const MS_MAX = 1_000;

describe("compiles soon", () => {
  test.each<[string, PlainSchema, readonly string[], readonly string[]]>([
    ["a thousand numbers", { enum: numbers(1000) }, ["0", "999"], ["1000", "01"]],
    ["ten thousand", { enum: numbers(10_000) }, ["0", "9999", "120"], ["10000", "1.5"]],
    [
      "three thousand texts",
      { enum: numbers(3000).map((i) => `v${(i * 7919) % 3001}`) },
      ['"v0"', '"v3000"'],
      ['"v3001"', '"v"'],
    ],
    [
      "the same enum twice",
      { allOf: [{ enum: numbers(10_000) }, { enum: numbers(5000) }] },
      ["4999"],
      ["5000"],
    ],
    [
      "a pattern beside an enum",
      { pattern: "(a|b)*a(a|b){9}", enum: numbers(200).map((i) => `abbbbbbbbb${i}`) },
      ['"abbbbbbbbb7"'],
      ['"abbbbbbbbb200"'],
    ],
    [
      "a large class, anywhere",
      { type: "string", pattern: `[${characters}]{1,100}` },
      [`"x${characters.slice(0, 3)}"`],
      ['"x"'],
    ],
    [
      "a large class behind a letter",
      { type: "string", pattern: `^x[${characters}]{1,100}$` },
      [`"x${characters.slice(0, 3)}"`],
      ['"x"'],
    ],
  ])("%s", (_, schema, right, wrong) => {
    const spent = processorTime();
    const matcher = new GrammarMatcher(grammarOf(schema));
    expect(spent()).toBeLessThan(MS_MAX);
    for (const text of right) expect([text, matcher.matches(text)]).toEqual([text, true]);
    for (const text of wrong) expect([text, matcher.matches(text)]).toEqual([text, false]);
  });
});

describe("is refused by name, soon, and each time", () => {
  test.each<[string, PlainSchema, string]>([
    ["too many values", { enum: numbers(ENUM_VALUES_MAX + 1) }, "enum"],
    ["a million of them", { enum: numbers(1_000_000) }, "enum"],
    ["too long ones", { enum: [...numbers(500)].map((i) => "x".repeat(9000) + i) }, "enum"],
    ["letters by the thousand", { pattern: `(${Array.from(characters).join("|")}){1,100}` }, "pattern"],
    ["states without end", { pattern: "a.{40}b" }, "pattern"],
    [
      "classes of all Unicode",
      {
        pattern: numbers(26)
          .map((i) => `\\p{Script=${SCRIPTS[i]}}`)
          .join("|"),
      },
      "pattern",
    ],
    [
      "many patterns",
      {
        type: "object",
        properties: Object.fromEntries(
          numbers(300).map((i) => [`k${i}`, { pattern: `^a{${i}}(b|c)*d.{6}$` }]),
        ),
      },
      "",
    ],
  ])("%s", (_, schema, keyword) => {
    const refusals = [1, 2].map(() => {
      const spent = processorTime();
      try {
        grammarOf(schema);
      } catch (error) {
        expect(spent()).toBeLessThan(3 * MS_MAX);
        if (error instanceof SchemaError) return [error.keyword, error.message];
        throw error;
      }
      throw new Error("it was not refused");
    });
    expect(refusals[0]).toEqual(refusals[1]);
    if (keyword !== "") expect(refusals[0]?.[0]).toBe(keyword);
  });
});

const SCRIPTS =
  "Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee".split(
    " ",
  );

describe("numbers and keys as they are written", () => {
  const fits = (schema: PlainSchema, ...texts: readonly string[]) => {
    const matcher = new GrammarMatcher(grammarOf(schema));
    return texts.map((text) => matcher.matches(text));
  };

  test("a space in front of a colon", () => {
    const schema = { type: "object", properties: { a: { enum: [1] }, b: { const: { c: 2 } }, d: {} } };
    expect(fits(schema, '{"a" : 1}', '{"b": {"c" : 2}}', '{"d": {"x" : 1}}', '{"a"  : 1}')).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

test("all tools of a request share one budget, and what is left out is said in a line each", () => {
  const tools = numbers(40).map((i): Tool => {
    const properties = Object.fromEntries(
      numbers(20).map((k) => [`k${k}`, { type: "string", pattern: `^a{${i}}(b|c)*d.{7}${k}$` }]),
    );
    const body = { name: `t${i}`, parameters: { type: "object", properties } };
    const definition = fromPlain({ type: "function", function: body });
    return { name: `t${i}`, definition: definition instanceof Map ? definition : new Map() };
  });
  const said: string[] = [];
  const spent = processorTime();
  const { grammar = "" } = replyGrammar(
    { tools, toolChoice: { type: "required" }, parallelCalls: true },
    { opensReasoning: false, warn: (text) => said.push(text) },
  );
  expect(spent()).toBeLessThan(4 * MS_MAX);
  expect(said.length).toBeGreaterThan(0);
  expect(said.length).toBeLessThanOrEqual(tools.length);
  const matcher = new GrammarMatcher(grammar);
  const call = (name: string, args: string) =>
    `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
  expect([matcher.matches(call("t39", '{"k0": 1}')), matcher.matches(call("t0", '{"k0": 1}'))]).toEqual([
    true,
    false,
  ]);
});
