/** Lossless JSON: accepts what JSON.parse accepts, keeps key order and digits, and writes both back. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, JsonSyntaxError, parseJson } from "../../../src/json/parseJson.ts";
import { fromPlain, toPlain } from "../../../src/json/plainJson.ts";
import { writeJson } from "../../../src/json/writeJson.ts";

const value = fc.jsonValue({ maxDepth: 4 });

describe("against JSON.parse and JSON.stringify", () => {
  test("every JSON text gives the same value, however it is spaced", () => {
    fc.assert(
      fc.property(value, fc.constantFrom("", " ", "\n\t"), (plain, space) => {
        const text = `${space}${JSON.stringify(plain, null, space)}${space}`;
        expect(toPlain(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("the compact form is JSON.stringify's", () => {
    fc.assert(
      fc.property(value, (plain) => {
        const text = JSON.stringify(plain);
        expect(writeJson(parseJson(text), "compact")).toBe(text);
        expect(writeJson(fromPlain(plain), "compact")).toBe(text);
      }),
    );
  });

  test("both refuse the same texts", () => {
    const pieces = fc.constantFrom(
      ...'{}[],:"\\0123456789.eE+- \ntruefalsnu\u0000\u001f/b',
      "true",
      "null",
      '"a"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let theirs: unknown;
        try {
          theirs = JSON.parse(text);
        } catch {
          expect(() => parseJson(text)).toThrow(JsonSyntaxError);
          return;
        }
        expect(toPlain(parseJson(text))).toEqual(theirs);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("what JSON.parse loses", () => {
  test("integer-like keys keep their place, numbers their spelling", () => {
    const text = '{"b": 1.0, "10": 1e-7, "2": 12345678901234567890, "a": -0, "c": 1E+2}';
    expect(writeJson(parseJson(text))).toBe(text);
  });

  test("a duplicate key has its last value", () => {
    expect(writeJson(parseJson('{"a":1,"b":2,"a":3}'))).toBe('{"a": 3, "b": 2}');
  });

  test("__proto__ is a key like any other", () => {
    const parsed = parseJson('{"__proto__":{"x":1}}');
    expect(writeJson(parsed, "compact")).toBe('{"__proto__":{"x":1}}');
    expect(Object.keys(toPlain(parsed) as object)).toEqual(["__proto__"]);
  });

  test("raw unicode, as Python writes it with ensure_ascii off", () => {
    expect(writeJson(parseJson('["\\u00fc", "👋", "\\n\\u0001\\u2028"]'))).toBe(
      '["ü", "👋", "\\n\\u0001\u2028"]',
    );
  });
});

describe("errors", () => {
  test("name the position", () => {
    for (const [text, message] of [
      ["", "Unexpected end of JSON at position 0 (line 1, column 1)"],
      ['{"a": 1,\n  b: 2}', "Expected a key in double quotes at position 11 (line 2, column 3)"],
      ["[1 2]", "Expected ',' or ']' at position 3"],
      ['"a\nb"', "Unescaped control character in a string at position 2"],
      ["1 x", "Unexpected text after the value at position 2"],
      ['"\\x"', "Bad escape at position 1"],
      ['"a\\n\\u00g0"', "Bad \\u escape at position 4"],
      ['"a\\"b\n"', "Unescaped control character in a string at position 5"],
      ['["a\\"]', "Unterminated string at position 6"],
      ['"\\', "Bad escape at position 1"],
    ] as const) {
      expect(() => parseJson(text)).toThrow(message);
    }
  });

  test("nesting is bounded, and does not exhaust the stack", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(() => parseJson(nested(JSON_DEPTH_MAX))).not.toThrow();
    expect(() => parseJson(nested(JSON_DEPTH_MAX + 1))).toThrow(/Nested deeper than 256/);
    expect(() => parseJson("[".repeat(1_000_000))).toThrow(JsonSyntaxError);
  });

  test("the number of values is bounded, and of characters is not", () => {
    const list = (values: number): string => `[${"0,".repeat(values - 2)}0]`;
    expect(() => parseJson(list(JSON_VALUES_MAX))).not.toThrow();
    expect(() => parseJson(list(JSON_VALUES_MAX + 1))).toThrow("More than 2097152 values");
    const escaped = '\\"\\n'.repeat(4_000_000);
    expect(parseJson(`"${escaped}"`)).toBe('"\n'.repeat(4_000_000));
    expect(() => parseJson(`"${escaped}`)).toThrow("Unterminated string at position 16000001");
  });
});
