import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ReplyDelta, ReplyParser } from "../../../src/chat/replyParser.ts";

interface Read {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Kinds in order, runs of the same kind once. */
  readonly order: string;
  readonly message: unknown;
}

function read(parts: readonly string[], options: { opensReasoning?: boolean; tools?: boolean } = {}): Read {
  let ids = 0;
  const parser = new ReplyParser({
    opensReasoning: options.opensReasoning ?? false,
    tools: options.tools ?? true,
    newCallId: () => `call_${++ids}`,
  });
  const deltas: ReplyDelta[] = [];
  for (const part of parts) deltas.push(...parser.push(part));
  deltas.push(...parser.end());
  let reasoning = "";
  let text = "";
  const calls: { id: string; name: string; arguments: string }[] = [];
  const order: string[] = [];
  for (const delta of deltas) {
    if (order.at(-1) !== delta.type) order.push(delta.type);
    if (delta.type === "reasoning") reasoning += delta.text;
    if (delta.type === "text") text += delta.text;
    if (delta.type === "call") calls.push({ id: delta.id, name: delta.name, arguments: "" });
    const call = delta.type === "call-arguments" ? calls[delta.index] : undefined;
    if (call !== undefined && delta.type === "call-arguments") call.arguments += delta.text;
  }
  return { reasoning, text, calls, order: order.join(" "), message: parser.message() };
}

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": [2, "}"]}}\n</tool_call>';

describe("a whole reply", () => {
  test("reasoning, text and calls, edges trimmed", () => {
    const got = read([`<think>\nhm, so\n</think>\n\n Well. \n\n${CALL}\n${CALL}`]);
    expect(got.reasoning).toBe("hm, so");
    expect(got.text).toBe("Well.");
    expect(got.calls).toEqual([
      { id: "call_1", name: "add", arguments: '{"a": 1, "b": [2, "}"]}' },
      { id: "call_2", name: "add", arguments: '{"a": 1, "b": [2, "}"]}' },
    ]);
    expect(got.order).toBe("reasoning text call call-arguments call call-arguments");
  });

  test("reasoning that the prompt opened", () => {
    const got = read(["hm\n</think>\nyes"], { opensReasoning: true });
    expect([got.reasoning, got.text]).toEqual(["hm", "yes"]);
  });

  test("reasoning that is never closed", () => {
    expect(read(["<think>hm </thin"]).reasoning).toBe("hm </thin");
    expect(read(["hm"], { opensReasoning: true })).toMatchObject({ reasoning: "hm", text: "" });
  });

  test("blank text before a call is not said", () => {
    const got = read([`<think>x</think>\n\n${CALL}`]);
    expect(got.order).toBe("reasoning call call-arguments");
    expect(got.text).toBe("");
  });

  test("tags elsewhere are text", () => {
    expect(read(["a <think>b</think>"]).text).toBe("a <think>b</think>");
    expect(read([`x ${CALL}`], { tools: false }).text).toBe(`x ${CALL}`);
  });

  test.each([
    ["no JSON", "<tool_call>\nadd(1)\n</tool_call>"],
    ["no name", '<tool_call>\n{"arguments": {}}\n</tool_call>'],
    ["an empty name", '<tool_call>\n{"name": "", "arguments": {}}\n</tool_call>'],
    ["arguments that are no object", '<tool_call>\n{"name": "add", "arguments": [1]}\n</tool_call>'],
    ["a string that holds no object", '<tool_call>\n{"name": "add", "arguments": "x"}\n</tool_call>'],
    ["cut off before the arguments", '<tool_call>\n{"name": "add", "argu'],
    ["cut off where its arguments may still come", '<tool_call>\n{"name": "add"'],
    ["cut off at the tag", "<tool_call>"],
    ["cut off within the tag", "so <tool_ca"],
  ])("a call with %s is text", (_, reply) => {
    const got = read([reply]);
    expect(got.calls).toEqual([]);
    expect(got.text).toBe(reply);
  });

  test("a call that is cut off in its arguments stays a call", () => {
    const got = read(['<tool_call>\n{"name": "add", "arguments": {"a": "x']);
    expect(got.calls).toEqual([{ id: "call_1", name: "add", arguments: '{"a": "x' }]);
    expect(got.text).toBe("");
  });

  test.each([
    ["arguments first", '{"arguments": {"a":1}, "name": "add"}', '{"a":1}'],
    ["arguments as a string", '{"name": "add", "arguments": "{\\"a\\":1}"}', '{"a":1}'],
    ["no arguments", '{"name": "add"}', "{}"],
    ["null arguments", '{"name": "add", "arguments": null}', "{}"],
    ["more keys", '{"id": [1, {"x": "}"}], "name": "add", "arguments": {"a":1}, "z": true}', '{"a":1}'],
  ])("%s", (_, object, args) => {
    expect(read([`<tool_call>${object}</tool_call>`]).calls).toEqual([
      { id: "call_1", name: "add", arguments: args },
    ]);
  });

  test("a missing brace or closing tag costs nothing", () => {
    expect(read(['<tool_call>{"name": "add", "arguments": {"a":1}\n</tool_call> done']).text).toBe("done");
    expect(read(['<tool_call>{"name": "add", "arguments": {"a":1}}']).calls.length).toBe(1);
  });
});

test("arguments are given as they come", () => {
  const parser = new ReplyParser({ opensReasoning: false, tools: true, newCallId: () => "call_1" });
  expect(parser.push('<tool_call>\n{"name": "add", "arguments": ')).toEqual([]);
  expect(parser.push('{"a"')).toEqual([
    { type: "call", index: 0, id: "call_1", name: "add" },
    { type: "call-arguments", index: 0, text: '{"a"' },
  ]);
  expect(parser.push(": 1}")).toEqual([{ type: "call-arguments", index: 0, text: ": 1}" }]);
  expect(parser.push("}\n</tool_call>")).toEqual([]);
});

/** Replies made of what matters to the parser, whole and broken. */
const reply = fc
  .array(
    fc.constantFrom(
      "<think>",
      "</think>",
      "<tool_call>",
      "</tool_call>",
      CALL,
      '{"name": "f", "arguments": {',
      '"k": "v\\"<é🙂"',
      "}}",
      "\n",
      " ",
      "\u00a0",
      "word",
      "<",
      "</",
      "<tool",
      "🙂",
      '"',
      "\\",
      ",",
      "null",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("any split gives the same reply, and the deltas are what replyMessage gives", () => {
  fc.assert(
    fc.property(
      reply,
      fc.array(fc.nat(60)),
      fc.boolean(),
      fc.boolean(),
      (text, cuts, opensReasoning, tools) => {
        const options = { opensReasoning, tools };
        const whole = read([text], options);
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b),
          text.length,
        ];
        const parts = places.slice(1).map((end, i) => text.slice(places[i], end));
        expect(read(parts, options)).toEqual(whole);
        expect(
          read(
            [...text].flatMap((c) => c.split("")),
            options,
          ),
        ).toEqual(whole);
        expect(whole.message).toMatchObject({ content: whole.text, reasoning: whole.reasoning });
        expect(whole.text.trim()).toBe(whole.text);
        expect(whole.reasoning.trim()).toBe(whole.reasoning);
      },
    ),
    { numRuns: 2000 },
  );
});
