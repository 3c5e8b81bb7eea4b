/** Values as models write them, to JSON: what is passed on is what JSON.parse takes. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { jsonText } from "../../../../src/chat/formats/JsonScanner.ts";
import { looseText } from "../../../../src/chat/formats/looseValue.ts";
import { ReplySource } from "../../../../src/chat/formats/ReplySource.ts";
import { objectOf } from "../../../../src/chat/formats/ReplyTrial.ts";
import { argumentSchema, schemaKinds } from "../../../../src/chat/formats/schemaKinds.ts";

/** The value's text, and what is left behind it; null where it is no JSON. */
function scanned(text: string, size = text.length): { readonly json: string; readonly rest: string } | null {
  const source = new ReplySource();
  const reading = jsonText(source);
  for (let at = 0; at < text.length; at += size) {
    source.push(text.slice(at, at + size));
    const { done, value } = reading.next();
    if (done) return value === null ? null : { json: value, rest: source.rest + text.slice(at + size) };
  }
  source.end();
  const { value } = reading.next();
  return typeof value === "string" ? { json: value, rest: source.rest } : null;
}

describe("JSON", () => {
  test("any value comes out as it was written, whatever the split; what stands behind it stays", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(0, 1, 2, "\t"),
        fc.constantFrom(1, 3, 1000),
        (value, indent, size) => {
          const text = JSON.stringify(value, null, indent);
          expect(scanned(`${text}, more`, size)).toEqual({ json: text, rest: ", more" });
          expect(scanned(text, size)).toEqual({ json: text, rest: "" });
        },
      ),
      { numRuns: 500 },
    );
  });

  test("whatever comes, what is called complete can be parsed", () => {
    const soup = fc
      .array(
        fc.constantFrom(
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          '"',
          "\\",
          "\\u00e9",
          "\\d",
          "\n",
          " ",
          "a",
          "1",
          "-",
          ".",
          "e",
          "true",
          "null",
          '"k"',
        ),
        { maxLength: 14 },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(soup, (text) => {
        const found = scanned(text, 1);
        expect(found).toEqual(scanned(text));
        if (found !== null) JSON.parse(found.json);
      }),
      { numRuns: 3000 },
    );
  });

  test("deep nesting is no value, and costs no stack", () => {
    expect(scanned("[".repeat(100_000))).toBeNull();
    expect(looseText("[".repeat(100_000))).toBeNull();
    expect(looseText("{'a':".repeat(100_000))).toBeNull();
  });
});

test.each([
  ["'it''s'", "it''s"],
  ["'a \"b\" \\'c\\' \\n \\x41 \\u00e9 \\d'", "a \"b\" 'c' \n A é \\d"],
  ["'''two\nlines'''", "two\nlines"],
  ['"""a "quoted" word"""', 'a "quoted" word'],
  ["{'a': [1, -2.5e3, True, None], \"b\": ('x', {})}", { a: [1, -2500, true, null], b: ["x", {}] }],
  ["[1, 2,]", [1, 2]],
  ["{1: 2}", { "1": 2 }],
  ['{a:<|"|>x, "y"<|"|>,b:{c:false}}', { a: 'x, "y"', b: { c: false } }],
  ["name", null],
  ["[1, 2", null],
  ["f(1)", null],
])("loosely written: %s", (text, value) => {
  const json = looseText(text);
  expect(json === null ? null : JSON.parse(json)).toEqual(value);
});

describe("kinds that a schema lets through", () => {
  const schema = objectOf({
    $defs: { size: { type: "integer" }, loop: { $ref: "#/$defs/loop" } },
    properties: {
      plain: { type: "string" },
      several: { type: ["integer", "null"] },
      choice: { enum: ["a", 1] },
      fixed: { const: true },
      ways: { anyOf: [{ type: "string" }, { type: "array" }] },
      both: { allOf: [{ type: ["string", "number"] }, { type: ["number", "null"] }] },
      named: { $ref: "#/$defs/size" },
      endless: { $ref: "#/$defs/loop" },
      maybe: { type: "string", nullable: true },
      shape: { properties: {} },
      nothing: {},
    },
  });
  test.each([
    ["plain", ["string"]],
    ["several", ["null", "number"]],
    ["choice", ["number", "string"]],
    ["fixed", ["boolean"]],
    ["ways", ["array", "string"]],
    ["both", ["number"]],
    ["named", ["number"]],
    ["maybe", ["null", "string"]],
    ["shape", ["object"]],
    ["endless", ["array", "boolean", "null", "number", "object", "string"]],
    ["nothing", ["array", "boolean", "null", "number", "object", "string"]],
    ["unknown", ["array", "boolean", "null", "number", "object", "string"]],
  ])("%s", (key, kinds) => {
    expect([...schemaKinds(argumentSchema(schema, key), schema)].sort()).toEqual(kinds as never);
  });
});
