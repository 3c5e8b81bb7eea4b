/** What the page makes of a stream, and of text with code in it. */
import { expect, test } from "bun:test";
import { Reply, type ReplyChunk } from "../../../../src/protocol/page/client/Reply.ts";
import { textParts } from "../../../../src/protocol/page/client/textParts.ts";

const TOLD = { resumed: 1, warmed: 1, prefilled: 1, why: "" };
const delta = (part: object): ReplyChunk => ({ choices: [{ delta: part }] }) as ReplyChunk;

test("the message is the stream, put together", () => {
  const reply = new Reply();
  reply.take(delta({ reasoning_content: "I " }));
  reply.take(delta({ reasoning_content: "look." }));
  const named = { name: "add", arguments: '{"a"' };
  reply.take(delta({ tool_calls: [{ index: 0, id: "call_1", function: named }] }));
  reply.take(delta({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }));
  reply.take({ choices: [{ delta: {}, finish_reason: "tool_calls" }], warmturn: TOLD });
  reply.cut();
  const call = { id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } } as const;
  expect(reply.message()).toEqual({
    role: "assistant",
    content: null,
    reasoning_content: "I look.",
    tool_calls: [call],
  });
});

test("a reply that was stopped keeps its text, and no half call", () => {
  const reply = new Reply();
  reply.take(delta({ content: "Yes" }));
  reply.take(delta({ tool_calls: [{ index: 0, id: "c", function: { name: "add", arguments: "{" } }] }));
  reply.cut();
  expect(reply.message()).toEqual({ role: "assistant", content: "Yes" });
  expect(() => reply.take({ error: { message: "It broke." } })).toThrow("It broke.");
});

test.each([
  ["plain", [["plain", false]]],
  [
    "a\n```ts\nb\n```\nc",
    [
      ["a\n", false],
      ["b", true],
      ["c", false],
    ],
  ],
  ["```\nopen", [["open", true]]],
  ["in `line` and a```b", [["in `line` and a```b", false]]],
  ["", []],
] as const)("code in %j", (text, parts) => {
  expect(textParts(text).map(({ text: shown, code }) => [shown, code])).toEqual(
    parts.map(([shown, code]) => [shown, code]),
  );
});
