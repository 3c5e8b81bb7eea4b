/** Bodies of the Responses API come to the same canonical messages as chat completions that say the same. */
import { describe, expect, test } from "bun:test";
import { canonicalMessages, canonicalTools } from "../../../../src/chat/canonical.ts";
import type { Message, PromptInput } from "../../../../src/chat/Message.ts";
import type { Json } from "../../../../src/json/json.ts";
import { parseJson } from "../../../../src/json/parseJson.ts";
import { type ResponsesRequest, readResponsesRequest } from "../../../../src/protocol/responses/model.ts";
import {
  ADD,
  assistant,
  call,
  developer,
  inputText,
  item,
  output,
  outputText,
  reasoning,
  user,
} from "../../../http/responsesWire.ts";
import { BYTE_SAMPLING } from "../../../support/sampling.ts";

const NOTHING_STORED = { response: () => undefined, item: () => undefined };
const json = (value: unknown): Json => parseJson(typeof value === "string" ? value : JSON.stringify(value));
const request = (body: unknown): ResponsesRequest =>
  readResponsesRequest(json(body), { sampling: BYTE_SAMPLING, stored: NOTHING_STORED });
const read = (body: unknown): PromptInput => request(body).turn.prompt;
const messages = (...input: unknown[]): readonly Message[] => read({ input, tools: [ADD] }).messages;

describe("the same as chat completions", () => {
  test("a tool loop, tools, instructions and effort", () => {
    const ours = read({
      instructions: "You are helpful.",
      tools: [ADD],
      reasoning: { effort: "low", summary: "auto" },
      input: [
        user([inputText("hi")]),
        reasoning("hm"),
        assistant([outputText("Sure.")]),
        call("c1", '{"b": 2.0,\n "a": 1}', { id: "fc_1", status: "completed" }),
        output("c1", [inputText("3")]),
      ],
    });
    const { strict: _, type, ...body } = ADD;
    const tools = canonicalTools(json([{ type, function: body }]));
    expect(ours.tools).toEqual(tools);
    expect([...ours.kwargs]).toEqual([
      ["reasoning_effort", "low"],
      ["enable_thinking", true],
    ]);
    const theirs = [
      { role: "system", content: "You are helpful." },
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "Sure.",
        reasoning_content: "hm",
        tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":1,"b":2.0}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "3" },
    ];
    expect(ours.messages).toEqual(canonicalMessages(json(theirs), tools));
  });

  test("a string is one user message, and one text block is a string", () => {
    for (const input of [
      "hi",
      [user("hi")],
      [{ role: "user", content: "hi" }],
      [user([inputText("hi"), inputText(" ")])],
    ]) {
      expect(read({ input }).messages).toEqual([{ role: "user", content: "hi" }]);
    }
  });

  test("system and developer stay in place; blank ones are dropped", () => {
    expect(
      messages(developer("d"), item("system", [inputText("s")]), user("u"), developer(" "), developer("e")),
    ).toEqual([
      { role: "system", content: "d" },
      { role: "system", content: "s" },
      { role: "user", content: "u" },
      { role: "system", content: "e" },
    ]);
  });
});

describe("one turn of the assistant", () => {
  test("reasoning, text and calls side by side are one message", () => {
    const said = messages(
      user("x"),
      reasoning("hm"),
      assistant([outputText("a")]),
      call("1"),
      call("2"),
      assistant([outputText("b")]),
      output("2", "two"),
      output("1", "one"),
    );
    expect(said.slice(1)).toMatchObject([
      { role: "assistant", reasoning: "hm", content: "a\nb", toolCalls: [{ id: "1" }, { id: "2" }] },
      { role: "tool", toolCallId: "1", name: "add", content: "one" },
      { role: "tool", toolCallId: "2", content: "two" },
    ]);
  });

  test("reasoning behind calls begins a message of its own", () => {
    expect(
      messages(
        user("x"),
        reasoning("a"),
        call("1"),
        reasoning("b"),
        call("2"),
        output("2", "y"),
        output("1", "x"),
      ).slice(1),
    ).toMatchObject([
      { reasoning: "a", toolCalls: [{ id: "1" }] },
      { role: "tool", content: "x" },
      { reasoning: "b", toolCalls: [{ id: "2" }] },
      { role: "tool", content: "y" },
    ]);
  });

  test("reasoning is read from its text, its summary, or what we sealed", () => {
    const reads = (more: object): string => {
      const [, said] = messages(user("x"), reasoning("sum", more), assistant("y"));
      return said?.role === "assistant" ? said.reasoning : "";
    };
    expect(reads({})).toBe("sum");
    expect(reads({ content: [{ type: "reasoning_text", text: "full" }] })).toBe("full");
    expect(reads({ content: null, encrypted_content: "wt1.aG0=" })).toBe("sum");
    expect(reads({ summary: [], encrypted_content: "wt1.aG0=" })).toBe("hm");
    expect(reads({ summary: [], encrypted_content: "gAAAA" })).toBe("");
    expect(reads({ summary: [], encrypted_content: null })).toBe("");
  });

  test("one that is reasoning alone is a message", () => {
    expect(messages(user("x"), reasoning("hm"), user("y"))[1]).toMatchObject({
      reasoning: "hm",
      content: "",
    });
  });
});

describe("items that are no messages", () => {
  test("compaction and what OpenAI's servers did are left out, with a word", () => {
    const { turn, ignored } = request({
      input: [
        user("x"),
        { type: "compaction", id: "cmp_1", encrypted_content: "zzz" },
        { type: "web_search_call", id: "ws_1", status: "completed" },
        { type: "mcp_list_tools", id: "m", server_label: "s", tools: [] },
      ],
    });
    expect(turn.prompt.messages).toEqual([{ role: "user", content: "x" }]);
    expect(ignored.join()).toContain('"compaction"');
    expect(ignored.length).toBe(3);
  });

  test("custom calls are calls of one string", () => {
    const custom = { type: "custom_tool_call", call_id: "1", name: "patch", input: "*** Begin\n" };
    const said = messages(user("x"), custom, { type: "custom_tool_call_output", call_id: "1", output: "ok" });
    expect(said[1]).toMatchObject({
      toolCalls: [{ name: "patch", arguments: new Map([["input", "*** Begin\n"]]) }],
    });
    expect(said[2]).toEqual({ role: "tool", toolCallId: "1", name: "patch", content: "ok" });
  });

  test("pictures in outputs are placeholders", () => {
    expect(
      messages(
        user("x"),
        call("1"),
        output("1", [{ type: "input_image", image_url: "data:" }, inputText("a")]),
      ).at(-1),
    ).toMatchObject({
      content: "[image omitted]\na",
    });
  });
});

describe("tools", () => {
  const names = (body: object): string[] => read({ input: "x", ...body }).tools.map(({ name }) => name);
  const namespace = {
    type: "namespace",
    name: "mcp__files",
    description: "d",
    tools: [ADD, { ...ADD, name: "read" }],
  };

  test("namespaces are flattened, custom tools take one string, hosted ones are left out", () => {
    const grammar = { type: "grammar", syntax: "lark", definition: "start: x" };
    const custom = { type: "custom", name: "patch", description: "Patches.", format: grammar };
    const functions = {
      type: "namespace",
      name: "functions",
      description: "",
      tools: [{ ...ADD, name: "plain" }],
    };
    const { turn, clientTools, ignored } = request({
      input: "x",
      tools: [ADD, namespace, { type: "web_search" }, custom, functions],
    });
    expect(turn.prompt.tools.map(({ name }) => name)).toEqual([
      "add",
      "mcp__files__add",
      "mcp__files__read",
      "patch",
      "plain",
    ]);
    expect(clientTools.get("mcp__files__read")).toEqual({
      kind: "function",
      name: "read",
      namespace: "mcp__files",
    });
    expect(clientTools.get("plain")).toEqual({ kind: "function", name: "plain", namespace: null });
    expect(clientTools.get("patch")?.kind).toBe("custom");
    expect(JSON.stringify(ignored)).toContain("web_search");
    const body = turn.prompt.tools[3]?.definition.get("function") as ReadonlyMap<string, Json>;
    expect(body.get("description")).toContain("start: x");
  });

  test("a call in a namespace has the name that the model knows, with its tools and without", () => {
    const inside = call("1", '{"b":1,"a":2}', { namespace: "mcp__files" });
    for (const tools of [[namespace], []]) {
      const said = read({ input: [user("x"), inside], tools }).messages[1];
      expect(said).toMatchObject({ toolCalls: [{ name: "mcp__files__add" }] });
    }
  });

  test("tool_choice in all its forms", () => {
    const choice = (tool_choice: unknown, tools: unknown[] = [ADD, namespace]) =>
      request({ input: "x", tools, tool_choice }).turn.toolChoice;
    expect(choice("auto")).toEqual({ type: "auto" });
    expect(choice(null)).toEqual({ type: "auto" });
    expect(choice("required")).toEqual({ type: "required" });
    expect(choice({ type: "function", name: "add" })).toEqual({ type: "named", name: "add" });
    expect(choice({ type: "function", name: "read", namespace: "mcp__files" })).toEqual({
      type: "named",
      name: "mcp__files__read",
    });
    const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "add" }] };
    expect(choice(allowed)).toEqual({ type: "required", allowed: ["add"] });
    // Which tools may be called changes nothing of the prompt.
    expect(names({ tools: [ADD, namespace], tool_choice: allowed })).toEqual(
      names({ tools: [ADD, namespace] }),
    );
    expect(names({ tools: [ADD], tool_choice: "none" })).toEqual(["add"]);
  });
});

test("text.format is what the answer has to be, and the last message is never gone on with", () => {
  const answer = (format: unknown) => request({ input: "x", text: { format } }).turn.textSchema;
  expect([answer(null), answer({ type: "text" })]).toEqual([undefined, undefined]);
  expect(answer({ type: "json_object" })).toMatchObject({
    schema: new Map([["type", "object"]]),
    strict: false,
  });
  expect(answer({ type: "json_schema", name: "a", strict: true, schema: {} })).toEqual({
    schema: new Map(),
    strict: true,
    field: "text.format.schema",
  });
  expect(request({ input: [user("x"), assistant("y")] }).turn.continueLast).toBe(false);
});

test("reasoning is sealed where it is asked for, and where nothing is stored", () => {
  const seals = (more: object) => request({ input: "x", ...more }).sealsReasoning;
  const include = ["reasoning.encrypted_content"];
  expect([seals({}), seals({ store: true }), seals({ store: false }), seals({ include })]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test("what is asked for beside the items", () => {
  const asked = request({
    input: "x",
    stream: true,
    store: false,
    prompt_cache_key: "k",
    max_output_tokens: 7,
    parallel_tool_calls: false,
    temperature: 0,
    top_p: 0.5,
    include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
    reasoning: { effort: "none" },
    background: true,
    truncation: "auto",
    unknown: 5,
  });
  expect(asked).toMatchObject({
    stream: true,
    store: false,
    session: "k",
    sealsReasoning: true,
    previous: null,
  });
  expect(asked.turn).toMatchObject({
    maxTokens: 7,
    parallelCalls: false,
    sampling: { temperature: 0, topP: 0.5 },
  });
  expect(asked.turn.prompt.kwargs.get("enable_thinking")).toBe(false);
  expect(asked.ignored.map((sentence) => sentence.split(":")[0])).toEqual(["background", "truncation"]);
  expect(asked.turn.wishes).toEqual({ probs: { top: 0, afterSampling: false } });
  expect(asked.echo).toMatchObject({
    store: false,
    max_output_tokens: 7,
    parallel_tool_calls: false,
    top_p: 0.5,
  });
});
