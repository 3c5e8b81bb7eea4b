import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalMessages } from "../../../src/chat/canonical.ts";
import type { Message } from "../../../src/chat/Message.ts";
import { resultsInCallOrder } from "../../../src/chat/resultsInCallOrder.ts";
import { parseJson } from "../../../src/json/parseJson.ts";

/** `a12` is a reply with calls 1 and 2, `t1` the result of call 1, `u` a user message. */
function messages(spelt: string): Message[] {
  return spelt.split(" ").map((word): Message => {
    const ids = [...word.slice(1)];
    if (word.startsWith("t")) return { role: "tool", content: "", toolCallId: ids[0] ?? "", name: "f" };
    if (!word.startsWith("a")) return { role: "user", content: word };
    const toolCalls = ids.map((id) => ({ id, name: "f", arguments: "" }));
    return { role: "assistant", content: "", reasoning: "", toolCalls };
  });
}

function spelt(list: readonly Message[]): string {
  return list
    .map((message) => {
      if (message.role === "tool") return `t${message.toolCallId}`;
      return message.role === "assistant" ? `a${message.toolCalls.map(({ id }) => id).join("")}` : "u";
    })
    .join(" ");
}

test.each([
  ["u a12 t2 t1 u", "u a12 t1 t2 u"],
  ["u a12 t1 t2 u", "u a12 t1 t2 u"],
  ["a1 a2 t2 t1", "a1 t1 a2 t2"],
  ["a12 t2 u t1", "a12 t2 u t1"],
  ["a1 t1 a2 t1 t2", "a1 t1 a2 t2 t1"],
  ["a12", "a12"],
  ["u", "u"],
  ["t1 u", "t1 u"],
  ["a123 t3 t3 t1", "a123 t1 t3 t3"],
])("%s becomes %s", (sent, ordered) => {
  expect(spelt(resultsInCallOrder(messages(sent)))).toBe(ordered);
});

test("nothing is lost or made", () => {
  const word = fc.constantFrom("u", "a1", "a12", "a3", "a", "t1", "t2", "t3", "t9");
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
      const ordered = resultsInCallOrder(messages(words.join(" ")));
      expect(spelt(ordered).split(" ").sort()).toEqual(
        spelt(messages(words.join(" ")))
          .split(" ")
          .sort(),
      );
    }),
  );
});

test("chat completions' messages are put in order as well", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  const result = (id: string) => ({ role: "tool", tool_call_id: id, content: id });
  const sent = [{ role: "assistant", tool_calls: [call("1"), call("2")] }, result("2"), result("1")];
  const read = canonicalMessages(parseJson(JSON.stringify(sent)), []);
  expect(read.map((message) => message.content)).toEqual(["", "1", "2"]);
});
