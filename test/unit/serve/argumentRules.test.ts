/** A call's arguments in each family's own spelling: held to the schema at any depth, in any order. */
import { describe, expect, test } from "bun:test";
import type { ArgumentsFormat, TaggedArguments } from "../../../src/chat/CallFormat.ts";
import { Gbnf } from "../../../src/grammar/Gbnf.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import { argumentRules } from "../../../src/serve/argumentRules.ts";
import { GrammarMatcher } from "../../support/grammar/GrammarMatcher.ts";

function fits(format: ArgumentsFormat, schema: object | string): (text: string) => boolean {
  const gbnf = new Gbnf();
  gbnf.define("root", "");
  const json = typeof schema === "string" ? parseJson(schema) : fromPlain(schema);
  gbnf.define("root", argumentRules(gbnf, format, json).body);
  const matcher = new GrammarMatcher(gbnf.text());
  return (text) => matcher.matches(text);
}

const JSON_FORM: ArgumentsFormat = { kind: "json" };
const GEMMA: ArgumentsFormat = { kind: "gemma" };
const PYTHONIC: ArgumentsFormat = { kind: "pythonic" };
const TREE: ArgumentsFormat = { kind: "tree", mark: "~" };
/** Qwen3.5, Qwen3-Coder, Nemotron 3, StepFun. */
const CODER: TaggedArguments = {
  kind: "tagged",
  keyStart: "<parameter=",
  textKeyEnd: ">\n",
  keyEnd: ">\n",
  valueEnd: "\n</parameter>\n",
  separator: "",
  texts: "raw",
  nested: "json",
  words: "python",
};
const CDATA: TaggedArguments = {
  ...CODER,
  keyStart: '<param name="',
  textKeyEnd: '">',
  keyEnd: '">',
  valueEnd: "</param>",
  texts: "cdata",
  nested: "python",
};

/** Texts, and whether each fits. */
function expectEach(is: (text: string) => boolean, right: readonly string[], wrong: readonly string[]): void {
  for (const text of right) expect([text, is(text)]).toEqual([text, true]);
  for (const text of wrong) expect([text, is(text)]).toEqual([text, false]);
}

describe("Gemma's strings and keys", () => {
  const text = { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } };

  test("anything up to the closing mark", () => {
    const q = '<|"|>';
    expectEach(
      fits(GEMMA, text),
      [
        `content:${q}if (a < b) { "x" }${q}`,
        `content:${q}<div><|channel${q},path:${q}<${q}`,
        `content:${q}a\n\\ <|" <|"| ${q}`,
        `path:${q}${q}`,
      ],
      [`content:${q}a${q}b${q}`, `content:a`, `content:${q}a`],
    );
  });

  test("nested keys of any characters, unsorted, bare or quoted", () => {
    const schema = {
      type: "object",
      properties: {
        headers: {
          type: "object",
          properties: { "Content-Type": { type: "string" }, "x y": { type: "integer" } },
        },
        free: { type: "object" },
        a: { type: "integer" },
      },
    };
    expectEach(
      fits(GEMMA, schema),
      [
        'headers:{x y:1,Content-Type:<|"|>a<|"|>},a:1',
        'a:1,headers:{<|"|>Content-Type<|"|>:<|"|>a<|"|>}',
        'free:{X-Id:1,b.c:[true,None,{d:<|"|>e<|"|>}]}',
        "free:{}",
      ],
      ['headers:{x y:<|"|>1<|"|>}', "headers:{z:1}", "a:1,a:2", "free:{:1}"],
    );
  });
});

describe("arguments that are no strings keep to their schema", () => {
  const schema = {
    type: "object",
    properties: {
      urgent: { type: "boolean" },
      count: { type: "integer", minimum: 1, maximum: 100 },
      mode: { enum: ["fast", "slow"] },
      level: { enum: [1, 2, null] },
      place: {
        type: "object",
        properties: { lat: { type: "number" }, kind: { enum: ["a", "b"] } },
        required: ["lat"],
        additionalProperties: false,
      },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, maxItems: 2 },
      note: { type: ["string", "null"] },
    },
    required: ["count"],
  };
  const one = (key: string, value: string) =>
    `<parameter=count>\n5\n</parameter>\n<parameter=${key}>\n${value}\n</parameter>\n`;

  test("between tags: JSON, spaced or compact, or Python's words", () => {
    expectEach(
      fits(CODER, schema),
      [
        one("urgent", "false"),
        one("urgent", "False"),
        one("mode", "fast"),
        one("level", "2"),
        one("level", "None"),
        one("place", '{"lat":1.5,"kind":"a"}'),
        one("place", '{"kind": "b", "lat": 1.5}'),
        one("place", "{'lat': 1.5}"),
        one("tags", '["ab", "c"]'),
        one("tags", "[]"),
        one("note", "any </para\nmeter>"),
        one("note", "null"),
        "<parameter=count>\n100\n</parameter>\n",
      ],
      [
        one("urgent", "no"),
        one("mode", "medium"),
        one("mode", '"fast"'),
        one("level", "3"),
        one("place", '{"kind": "a"}'),
        one("place", '{"lat": "1"}'),
        one("place", '{"lat": 1, "kind": "c"}'),
        one("place", '{"lat": 1, "x": 2}'),
        one("tags", '["ab", "c", "d"]'),
        one("tags", '["A"]'),
        one("other", "x"),
        one("count", "6"),
        "<parameter=count>\n99.5\n</parameter>\n",
        "<parameter=count>\n101\n</parameter>\n",
        "<parameter=urgent>\ntrue\n</parameter>\n",
      ],
    );
  });

  test("bounds of strings between tags", () => {
    const is = fits(CODER, {
      properties: {
        id: { type: "string", pattern: "^[A-Z]{2}\\d+$" },
        short: { type: "string", minLength: 2, maxLength: 4 },
        either: { anyOf: [{ const: "auto" }, { type: "integer", minimum: 0 }] },
        long: { type: "string", maxLength: 4000 },
      },
    });
    const alone = (key: string, value: string) => `<parameter=${key}>\n${value}\n</parameter>\n`;
    expectEach(
      is,
      [
        alone("id", "AB1"),
        alone("short", "<\n/x"),
        alone("either", "auto"),
        alone("either", "7"),
        alone("long", "x".repeat(4000)),
        "",
      ],
      [
        alone("id", "ab1"),
        alone("short", "x"),
        alone("short", "12345"),
        alone("either", "-1"),
        alone("either", "manual"),
        alone("long", "x".repeat(4001)),
      ],
    );
  });

  test("keyword arguments, as they are rendered and as Python prints them", () => {
    const call = {
      type: "object",
      properties: { s: { type: "string" }, o: {}, l: { type: "array", items: { type: "integer" } } },
    };
    expectEach(
      fits(PYTHONIC, call),
      [
        "s='it's \"so\"\nand < so'",
        's="a\\"b"',
        'o={"a": true, "b": [null, "x\\n"]}, s=\'x\'',
        "o={'a': True, 'b': (None)}".replace("(None)", "None"),
        "l=[1, 2]",
        "l=[1,2], o=None",
      ],
      ["l=['1']", "s=5", "l=[1], l=[2]", "x=1", "s='a', b='c'"],
    );
  });

  test("CDATA and Python's lists", () => {
    const call = {
      type: "object",
      properties: { s: { type: "string" }, l: { type: "array", items: { enum: ["a", "it's"] } } },
    };
    const arg = (key: string, value: string) => `<param name="${key}">${value}</param>`;
    expectEach(
      fits(CDATA, call),
      [
        arg("s", "<![CDATA[a <b>\n</param> & c]]>"),
        arg("s", "plain"),
        arg("l", "['a', \"it's\"]") + arg("s", ""),
        arg("l", '["a"]'),
      ],
      [arg("l", "['b']"), arg("l", "[a]"), arg("s", "a</param>b")],
    );
  });

  test("a tree of tags", () => {
    const call = {
      type: "object",
      properties: {
        n: { type: "integer" },
        list: {
          type: "array",
          items: { type: "object", properties: { k: { enum: ["x", "y"] } }, required: ["k"] },
        },
        s: { type: "string" },
      },
      required: ["n"],
    };
    expectEach(
      fits(TREE, call),
      [
        "~<n>3~</n>",
        "~<list>~<item>~<k>x~</k>~</item>~<item>~<k>y~</k>~</item>~</list>~<n>3~</n>",
        "~<s>a ~ <b>~</s>~<n>1~</n>",
      ],
      [
        "",
        "~<n>a~</n>",
        "~<n>3~</n>~<list>~<item>~<k>z~</k>~</item>~</list>",
        "~<n>3~</n>~<list>~<item>~</item>~</list>",
        "~<n>3~</n>~<s>a~<b>~</s>",
      ],
    );
  });
});

describe("in any order, each at most once, required ones present", () => {
  const schema = {
    type: "object",
    properties: {
      file: { type: "string" },
      offset: { type: "integer" },
      limit: { type: "integer" },
      pages: { type: "object", properties: { from: { type: "integer" }, to: { type: "integer" } } },
    },
    required: ["file"],
  };

  test("JSON, at any depth", () => {
    expectEach(
      fits(JSON_FORM, schema),
      [
        '{"file": "a", "limit": 1, "offset": 2}',
        '{"limit":1,"file":"a"}',
        '{"pages": {"to": 2, "from": 1}, "file": "a", "offset": 0, "limit": 3}',
      ],
      [
        '{"limit": 1}',
        '{"file": "a", "limit": 1, "limit": 2}',
        '{"file": "a", "pages": {"to": 1, "to": 2}}',
        "{}",
        '{"file": "a",}',
      ],
    );
  });

  test("between tags", () => {
    const arg = (key: string, value: string) => `<parameter=${key}>\n${value}\n</parameter>\n`;
    expectEach(
      fits(CODER, schema),
      [arg("limit", "1") + arg("offset", "2") + arg("file", "a"), arg("file", "")],
      [arg("limit", "1"), arg("file", "a") + arg("limit", "1") + arg("limit", "1")],
    );
  });

  test("keyword arguments, other keys between", () => {
    expectEach(
      fits(PYTHONIC, { ...schema, additionalProperties: { type: "boolean" } }),
      ["limit=1, x=True, file='a', y=False", "file='a'"],
      ["limit=1, x=True", "file='a', x=1", "file='a', file='b'"],
    );
  });
});

describe("numbers as they are written", () => {
  test.each(["9007199254740993", "0.1234567890123456789", "123456789012345678901234567890"])("%s", (raw) => {
    const schema = `{"type": "object", "properties": {"id": {"const": ${raw}}, "any": {"enum": [1, ${raw}]}}}`;
    const neighbour = JSON.stringify(Number(raw));
    for (const key of ["id", "any"]) {
      expectEach(
        fits(JSON_FORM, schema),
        [`{"${key}": ${raw}}`],
        [`{"${key}": ${neighbour}}`, `{"${key}": 2}`],
      );
      expectEach(
        fits(CODER, schema),
        [`<parameter=${key}>\n${raw}\n</parameter>\n`],
        [`<parameter=${key}>\n${neighbour}\n</parameter>\n`],
      );
    }
  });

  test("another spelling of the same number", () => {
    const is = fits(
      JSON_FORM,
      '{"type": "object", "properties": {"a": {"const": 1.50}, "b": {"const": 1e2}}}',
    );
    expectEach(is, ['{"a": 1.50}', '{"a": 1.5}', '{"b": 100}', '{"b": 1e2}'], ['{"a": 1.51}', '{"b": 10}']);
  });
});

test("texts and keys of other letters, as they are and escaped", () => {
  const schema = { type: "object", properties: { größe: { enum: ["ümläut 🙂", "x"] } } };
  expectEach(
    fits(JSON_FORM, schema),
    ['{"größe": "ümläut 🙂"}', '{"gr\\u00f6\\u00dfe": "\\u00fcml\\u00e4ut \\ud83d\\ude42"}'],
    ['{"größe": "umlaut"}', '{"größe": "\\u00fcm"}'],
  );
  expectEach(
    fits(PYTHONIC, { properties: { a: { enum: ["it's", "b"] } } }),
    ["a='it's'", "a='it\\'s'", 'a="it\'s"'],
    ["a='it'"],
  );
});

test("a tool that takes nothing gets nothing; one that says no more of its arguments, any", () => {
  for (const format of [JSON_FORM, CODER, PYTHONIC]) {
    const none = format.kind === "json" ? "{}" : "";
    const some = { json: '{"a": 1}', tagged: "<parameter=a>\n1\n</parameter>\n", pythonic: "a=1" };
    const text = some[format.kind as keyof typeof some];
    expectEach(fits(format, { type: "object", properties: {}, additionalProperties: false }), [none], [text]);
    expectEach(fits(format, { type: "object" }), [none, text], []);
  }
});

test("what no grammar holds is free where it stands", () => {
  const gbnf = new Gbnf();
  const schema = fromPlain({
    type: "object",
    properties: {
      a: { type: "object", properties: { b: { not: { type: "null" } }, c: { type: "integer" } } },
    },
  });
  const { body, refused } = argumentRules(gbnf, JSON_FORM, schema);
  gbnf.define("root", body);
  expect(refused.map(({ path }) => path)).toEqual(["/properties/a/properties/b/not"]);
  const matcher = new GrammarMatcher(gbnf.text());
  expect([matcher.matches('{"a": {"b": [1], "c": 2}}'), matcher.matches('{"a": {"c": "2"}}')]).toEqual([
    true,
    false,
  ]);
});
