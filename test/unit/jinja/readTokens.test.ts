/** The lexer: white space control tag by tag, raw blocks, Python's numbers and strings, and what has no end. */
import { describe, expect, test } from "bun:test";
import { readTokens } from "../../../src/jinja/readTokens.ts";

const texts = (source: string) =>
  readTokens(source)
    .filter(({ type }) => type === "Text")
    .map(({ value }) => value);
const inside = (source: string) => readTokens(`{{ ${source} }}`).slice(1, -1);

describe("white space", () => {
  test("a statement alone on its line leaves nothing of it; + keeps it, - takes all", () => {
    expect(texts("a\n  {% if x %}\nb")).toEqual(["a\n", "b"]);
    expect(texts("a\n  {%+ if x +%}\nb")).toEqual(["a\n  ", "\nb"]);
    expect(texts("a\n  {%- if x -%}\n\n b")).toEqual(["a", "b"]);
  });

  test("an expression keeps both, and lines may end as on Windows", () => {
    expect(texts("a\r\n  {{ x }}\r\nb\r\n")).toEqual(["a\n  ", "\nb"]);
  });

  test("the indent of a statement behind another on one line is text", () => {
    expect(texts("{% if x %}  {% if y %}")).toEqual(["  "]);
  });
});

test("a raw block is text, whatever it holds", () => {
  expect(texts("{% raw %}{{ a }}{%- b %}{% endraw %}c")).toEqual(["{{ a }}{%- b %}", "c"]);
});

test("an end of a tag inside a string, or of an object, ends nothing", () => {
  expect(inside("'%}' ~ {'a': {'b': 1}}").map(({ value }) => value)).toEqual([
    "%}",
    "~",
    "{",
    "a",
    ":",
    "{",
    "b",
    ":",
    "1",
    "}",
    "}",
  ]);
});

test.each([
  ["1_000", "1000"],
  ["0x1F", "31"],
  ["0b101", "5"],
  ["1e3", "1.0e3"],
  ["-2.5", "-2.5"],
  ["12345678901234567890", "12345678901234567890"],
])("the number %s", (source, value) => {
  expect(inside(source)).toEqual([{ type: "NumericLiteral", value }]);
});

test("an index behind a dot is no float", () => {
  expect(inside("a.0.1").map(({ value }) => value)).toEqual(["a", ".", "0", ".", "1"]);
});

test("escapes as Python's; an unknown one stays", () => {
  expect(inside(String.raw`'\n\x41\u00e9\U0001F600\101\d\''`)).toEqual([
    { type: "StringLiteral", value: "\nAé😀A\\d'" },
  ]);
});

test.each(["{{ a", "{% if", "{# a", "{{ 'a }}", "{% raw %}a", "{{ '\\x4' }}", "{{ a ? b }}"])(
  "%s is refused",
  (source) => {
    expect(() => readTokens(source)).toThrow(SyntaxError);
  },
);
