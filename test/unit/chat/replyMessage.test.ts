/** What the client is given: trimmed edges, no blank parts, arguments as they were written. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { replyMessage, trimEdges } from "../../../src/chat/replyMessage.ts";

test("edges of reasoning and text are trimmed, the inside is not", () => {
  const message = replyMessage({ reasoning: "\nLet me  see.\n\n", text: "\n\n  a\n\n b \t", calls: [] });
  expect(message).toEqual({
    role: "assistant",
    reasoning: "Let me  see.",
    content: "a\n\n b",
    toolCalls: [],
  });
});

test("blank parts are none", () => {
  const message = replyMessage({
    reasoning: " \n",
    text: "\n\n",
    calls: [{ id: "x", name: "f", arguments: "" }],
  });
  expect([message.reasoning, message.content]).toEqual(["", ""]);
  expect(message.toolCalls[0]?.arguments).toEqual(new Map());
});

test("arguments keep digits and key order; what is no object stays as written", () => {
  const one = (text: string) =>
    replyMessage({ reasoning: "", text: "", calls: [{ id: "x", name: "f", arguments: text }] }).toolCalls[0]
      ?.arguments;
  const parsed = one('{"b": 2.0, "1": 12345678901234567890}');
  expect(parsed instanceof Map ? [...parsed] : parsed).toEqual([
    ["b", { raw: "2.0" }],
    ["1", { raw: "12345678901234567890" }],
  ]);
  expect(one('{"a": ')).toBe('{"a": ');
  expect(one("[1]")).toBe("[1]");
});

test("no client's trim takes more", () => {
  // JavaScript's, Python's, and Go's or Rust's white space.
  const other = "\u001c\u001f\u0085";
  const space = fc.constantFrom(..." \t\n\v\f\r\u001c\u001f\u0085\u00a0\u2003\u2028\u3000\ufeff");
  fc.assert(
    fc.property(fc.array(fc.oneof(space, fc.constantFrom("a", "\u200b", "é", "𝄞"))), (chars) => {
      const trimmed = trimEdges(chars.join(""));
      expect(trimmed.trim()).toBe(trimmed);
      expect(other).not.toContain(trimmed.at(0) ?? "a");
      expect(other).not.toContain(trimmed.at(-1) ?? "a");
      expect(chars.join("")).toContain(trimmed);
    }),
  );
});
