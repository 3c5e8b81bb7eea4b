/** The canonical form: what clients do to what they echo changes nothing, and what is wrong is named. */
import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/AppError.ts";
import { canonicalForm, canonicalMessages, canonicalTools } from "../../../src/chat/canonical.ts";
import type { AssistantMessage, Message, Tool } from "../../../src/chat/Message.ts";
import { orderLike } from "../../../src/chat/orderLike.ts";
import type { Json } from "../../../src/json/json.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { writeJson } from "../../../src/json/writeJson.ts";

const TOOLS: Tool[] = canonicalTools(
  parseJson(`[{"type": "function", "function": {"name": "f", "parameters": {
    "type": "object", "properties": {"b": {"type": "object", "properties": {"y": {}, "x": {}}},
    "a": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
    "$defs": {"Item": {"type": "object", "properties": {"q": {}, "p": {}}}}}}}]`),
);

const read = (text: string): Message[] => canonicalMessages(parseJson(text), TOOLS);
/** One assistant message as a client wrote it. */
const reply = (fields: string): AssistantMessage => {
  const [message] = read(`[{"role": "assistant", ${fields}}]`);
  if (message?.role !== "assistant") throw new Error("not an assistant message");
  return message;
};
const call = (args: string) =>
  reply(`"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": ${args}}}]`);
const argumentsOf = (message: AssistantMessage) => {
  const sent = message.toolCalls[0]?.arguments ?? "";
  return typeof sent === "string" ? sent : writeJson(sent);
};

describe("habits that change nothing", () => {
  test("string or blocks, cache_control, blank blocks", () => {
    const plain = read('[{"role": "user", "content": " hi\\n"}]');
    for (const content of [
      '[{"type": "text", "text": " hi\\n"}]',
      '[{"type": "text", "text": " hi\\n", "cache_control": {"type": "ephemeral"}}]',
      '[{"type": "text", "text": "  "}, {"type": "text", "text": " hi\\n"}, {"type": "text", "text": ""}]',
    ]) {
      expect(read(`[{"role": "user", "content": ${content}}]`)).toEqual(plain);
    }
    expect(plain).toEqual([{ role: "user", content: " hi\n" }]);
  });

  test("several blocks are joined by a newline", () => {
    const [message] = read(
      '[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}]}]',
    );
    expect(message?.content).toBe("a\nb");
  });

  test("null, missing, empty, blank and empty array are no content", () => {
    const none = reply('"x": 1');
    for (const content of ["null", '""', '"\\n\\n"', "[]", '[{"type": "text", "text": " "}]']) {
      expect(reply(`"content": ${content}`)).toEqual(none);
    }
    expect(none).toEqual({ role: "assistant", content: "", reasoning: "", toolCalls: [] });
  });

  test("reasoning under any of its names, and as a block", () => {
    const kept = reply('"content": "t", "reasoning_content": "r"');
    expect(kept.reasoning).toBe("r");
    for (const fields of [
      '"content": "t", "reasoning": "r"',
      '"content": "t", "reasoning_text": "r"',
      '"content": "t", "thinking": "r"',
      '"content": "t", "reasoning_content": "", "reasoning": "r"',
      '"content": "t", "reasoning_content": null, "thinking": "r"',
      '"content": [{"type": "thinking", "thinking": "r"}, {"type": "text", "text": "t"}]',
    ]) {
      expect(reply(fields)).toEqual(kept);
    }
    expect(reply('"content": "t", "reasoning": {"effort": "low"}').reasoning).toBe("");
  });

  test("arguments re-serialised or re-ordered, and as an object", () => {
    const sent = call(
      '"{\\"a\\": [{\\"p\\": 1, \\"q\\": 2}], \\"z\\": 2.0, \\"b\\": {\\"x\\": 1, \\"y\\": \\"\\u00fc\\"}}"',
    );
    expect(argumentsOf(sent)).toBe('{"b": {"y": "ü", "x": 1}, "a": [{"q": 2, "p": 1}], "z": 2.0}');
    for (const args of [
      '"{\\"b\\":{\\"y\\":\\"\\\\u00fc\\",\\"x\\":1},\\"a\\":[{\\"q\\":2,\\"p\\":1}],\\"z\\":2.0}"',
      '{"z": 2.0, "b": {"x": 1, "y": "ü"}, "a": [{"p": 1, "q": 2}]}',
    ]) {
      expect(call(args)).toEqual(sent);
    }
  });

  test("no arguments are the empty object; what does not parse stays as sent", () => {
    for (const args of ['""', '"{}"', "null", "{}"]) expect(argumentsOf(call(args))).toBe("{}");
    for (const args of ["{bad", "[1]", "7", " {} x"]) {
      expect(argumentsOf(call(JSON.stringify(args)))).toBe(args);
    }
  });

  test("developer is system, and nothing is trimmed", () => {
    expect(read('[{"role": "developer", "content": " s "}]')).toEqual([{ role: "system", content: " s " }]);
  });

  test("our own messages come to the same form", () => {
    const sent = read(
      '[{"role": "assistant", "content": " t ", "reasoning_content": "r", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{\\"a\\": [], \\"b\\": {}}"}}]}]',
    );
    const own: AssistantMessage = {
      role: "assistant",
      content: " t ",
      reasoning: "r",
      toolCalls: [
        {
          id: "1",
          name: "f",
          arguments: new Map<string, Json>([
            ["a", []],
            ["b", new Map()],
          ]),
        },
      ],
    };
    expect(canonicalForm([own], TOOLS)).toEqual(sent);
    expect(canonicalForm([{ ...own, content: "\n", reasoning: " " }], TOOLS)[0]).toMatchObject({
      content: "",
      reasoning: "",
    });
    expect(canonicalForm(sent, TOOLS)).toEqual(sent);
  });
});

describe("tool messages", () => {
  const calling =
    '{"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}';

  test("are named after the call that they answer; pictures become placeholders", () => {
    const messages = read(
      `[${calling}, {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "ok"}, {"type": "image_url", "image_url": {"url": "x"}}]}]`,
    );
    expect(messages[1]).toEqual({
      role: "tool",
      name: "f",
      toolCallId: "c1",
      content: "ok\n[image omitted]",
    });
  });

  test("without their call stay results, under the name that was sent", () => {
    const orphan = (more: object, id: string, name: string) => {
      const sent = { role: "tool", content: "ok", ...more };
      const notes: string[] = [];
      const json = parseJson(JSON.stringify([{ role: "user", content: "x" }, sent]));
      const [, message] = canonicalMessages(json, [], "messages", (note) => notes.push(note));
      expect(message).toEqual({ role: "tool", content: "ok", toolCallId: id, name });
      expect(notes).toEqual([expect.stringContaining("calls that the messages do not hold")]);
    };
    orphan({ tool_call_id: "c2" }, "c2", "");
    orphan({ tool_call_id: "c2", name: "run" }, "c2", "run");
    orphan({ name: "run" }, "", "run");
    orphan({ role: "function", name: "run" }, "", "run");
    // The call has to come first.
    expect(read(`[{"role": "tool", "tool_call_id": "c1", "content": "ok"}, ${calling}]`)[0]).toMatchObject({
      toolCallId: "c1",
      name: "",
    });
  });

  test("without an id answer the call that waits longest, of their name where they tell one", () => {
    const calls = ["a", "b", "a"].map((name, index) => ({
      id: `c${index}`,
      type: "function",
      function: { name, arguments: "{}" },
    }));
    const of = (...results: object[]) =>
      read(JSON.stringify([{ role: "assistant", tool_calls: calls }, ...results]))
        .slice(1)
        .map((message) => message.role === "tool" && message.toolCallId);
    const result = { role: "tool", content: "ok" };
    expect(of(result, result, result)).toEqual(["c0", "c1", "c2"]);
    expect(of({ ...result, name: "b" }, { ...result, name: "a" })).toEqual(["c0", "c1"]);
  });
});

test("orderLike leaves what the schema does not describe, and ends on a circle of refs", () => {
  const schema = parseJson(
    '{"$ref": "#/$defs/N", "$defs": {"N": {"properties": {"v": {}, "n": {"$ref": "#/$defs/N"}}}}}',
  );
  const order = orderLike(schema);
  expect(writeJson(order(parseJson('{"n": {"n": null, "v": 1, "z": 2}, "10": 1, "v": 0}')))).toBe(
    '{"v": 0, "n": {"v": 1, "n": null, "z": 2}, "10": 1}',
  );
  expect(
    writeJson(
      orderLike(parseJson('{"$ref": "#/$defs/N", "$defs": {"N": {"$ref": "#/$defs/N"}}}'))(
        parseJson('{"b": 1}'),
      ),
    ),
  ).toBe('{"b": 1}');
  expect(writeJson(orderLike(undefined)(parseJson('{"b": 1, "a": 2}')))).toBe('{"b": 1, "a": 2}');
});

function failure(text: string): AppError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`was accepted: ${text}`);
}

describe("bad input is a named 400", () => {
  const user = (content: string) => `[{"role": "user", "content": ${content}}]`;
  test.each([
    ["[]", "messages", /at least one/],
    ["{}", "messages", /must be an array, not an object/],
    ["null", "messages", /must be an array, not null/],
    ["[1]", "messages[0]", /must be an object, not a number/],
    [
      '[{"content": "x"}]',
      "messages[0].role",
      /must be one of system, developer, user, assistant, tool, function; not nothing/,
    ],
    ['[{"role": "robot", "content": "x"}]', "messages[0].role", /not "robot"/],
    [user("null"), "messages[0].content", /must be a string or an array of text parts, not null/],
    [user("7"), "messages[0].content", /not a number/],
    [user('["x"]'), "messages[0].content[0]", /must be an object, not a string/],
    [user('[{"type": "text"}]'), "messages[0].content[0].text", /must be a string/],
    [user('[{"type": "dance"}]'), "messages[0].content[0].type", /unknown part type "dance"/],
    ['[{"role": "assistant", "reasoning_content": 1}]', "messages[0].reasoning_content", /must be a string/],
    ['[{"role": "assistant", "tool_calls": {}}]', "messages[0].tool_calls", /must be an array/],
    [
      '[{"role": "assistant", "tool_calls": [{"id": "1", "function": {}}]}]',
      "messages[0].tool_calls[0].function.name",
      /non-empty string, not nothing/,
    ],
    [
      '[{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}]',
      "messages[0].tool_calls[0].id",
      /non-empty string/,
    ],
    [
      '[{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": 7}}]}]',
      "messages[0].tool_calls[0].function.arguments",
      /must be a string of JSON or an object, not a number/,
    ],
  ])("%s", (text, field, message) => {
    const error = failure(text);
    expect(error.code).toBe("invalid-request");
    expect(error.field).toBe(field);
    expect(error.message).toMatch(message);
    expect(error.message).toStartWith(field);
  });
});

describe("tools", () => {
  test("stay as written, but for cache_control; null is none", () => {
    expect(canonicalTools(null)).toEqual([]);
    const [tool] = canonicalTools(
      parseJson(
        '[{"cache_control": {}, "type": "function", "function": {"strict": true, "name": "f", "cache_control": {}, "parameters": {"properties": {"cache_control": {}}}}}]',
      ),
    );
    expect(tool?.name).toBe("f");
    expect(writeJson(tool?.definition ?? null)).toBe(
      '{"type": "function", "function": {"strict": true, "name": "f", "parameters": {"properties": {"cache_control": {}}}}}',
    );
  });

  test.each([
    ["7", "tools", /must be an array/],
    ["[null]", "tools[0]", /must be an object/],
    ['[{"type": "web_search"}]', "tools[0].type", /must be "function", not "web_search"/],
    ['[{"type": "function"}]', "tools[0].function", /must be an object, not nothing/],
    ['[{"type": "function", "function": {"name": ""}}]', "tools[0].function.name", /not an empty one/],
    [
      '[{"type": "function", "function": {"name": "f", "parameters": []}}]',
      "tools[0].function.parameters",
      /must be an object, not an array/,
    ],
  ])("%s is refused", (text, field, message) => {
    try {
      canonicalTools(parseJson(text));
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: "invalid-request", field });
      expect(String(error)).toMatch(message);
      return;
    }
    throw new Error("was accepted");
  });
});
