/**
 * What is learnt of a client from what it sends back, and where it counts. Echoes are bodies as clients write
 * them (JSON text, read as a request is), not our own message handed back.
 */
import { describe, expect, test } from "bun:test";
import { canonicalMessages, canonicalTools } from "../../../src/chat/canonical.ts";
import type { AssistantMessage, PromptInput } from "../../../src/chat/Message.ts";
import { replyMessage } from "../../../src/chat/replyMessage.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { Conversations } from "../../../src/serve/conversations.ts";
import type { Habits } from "../../../src/warm/WarmJob.ts";
import { planOf } from "./toyPrompt.ts";

const tools = canonicalTools(
  parseJson(
    `[{"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {}, "b": {}}}}}]`,
  ),
);
const first = [
  { role: "system", content: "You are an agent with a rather long system prompt." },
  { role: "user", content: "Please look into the temperature of the machine room." },
];

function request(messages: readonly object[]): PromptInput {
  const read = canonicalMessages(parseJson(JSON.stringify(messages)), tools);
  return { messages: read, tools, kwargs: new Map() };
}

interface Sender {
  readonly tenant?: string;
  readonly userAgent?: string;
}

function exchange(
  conversations: Conversations,
  prompt: PromptInput,
  reply: AssistantMessage,
  from: Sender = {},
) {
  const turn = conversations.arrive({
    tenant: from.tenant ?? "",
    userAgent: from.userAgent ?? "agent/1",
    session: "",
    plan: planOf(prompt, BigInt(Bun.hash(from.tenant ?? ""))),
    prompt,
  });
  return conversations.replied(turn, reply);
}

const unknown: Habits = { reasoning: "unknown", numbers: "unknown" };
const thought = replyMessage({ reasoning: "\nHot, is it?\n", text: "\n\nIt is warm.", calls: [] });
const called = replyMessage({
  reasoning: "I need the value.",
  text: "",
  calls: [{ id: "call-7", name: "f", arguments: '{"b": 2.0, "a": 1}' }],
});
const plain = replyMessage({ reasoning: "", text: "It is warm.", calls: [] });

const call = (text: string) => [{ id: "call-7", type: "function", function: { name: "f", arguments: text } }];
const result = { role: "tool", tool_call_id: "call-7", content: "42" };
const next = { role: "user", content: "And now?" };

const table: readonly {
  readonly name: string;
  readonly reply: AssistantMessage;
  readonly echo: readonly object[];
  readonly habits: Habits;
  /** What is thought of a reply of calls; as of others where left out. */
  readonly loop?: Habits["reasoning"];
}[] = [
  {
    name: "reasoning_content that came back",
    reply: thought,
    echo: [{ role: "assistant", content: "It is warm.", reasoning_content: "Hot, is it?" }, next],
    habits: { ...unknown, reasoning: "kept" },
  },
  {
    name: "reasoning under another name",
    reply: thought,
    echo: [
      { role: "assistant", content: [{ type: "text", text: "It is warm." }], reasoning: "Hot, is it?" },
      next,
    ],
    habits: { ...unknown, reasoning: "kept" },
  },
  {
    name: "reasoning that did not come back",
    reply: thought,
    echo: [{ role: "assistant", content: "It is warm." }, next],
    habits: { ...unknown, reasoning: "dropped" },
  },
  {
    name: "no evidence where there was no reasoning",
    reply: plain,
    echo: [{ role: "assistant", content: "It is warm." }, next],
    habits: unknown,
  },
  {
    name: "no evidence where another text came back",
    reply: thought,
    echo: [{ role: "assistant", content: "It is cold." }, next],
    habits: unknown,
  },
  {
    name: "numbers as JavaScript writes them, keys in the schema's order, reasoning dropped",
    reply: called,
    echo: [{ role: "assistant", content: null, tool_calls: call('{"a":1,"b":2}') }, result],
    habits: { reasoning: "dropped", numbers: "javascript" },
  },
  {
    name: "numbers as sent, reasoning kept",
    reply: called,
    echo: [
      {
        role: "assistant",
        content: "",
        reasoning_content: "I need the value.",
        tool_calls: call('{"b": 2.0, "a": 1}'),
      },
      result,
    ],
    habits: { reasoning: "kept", numbers: "as-sent" },
  },
  {
    name: "other arguments are no evidence for numbers",
    reply: called,
    echo: [{ role: "assistant", content: null, tool_calls: call('{"b": 3}') }, result],
    habits: { reasoning: "dropped", numbers: "unknown" },
  },
  {
    name: "calls in front of a user message show nothing of a tool loop",
    reply: called,
    echo: [
      { role: "assistant", content: "", tool_calls: call('{"b": 2.0, "a": 1}') },
      result,
      { role: "assistant", content: "42." },
      next,
    ],
    habits: { reasoning: "dropped", numbers: "as-sent" },
    loop: "unknown",
  },
  {
    name: "a retry shows nothing",
    reply: thought,
    echo: [],
    habits: unknown,
  },
];

describe("habits", () => {
  for (const { name, reply, echo, habits, loop } of table) {
    test(name, () => {
      const conversations = new Conversations();
      expect(exchange(conversations, request(first), reply)).toEqual(unknown);
      expect(exchange(conversations, request([...first, ...echo]), plain)).toEqual(habits);
      if (loop === undefined) return;
      const again = exchange(
        conversations,
        request([...first, ...echo, { role: "assistant", content: "x" }, next]),
        called,
      );
      expect(again?.reasoning).toBe(loop);
    });
  }

  test("the same client's other conversations decide where this one has shown nothing", () => {
    const conversations = new Conversations();
    const dropped = [...first, { role: "assistant", content: "It is warm." }, next];
    exchange(conversations, request(first), thought);
    exchange(conversations, request(dropped), plain);
    const elsewhere = request([first[0] ?? next, { role: "user", content: "Something else, for a change." }]);
    expect(exchange(conversations, elsewhere, thought)?.reasoning).toBe("dropped");
    expect(exchange(conversations, elsewhere, thought, { userAgent: "other/2" })?.reasoning).toBe("unknown");
    expect(exchange(conversations, elsewhere, thought, { tenant: "key" })?.reasoning).toBe("unknown");
  });

  test("this conversation's evidence goes before its client's, and the latest before the first", () => {
    const conversations = new Conversations();
    const kept = { role: "assistant", content: "It is warm.", reasoning_content: "Hot, is it?" };
    exchange(conversations, request(first), thought);
    exchange(conversations, request([...first, kept, next]), thought);
    const others = [first[0] ?? next, { role: "user", content: "Something else, for a change." }];
    exchange(conversations, request(others), thought);
    const dropped = { role: "assistant", content: "It is warm." };
    expect(exchange(conversations, request([...others, dropped, next]), thought)?.reasoning).toBe("dropped");
    const second = request([...first, kept, next, dropped, next]);
    expect(exchange(conversations, request([...first, kept, next]), thought)?.reasoning).toBe("kept");
    expect(exchange(conversations, second, thought)?.reasoning).toBe("dropped");
  });
});
