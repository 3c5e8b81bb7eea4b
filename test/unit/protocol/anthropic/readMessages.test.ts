/** Anthropic bodies come to the same canonical messages as chat completions that say the same. */
import { describe, expect, test } from "bun:test";
import { canonicalMessages, canonicalTools } from "../../../../src/chat/canonical.ts";
import type { PromptInput } from "../../../../src/chat/Message.ts";
import type { Json } from "../../../../src/json/json.ts";
import { parseJson } from "../../../../src/json/parseJson.ts";
import {
  type MessagesRequest,
  readCountRequest,
  readMessagesRequest,
} from "../../../../src/protocol/anthropic/model.ts";
import { BYTE_SAMPLING } from "../../../support/sampling.ts";

const json = (value: unknown): Json => parseJson(typeof value === "string" ? value : JSON.stringify(value));

function request(body: unknown, keepAttribution = false): MessagesRequest {
  return readMessagesRequest(json(body), { sampling: BYTE_SAMPLING, keepAttribution });
}

const read = (body: unknown): PromptInput => request(body).turn.prompt;
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const use = (id: string, input: unknown = {}, name = "add") => ({ type: "tool_use", id, name, input });
const result = (id: string, content?: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const SCHEMA = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } };
const ADD = { name: "add", description: "adds", input_schema: SCHEMA };
const CACHED = { cache_control: { type: "ephemeral" } };

/** What stands behind a call of `add` with this result. */
function resultOf(content: unknown, more: object = {}, rest: object = {}): string {
  const messages = [user("x"), assistant([use("1")]), user([result("1", content, more)])];
  const last = read({ messages, ...rest }).messages.at(-1);
  if (last?.role !== "tool") throw new Error("no result");
  return last.content;
}

describe("the same as chat completions", () => {
  test("a tool loop, tools and system", () => {
    const ours = read({
      system: [text("You are helpful.", CACHED)],
      tools: [{ ...ADD, ...CACHED, strict: true, type: "custom" }],
      messages: [
        user([text("hi", CACHED)]),
        assistant([
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "redacted_thinking", data: "zzz" },
          text("Sure."),
          use("c1", { b: 2, a: 1 }),
        ]),
        user([result("c1", [text("3", CACHED)], CACHED)]),
      ],
    });
    const tools = canonicalTools(
      json([{ type: "function", function: { name: "add", description: "adds", parameters: SCHEMA } }]),
    );
    const call = { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1,"b":2}' } };
    const theirs = canonicalMessages(
      json([
        { role: "system", content: "You are helpful." },
        user("hi"),
        { role: "assistant", content: "Sure.", reasoning_content: "hm", tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "3" },
      ]),
      tools,
    );
    expect(ours.tools).toEqual(tools);
    expect([...(ours.tools[0]?.definition ?? [])]).toEqual([...(tools[0]?.definition ?? [])]);
    expect(ours.messages).toEqual(theirs);
    expect(Object.fromEntries(ours.kwargs)).toEqual({ enable_thinking: true });
  });

  test("strings and text blocks; blank blocks; several blocks are lines", () => {
    const plain = read({ system: "s", messages: [user("a\nb"), assistant("c")] }).messages;
    const blocks = read({
      system: [text(" "), text("s")],
      messages: [user([text("a"), text("\n"), text("b")]), assistant([text(""), text("c")])],
    }).messages;
    expect(blocks).toEqual(plain);
  });

  test("digits and integer-like keys of inputs survive; keys are in the schema's order", () => {
    const body = `{"tools": [${JSON.stringify(ADD)}], "messages": [{"role": "user", "content": "x"},
      {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "add",
        "input": {"2": 1e5, "b": 1.0, "a": 12345678901234567890, "1": []}}]}]}`;
    const message = read(body).messages[1];
    const input = message?.role === "assistant" ? message.toolCalls[0]?.arguments : undefined;
    expect(input instanceof Map ? [...input] : input).toEqual([
      ["a", { raw: "12345678901234567890" }],
      ["b", { raw: "1.0" }],
      ["2", { raw: "1e5" }],
      ["1", []],
    ]);
  });

  test("no system text is no system message", () => {
    for (const system of [undefined, null, "", " ", [], [text("")]]) {
      expect(read({ system, messages: [user("x")] }).messages).toEqual([{ role: "user", content: "x" }]);
    }
  });

  test("input that is missing is empty; one that did not parse stays the string", () => {
    const inputs = [undefined, null, {}, "{}"].map(
      (input) => read({ messages: [assistant([use("1", input)])] }).messages,
    );
    for (const messages of inputs) expect(messages).toEqual(inputs[0] ?? []);
    const broken = read({ messages: [assistant([use("1", '{"a": 1')])] }).messages[0];
    expect(broken?.role === "assistant" ? broken.toolCalls[0]?.arguments : "").toBe('{"a": 1');
  });
});

describe("tool results", () => {
  test("in the order of their calls; the user's text beside them comes after", () => {
    const { messages } = read({
      messages: [
        user("x"),
        assistant([use("1"), use("2")]),
        user([text("<reminder>"), result("2", "two"), text(" "), result("1", "one"), text("go on")]),
      ],
    });
    expect(messages.slice(2)).toMatchObject([
      { role: "tool", content: "one", toolCallId: "1", name: "add" },
      { role: "tool", content: "two", toolCallId: "2", name: "add" },
      { role: "user", content: "<reminder>\ngo on", besideResult: true },
    ]);
  });

  test("strings, blocks, nothing, errors, placeholders", () => {
    expect(resultOf("3")).toBe("3");
    expect(resultOf([text("3"), text("4")])).toBe("3\n4");
    expect(resultOf(undefined)).toBe("");
    expect(resultOf([])).toBe("");
    expect(resultOf("no such file", { is_error: true })).toBe("Error: no such file");
    expect(resultOf("Error: no such file", { is_error: true })).toBe("Error: no such file");
    expect(resultOf([text("<error>x</error>")], { is_error: true })).toBe("<error>x</error>");
    expect(resultOf("", { is_error: true })).toBe("Error");
    expect(resultOf("fine", { is_error: false })).toBe("fine");
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
    expect(resultOf([text("a"), image, text("b")])).toBe("a\n[image omitted]\nb");
    expect(resultOf([{ type: "document", source: { type: "base64", data: "AA" } }])).toBe(
      "[document omitted]",
    );
  });

  test("documents and search results that are text", () => {
    const document = { type: "document", title: "Notes", source: { type: "text", data: "body" } };
    expect(resultOf([document])).toBe("Notes\nbody");
    const content = [text("a"), text("b")];
    expect(resultOf([{ type: "document", source: { type: "content", content } }])).toBe("a\nb");
    expect(resultOf([{ type: "search_result", title: "T", source: "u", content: [text("hit")] }])).toBe(
      "T\nhit",
    );
    expect(read({ messages: [user([document])] }).messages[0]?.content).toBe("Notes\nbody");
  });

  test("a deferred tool is left out until a result refers to it", () => {
    const tools = [ADD, { name: "later", input_schema: {}, defer_loading: true }];
    expect(read({ messages: [user("x")], tools }).tools.map((tool) => tool.name)).toEqual(["add"]);
    const reference = [{ type: "tool_reference", tool_name: "later" }];
    expect(resultOf(reference, {}, { tools })).toBe(
      '{"type": "function", "function": {"name": "later", "parameters": {}}}',
    );
    expect(resultOf(reference)).toBe("later");
  });
});

describe("assistant messages", () => {
  test("text behind a call joins the text before it; server blocks say nothing", () => {
    const [message] = read({
      messages: [
        assistant([
          text("a"),
          { type: "server_tool_use", id: "s", name: "web_search", input: {} },
          { type: "web_search_tool_result", tool_use_id: "s", content: [] },
          use("1"),
          text("b"),
        ]),
      ],
    }).messages;
    expect(message).toMatchObject({ content: "a\nb", reasoning: "", toolCalls: [{ id: "1" }] });
  });

  test("blank thinking is none", () => {
    const [message] = read({
      messages: [assistant([{ type: "thinking", thinking: " ", signature: "" }, text("a")])],
    }).messages;
    expect(message).toMatchObject({ content: "a", reasoning: "" });
  });
});

describe("settings", () => {
  const kwargs = (body: object): object =>
    Object.fromEntries(read({ messages: [user("x")], ...body }).kwargs);

  test("thinking", () => {
    expect(kwargs({})).toEqual({ enable_thinking: true });
    expect(kwargs({ thinking: { type: "enabled", budget_tokens: 1024 } })).toEqual({ enable_thinking: true });
    expect(kwargs({ thinking: { type: "adaptive", display: "omitted" } })).toEqual({ enable_thinking: true });
    expect(kwargs({ thinking: { type: "between_tools" } })).toEqual({ enable_thinking: true });
    expect(kwargs({ thinking: { type: "disabled" } })).toEqual({ enable_thinking: false });
    expect(kwargs({ output_config: { effort: "max" } })).toMatchObject({ reasoning_effort: "high" });
    expect(kwargs({ output_config: { effort: 7 } })).toEqual({ enable_thinking: true });
  });

  test("a budget of thinking", () => {
    const budget = (thinking: object): number | undefined =>
      request({ messages: [user("x")], thinking }).turn.reasoningBudget;
    expect(budget({ type: "enabled", budget_tokens: 2048 })).toBe(2048);
    expect(budget({ type: "enabled" })).toBeUndefined();
    expect(budget({ type: "adaptive", budget_tokens: 2048 })).toBeUndefined();
  });

  test("tool_choice in all forms", () => {
    const choice = (tool_choice: object | undefined) => {
      const { turn } = request({ messages: [user("x")], tools: [ADD], tool_choice });
      return [turn.toolChoice, turn.parallelCalls, turn.prompt.tools.length];
    };
    expect(choice(undefined)).toEqual([{ type: "auto" }, true, 1]);
    expect(choice({ type: "auto", disable_parallel_tool_use: true })).toEqual([{ type: "auto" }, false, 1]);
    expect(choice({ type: "any" })).toEqual([{ type: "required" }, true, 1]);
    expect(choice({ type: "tool", name: "add" })).toEqual([{ type: "named", name: "add" }, true, 1]);
    // Which tools may be called changes nothing of the prompt.
    expect(choice({ type: "none" })).toEqual([{ type: "none" }, true, 1]);
  });

  test("limits and samplers", () => {
    const { turn } = request({
      messages: [user("x")],
      max_tokens: 9,
      stop_sequences: ["a", "b"],
      temperature: 0,
      top_p: 0.5,
      top_k: 3,
    });
    expect([turn.maxTokens, turn.stop]).toEqual([9, ["a", "b"]]);
    expect(turn.sampling).toMatchObject({ temperature: 0, topP: 0.5, topK: 3 });
    expect(request({ messages: [user("x")] }).turn.maxTokens).toBe(Number.POSITIVE_INFINITY);
  });

  test("tools of other types are left out and said", () => {
    const tools = [{ type: "web_search_20250305", name: "web_search" }, ADD];
    const { turn, ignored } = request({ messages: [user("x")], tools });
    expect(turn.prompt.tools.map((tool) => tool.name)).toEqual(["add"]);
    expect(ignored).toEqual(['tools[0] of type "web_search_20250305" is not served here and was left out.']);
  });

  test("session hints", () => {
    const session = (user_id: unknown): string =>
      request({ messages: [user("x")], metadata: { user_id } }).session;
    expect(session('{"device_id":"d","session_id":"abc-1"}')).toBe("abc-1");
    expect(session("user_ff_account__session_abc-1")).toBe("abc-1");
    for (const other of ["somebody", "{", "{}", 7, null, '{"session_id":1}']) expect(session(other)).toBe("");
  });
});

describe("the billing line", () => {
  const LINE = "x-anthropic-billing-header: cc_version=2.1.332.abc; cc_entrypoint=cli; cch=0a1b2;";
  const systems = (body: object, keep = false): string[] =>
    request(body, keep).turn.prompt.messages.flatMap((m) => (m.role === "system" ? [m.content] : []));

  test("is dropped as a block of any length and place, as a first line, and in the list", () => {
    const messages = [user("x")];
    expect(systems({ system: [text(LINE), text("You are.")], messages })).toEqual(["You are."]);
    expect(systems({ system: [text("You are."), text(`${LINE} more=1;`)], messages })).toEqual(["You are."]);
    expect(systems({ system: `${LINE}\nYou are.`, messages })).toEqual(["You are."]);
    expect(systems({ system: `\n${LINE}\n${LINE}\nYou are.`, messages })).toEqual(["You are."]);
    expect(systems({ system: [text(LINE)], messages })).toEqual([]);
    expect(systems({ messages: [...messages, { role: "system", content: LINE }] })).toEqual([]);
    expect(systems({ system: `Mind the ${LINE}`, messages })).toEqual([`Mind the ${LINE}`]);
    // Joined to one text by what stands between, behind others and at the end.
    expect(systems({ system: `You are.\n${LINE}\nBe brief.\n  ${LINE.repeat(9)}`, messages })).toEqual([
      "You are.\nBe brief.",
    ]);
    // Blank lines are the client's own, but in front of the line.
    expect(systems({ system: "\n\nYou are.", messages })).toEqual(["\n\nYou are."]);
  });

  test("is kept by the flag", () => {
    const body = { system: [text(LINE), text("You are.")], messages: [user("x")] };
    expect(systems(body, true)).toEqual([`${LINE}\nYou are.`]);
  });
});

test("counting reads the same prompt, and a picture is a placeholder", () => {
  const body = { system: "s", tools: [ADD], messages: [user([text("a"), { type: "image" }])] };
  expect(readCountRequest(json(body), false).prompt.messages[1]?.content).toBe("a\n[image omitted]");
  const plain = { system: "s", tools: [ADD], messages: [user("a")], thinking: { type: "disabled" } };
  expect(readCountRequest(json(plain), false).prompt).toEqual(read(plain));
});
