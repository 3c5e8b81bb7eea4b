/** Arguments of all calls of a request share one bound, however they are spread over calls and messages. */
import { expect, test } from "bun:test";
import { canonicalMessages } from "../../../src/chat/canonical.ts";
import type { Json } from "../../../src/json/json.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";

const MANY = `{"a": [${"1,".repeat(299_999)}1]}`;

function argumentsOf(count: number, sent: string): readonly (string | Json)[] {
  const call = (id: number) => ({ id: `c${id}`, type: "function", function: { name: "f", arguments: sent } });
  const asked = Array.from({ length: count }, (_, id) => [
    { role: "assistant", content: "", tool_calls: [call(id)] },
    { role: "tool", tool_call_id: `c${id}`, content: "" },
  ]);
  const messages = canonicalMessages(fromPlain([{ role: "user", content: "x" }, ...asked.flat()]), []);
  return messages
    .flatMap((one) => (one.role === "assistant" ? one.toolCalls : []))
    .map((one) => one.arguments);
}

test("arguments that together hold millions of values stay strings from there on, behind the same messages", () => {
  const kept = argumentsOf(10, MANY).map((one) => typeof one === "string");
  expect(kept).toEqual([...Array(6).fill(false), ...Array(4).fill(true)]);
  expect(argumentsOf(7, MANY).map((one) => typeof one === "string")).toEqual(kept.slice(0, 7));
});

test("arguments of a conversation as long as any are all read", () => {
  expect(argumentsOf(3_000, '{"a": [1, {"b": null}]}').some((one) => typeof one === "string")).toBe(false);
});
