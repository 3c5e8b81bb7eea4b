/** Which forms of a reply are warmed, and in which order, for each state of knowledge about the client. */
import { expect, test } from "bun:test";
import { replyMessage } from "../../../src/chat/replyMessage.ts";
import { variants } from "../../../src/warm/variants.ts";
import type { Habits } from "../../../src/warm/WarmJob.ts";

const withBoth = replyMessage({
  reasoning: "Hm.",
  text: "",
  calls: [{ id: "c", name: "f", arguments: '{"10": 1, "2": 1.50}' }],
});
const reasoned = replyMessage({
  reasoning: "Hm.",
  text: "Yes.",
  calls: [{ id: "c", name: "f", arguments: '{"a": [1, 0.5, "2.0"], "b": {"x": -3}}' }],
});
const bare = replyMessage({ reasoning: "", text: "Yes.", calls: [] });
const unparsed = replyMessage({
  reasoning: "",
  text: "",
  calls: [{ id: "c", name: "f", arguments: '{"a": 2.0' }],
});
const unknown: Habits = { reasoning: "unknown", numbers: "unknown" };

function names(reply: Parameters<typeof variants>[0], habits: Habits): string[] {
  return variants(reply, habits).map((variant) => {
    const first = variant.reply.toolCalls[0]?.arguments;
    const javascript = first instanceof Map && [...first.keys()].join() === "2,10";
    return `${variant.reply.reasoning === "" ? "dropped" : "kept"}${javascript ? " js" : ""}`;
  });
}

test("nothing known: kept before dropped, JavaScript's numbers before the model's", () => {
  expect(names(withBoth, unknown)).toEqual(["kept js", "dropped js", "kept", "dropped"]);
});

test("what is known comes first, and what is not known is turned over before it", () => {
  expect(names(withBoth, { reasoning: "dropped", numbers: "as-sent" })).toEqual([
    "dropped",
    "kept",
    "dropped js",
    "kept js",
  ]);
  expect(names(withBoth, { reasoning: "dropped", numbers: "unknown" })).toEqual([
    "dropped js",
    "dropped",
    "kept js",
    "kept",
  ]);
  expect(names(withBoth, { reasoning: "unknown", numbers: "as-sent" })).toEqual([
    "kept",
    "dropped",
    "kept js",
    "dropped js",
  ]);
});

test("a variant only for what the reply holds", () => {
  expect(names(reasoned, unknown)).toEqual(["kept", "dropped"]);
  expect(names(bare, unknown)).toEqual(["dropped"]);
  expect(names(unparsed, unknown)).toEqual(["dropped"]);
});

test("arguments in JavaScript's form are what JSON.parse and JSON.stringify give", () => {
  const texts = [
    '{"z": 2.0, "1": 1e-7}',
    '{"a": 12345678901234567890, "b": -0, "c": 1e400}',
    '{"__proto__": 1.0}',
  ];
  for (const text of texts) {
    const reply = replyMessage({ reasoning: "", text: "", calls: [{ id: "c", name: "f", arguments: text }] });
    const echo = JSON.stringify(JSON.parse(text));
    const sent = replyMessage({ reasoning: "", text: "", calls: [{ id: "c", name: "f", arguments: echo }] });
    const [first, ...others] = variants(reply, unknown);
    expect(order(first?.reply)).toEqual(order(sent));
    expect(others.length).toBe(1);
  }
});

function order(reply: Parameters<typeof variants>[0] | undefined): unknown {
  return reply?.toolCalls.map((call) => (typeof call.arguments === "string" ? [] : [...call.arguments]));
}
