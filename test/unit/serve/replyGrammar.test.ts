import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../../src/base/AppError.ts";
import type { CallFormat } from "../../../src/chat/CallFormat.ts";
import { type ReplyFormat, USUAL_FORMAT } from "../../../src/chat/formats/ReplyFormat.ts";
import { spellCalls } from "../../../src/chat/formats/spellCalls.ts";
import type { TextSchema, Tool, ToolChoice } from "../../../src/chat/Message.ts";
import { ReplyParser } from "../../../src/chat/replyParser.ts";
import type { JsonObject } from "../../../src/json/json.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import { replyGrammar } from "../../../src/serve/replyGrammar.ts";
import { GrammarMatcher } from "../../support/grammar/GrammarMatcher.ts";

const tool = (name: string, parameters?: object): Tool => ({
  name,
  definition: fromPlain({ type: "function", function: { name, parameters } }) as JsonObject,
});
const ADD = tool("add", {
  type: "object",
  properties: {
    a: { type: "integer" },
    unit: { enum: ["cm", "in"] },
    note: { type: "string" },
    on: { type: "boolean" },
  },
  required: ["a"],
});
const ANY = { type: "object", additionalProperties: true };
const TOOLS = [ADD, tool('odd "\\ name', ANY)];

interface Wanted {
  readonly choice?: ToolChoice;
  readonly tools?: readonly Tool[];
  readonly parallel?: boolean;
  readonly textSchema?: TextSchema;
  readonly opensReasoning?: boolean;
  readonly continues?: "text" | "reasoning";
  readonly format?: ReplyFormat;
  readonly warn?: (message: string) => void;
}

function held(wanted: Wanted) {
  const { tools = TOOLS, choice = { type: "required" }, parallel = true, textSchema } = wanted;
  return replyGrammar(
    {
      tools,
      toolChoice: choice,
      parallelCalls: parallel,
      ...(textSchema === undefined ? {} : { textSchema }),
    },
    {
      opensReasoning: wanted.opensReasoning ?? false,
      warn: wanted.warn ?? (() => {}),
      format: wanted.format ?? USUAL_FORMAT,
      ...(wanted.continues === undefined ? {} : { continues: wanted.continues }),
    },
  );
}

function fits(wanted: Wanted): (text: string) => boolean {
  const matcher = new GrammarMatcher(held(wanted).grammar ?? "root ::= [^\\x00]");
  return (text) => matcher.matches(text);
}

const call = (name: string, args: string): string =>
  `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`;
const add = call("add", '{"a": 1}');

describe("what is forced", () => {
  const any = fits({});

  test.each([
    ["a call", add, true],
    [
      "white space of the model's own",
      '<tool_call>{"name":"add","arguments":{"a":1,"unit":"cm"}}</tool_call>',
      true,
    ],
    ["an odd name, any arguments", call('odd "\\ name', '{"x": [1, {}]}'), true],
    ["several calls", `${add}\n${add}`, true],
    ["reasoning first", `<think>\nhm\n</think>\n\n${add}`, true],
    ["nothing", "", false],
    ["text", "hello", false],
    ["another tool", call("sub", "{}"), false],
    ["text behind", `${add} x`, false],
    ["arguments that are no object", call("add", "[]"), false],
    ["arguments against the schema", call("add", '{"a": "1"}'), false],
    ["a required argument missing", call("add", "{}"), false],
    ["reasoning without its end", `<think>hm${add}`, false],
    ["a message opener in reasoning", `<think><|im_start|></think>${add}`, false],
  ])("%s", (_, text, isRight) => {
    expect(any(text)).toBe(isRight);
  });

  test("one call where several are not allowed", () => {
    const one = fits({ parallel: false });
    expect([one(add), one(`${add}\n${add}`)]).toEqual([true, false]);
  });

  test("the named tool, once, and no other", () => {
    const named = fits({ choice: { type: "named", name: "add" } });
    expect([named(add), named(`${add}\n${add}`)]).toEqual([true, false]);
    expect(named(call('odd "\\ name', "{}"))).toBe(false);
  });

  test("reasoning that the prompt opened has to be closed", () => {
    const open = fits({ opensReasoning: true });
    expect([open(`hm</think>\n\n${add}`), open(add)]).toEqual([true, false]);
  });
});

describe("what is free, and held once it has begun", () => {
  test("auto waits for the call's mark, behind reasoning", () => {
    const { grammar, grammarTrigger } = held({ choice: { type: "auto" } });
    expect(grammarTrigger).toEqual({
      text: "<tool_call>",
      onlyAtStart: false,
      skip: { start: "<think>", end: "</think>", opened: false },
    });
    const matcher = new GrammarMatcher(grammar ?? "");
    expect([matcher.matches(add), matcher.matches(`<think></think>${add}`)]).toEqual([true, false]);
  });

  test("no tools: nothing", () => {
    expect(held({ choice: { type: "auto" }, tools: [] })).toEqual({});
  });

  test("of allowed tools no other, and one of them where one is required", () => {
    const only = fits({ choice: { type: "required", allowed: ["add"] } });
    expect([only(add), only(call('odd "\\ name', "{}"))]).toEqual([true, false]);
    const free = fits({ choice: { type: "auto", allowed: ["add"] } });
    expect([free(add), free(call('odd "\\ name', "{}"))]).toEqual([true, false]);
  });
});

describe("an answer of a schema", () => {
  const textSchema = (schema: object, strict = false): TextSchema => ({
    schema: fromPlain(schema),
    strict,
    field: "f.schema",
  });
  const point = {
    type: "object",
    properties: { x: { type: "number" } },
    required: ["x"],
    additionalProperties: false,
  };

  test("alone, and with reasoning first", () => {
    const is = fits({ textSchema: textSchema(point), tools: [], choice: { type: "auto" } });
    expect(['{"x": 1}', '<think>\nhm</think>\n{"x": 1}', "{}", add, 'x {"x": 1}'].map(is)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("or a call, where tools are free to be called", () => {
    const is = fits({ textSchema: textSchema(point), choice: { type: "auto" } });
    expect(['{"x": 1}', add].map(is)).toEqual([true, true]);
    const none = fits({ textSchema: textSchema(point), choice: { type: "none" } });
    expect(['{"x": 1}', add].map(none)).toEqual([true, false]);
  });

  test("what cannot be held is an error that names keyword and place", () => {
    const bad = { type: "object", properties: { a: { not: { type: "null" } } } };
    const refused = (one: TextSchema) => {
      try {
        held({ textSchema: one, tools: [], choice: { type: "auto" } });
      } catch (error) {
        if (error instanceof AppError) return [error.row.status, error.field, error.message];
      }
      return null;
    };
    // The second time it is remembered.
    expect(refused(textSchema(bad))).toEqual(refused(textSchema(bad)));
    expect(refused(textSchema(bad))).toEqual([
      400,
      "f.schema.properties.a.not",
      "The schema cannot be held: `not` at /properties/a/not cannot be held by a grammar.",
    ]);
    const unique = { type: "array", uniqueItems: true };
    expect(refused(textSchema(unique, true))?.[1]).toBe("f.schema.uniqueItems");
    const said: string[] = [];
    held({
      textSchema: textSchema(unique),
      tools: [],
      choice: { type: "auto" },
      warn: (text) => said.push(text),
    });
    expect(said).toEqual(["The answer is not held to `uniqueItems` at /uniqueItems."]);
  });

  test("behind a channel's header", () => {
    const format: ReplyFormat = {
      ...USUAL_FORMAT,
      channels: "harmony",
      reasoning: { start: "<|channel|>analysis<|message|>", end: "<|end|>" },
    };
    const is = fits({ textSchema: textSchema(point), tools: [], choice: { type: "auto" }, format });
    expect(
      is('<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{"x": 1}'),
    ).toBe(true);
    expect(is('{"x": 1}')).toBe(false);
  });
});

describe("no reasoning where it would be read as text", () => {
  const point: TextSchema = {
    schema: fromPlain({ type: "object", properties: { x: { type: "integer" } }, required: ["x"] }),
    strict: false,
    field: "response_format.json_schema.schema",
  };

  test("in a text that is continued", () => {
    const calls = fits({ continues: "text" });
    expect([calls(add), calls(`<think>\nhm\n</think>\n\n${add}`)]).toEqual([true, false]);
    const wanted = { textSchema: point, tools: [], choice: { type: "auto" } } as const;
    const answers = fits({ ...wanted, continues: "text" });
    expect([answers('{"x": 1}'), answers('<think>\nhm\n</think>\n\n{"x": 1}')]).toEqual([true, false]);
    const harmony = fits({
      ...wanted,
      continues: "text",
      format: { ...USUAL_FORMAT, channels: "harmony" },
    });
    expect(harmony('{"x": 1}')).toBe(true);
    expect(held({ choice: { type: "auto" }, continues: "text" }).grammarTrigger?.skip).toBeNull();
  });

  test("in a format of names that knows none", () => {
    const calls: CallFormat = {
      shape: "named",
      sectionStart: "",
      separator: "\n>>>",
      parts: [{ slot: "name" }, "\n", { slot: "arguments" }],
      arguments: { kind: "json" },
      sectionEnd: "",
      several: true,
      bare: false,
    };
    const is = fits({ format: { ...USUAL_FORMAT, channels: "all", calls } });
    expect([is('add\n{"a": 1}'), is('<think>\nhm\n</think>\n\nadd\n{"a": 1}')]).toEqual([true, false]);
  });
});

test("what no grammar can hold of a tool's schema is free, all else is held, and it is said once", () => {
  const said: string[] = [];
  const tools = [
    ADD,
    tool("odd", { type: "object", properties: { a: { not: { type: "null" } }, b: { type: "integer" } } }),
  ];
  const wanted: Wanted = { tools, warn: (message) => said.push(message) };
  const is = fits(wanted);
  expect([
    is(call("odd", '{"a": [1], "b": 1}')),
    is(call("odd", '{"b": "1"}')),
    is(call("odd", "1")),
    is(call("add", "{}")),
  ]).toEqual([true, false, false, false]);
  fits(wanted);
  expect(said).toEqual([
    "The arguments of odd are not held to their schema: `not` at /properties/a/not cannot be held by a grammar.",
  ]);
});

describe("each family's own spelling", () => {
  const named = (more: Partial<CallFormat>): CallFormat => ({
    shape: "named",
    sectionStart: "",
    separator: "\n",
    sectionEnd: "",
    parts: [],
    arguments: { kind: "json" },
    several: true,
    bare: false,
    ...more,
  });
  const tagged = {
    kind: "tagged",
    keyStart: "<parameter=",
    textKeyEnd: ">\n",
    keyEnd: ">\n",
    valueEnd: "\n</parameter>\n",
    separator: "",
    texts: "raw",
    nested: "json",
    words: "json",
  } as const;
  const formats: [string, CallFormat, string | null][] = [
    [
      "tags around JSON, in a section",
      named({
        sectionStart: "<|calls|>",
        parts: [
          "<|call|>functions.",
          { slot: "name" },
          ":",
          { slot: "index" },
          "<|args|>",
          { slot: "arguments" },
          "<|end|>",
        ],
        separator: "",
        sectionEnd: "<|/calls|>",
      }),
      "<|calls|>",
    ],
    [
      "JSON in a list, with ids",
      named({
        shape: "json",
        sectionStart: "[TOOL_CALLS][",
        separator: ", ",
        sectionEnd: "]",
        parts: [
          '{"name": "',
          { slot: "name" },
          '", "arguments": ',
          { slot: "arguments" },
          ', "id": "',
          { slot: "id" },
          '"}',
        ],
      }),
      "[TOOL_CALLS][",
    ],
    [
      "parameters in tags",
      named({
        parts: [
          "<tool_call>\n<function=",
          { slot: "name" },
          ">\n",
          { slot: "arguments" },
          "</function>\n</tool_call>",
        ],
        arguments: tagged,
      }),
      "<tool_call>",
    ],
    [
      "keyword arguments",
      named({
        sectionStart: "<|tool_call_start|>[",
        separator: ", ",
        sectionEnd: "]<|tool_call_end|>",
        parts: [{ slot: "name" }, "(", { slot: "arguments" }, ")"],
        arguments: { kind: "pythonic" },
      }),
      "<|tool_call_start|>[",
    ],
    [
      "bare keys",
      named({
        parts: ["<|tool_call>call:", { slot: "name" }, "{", { slot: "arguments" }, "}<tool_call|>"],
        separator: "",
        arguments: { kind: "gemma" },
      }),
      "<|tool_call>call:",
    ],
    [
      "a tree of tags",
      named({
        parts: ["<invoke ", { slot: "name" }, ">", { slot: "arguments" }, "</invoke>"],
        arguments: { kind: "tree", mark: "~" },
      }),
      "<invoke",
    ],
    [
      "bare JSON",
      named({
        shape: "json",
        bare: true,
        several: false,
        parts: ['{"name": "', { slot: "name" }, '", "parameters": ', { slot: "arguments" }, "}"],
      }),
      '{"name": "',
    ],
  ];

  test.each(formats)("%s", (_, calls, mark) => {
    const format: ReplyFormat = { ...USUAL_FORMAT, calls };
    const args = fromPlain({ a: 7, note: "it", on: true, unit: "cm" }) as JsonObject;
    const sorted = [...args];
    // The schema's order, but for keys that come sorted.
    if (calls.arguments.kind !== "gemma")
      sorted.sort(([a], [b]) => "auno".indexOf(a[0] ?? "") - "auno".indexOf(b[0] ?? ""));
    const one = { name: "add", id: "abcdefgh1", arguments: new Map(sorted) };
    const is = fits({ format, tools: [ADD] });
    expect(is(spellCalls(calls, [one]))).toBe(true);
    expect(is(spellCalls(calls, [one, one]))).toBe(calls.several);
    expect(is(spellCalls(calls, [{ ...one, name: "sub" }]))).toBe(false);
    for (const [key, value] of [
      ["a", true],
      ["unit", "km"],
    ] as const) {
      const wrong = new Map(one.arguments).set(key, value);
      expect([key, is(spellCalls(calls, [{ ...one, arguments: wrong }]))]).toEqual([key, false]);
    }
    expect(held({ format, tools: [ADD], choice: { type: "auto" } }).grammarTrigger?.text ?? null).toBe(mark);
  });
});

test("white space of the family's own fits, and less", () => {
  const calls: CallFormat = {
    shape: "json",
    sectionStart: "",
    separator: "",
    sectionEnd: "",
    parts: [
      '<|sep|>\n\nfunction call<|role|>\n{"name": "',
      { slot: "name" },
      '", "arguments": ',
      { slot: "arguments" },
      "}",
    ],
    arguments: { kind: "json" },
    several: false,
    bare: false,
  };
  const is = fits({ format: { ...USUAL_FORMAT, calls } });
  const spelt = (gap: string) => `<|sep|>${gap}function call<|role|>\n{"name": "add", "arguments": {"a": 1}}`;
  expect(["\n\n", "\n", "", "\n\n\n"].map((gap) => is(spelt(gap)))).toEqual([true, true, true, false]);
});

test("a tool without parameters gets no arguments", () => {
  for (const parameters of [
    undefined,
    {},
    { type: "object", properties: {} },
    { type: "object", properties: {}, required: [] },
    { $schema: "x", type: "object", properties: {}, additionalProperties: false },
  ]) {
    const is = fits({ tools: [tool("now", parameters)] });
    expect([is(call("now", "{}")), is(call("now", '{"a": 1}'))]).toEqual([true, false]);
  }
  for (const parameters of [{ type: "object" }, { ...ANY, properties: {} }]) {
    expect(fits({ tools: [tool("any", parameters)] })(call("any", '{"a": 1}'))).toBe(true);
  }
});

test("any reasoning and any JSON object fit, and the parser reads the call back", () => {
  const is = fits({ tools: [tool("add", ANY)] });
  const bit = fc.constantFrom("<", "</", "</th", "<<", "think>", "/", "x", " ", "\n", "é", "|");
  const reasoning = fc
    .array(bit, { maxLength: 10 })
    .map((bits) => bits.join(""))
    .filter((text) => !text.includes("<|") && !text.includes("</think>") && !`${text}</`.includes("<|"));
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  fc.assert(
    fc.property(reasoning, object, fc.boolean(), (thought, args, spaced) => {
      const json = spaced ? JSON.stringify(args, null, 1) : JSON.stringify(args);
      // Exponents of three digits begin with 1 or 2 here.
      fc.pre(!/e[-+]?3\d\d/.test(json) && json.isWellFormed());
      const text = `<think>${thought}</think>\n\n${call("add", json)}`;
      expect(is(text)).toBe(true);
      const parser = new ReplyParser({
        opensReasoning: false,
        tools: [tool("add", ANY)],
        newCallId: () => "c",
      });
      parser.push(text);
      parser.end();
      expect(parser.callCount).toBe(1);
    }),
    { numRuns: 200 },
  );
});
