/** Which conversation a request belongs to, by its plan's chunks; a table of who follows whom. */
import { describe, expect, test } from "bun:test";
import type { Message, PromptInput } from "../../../src/chat/Message.ts";
import { ArrivingRequest, isBetter, type Match } from "../../../src/serve/conversationMatch.ts";
import { Conversations } from "../../../src/serve/conversations.ts";
import { assistant, planOf, promptOf, result, system, user } from "./toyPrompt.ts";

const agent = system("You are an agent with a long system prompt, a very long one indeed, I say.");
const other = system("Write a title for this conversation, in five words. ".repeat(3));
const ask = user("Please find out why the test of the parser fails on Windows.");
const answer = assistant("It fails because of carriage returns in its fixtures.");
const more = user("Then mend the fixtures, and say what you did.");
const call = assistant("", { toolCalls: [{ id: "call-1", name: "f", arguments: new Map() }] });

interface Sender {
  readonly tenant?: string;
  readonly userAgent?: string;
  readonly session?: string;
}

function arrive(conversations: Conversations, prompt: PromptInput, from: Sender = {}): string {
  const tenant = from.tenant ?? "";
  const plan = planOf(prompt, BigInt(Bun.hash(tenant)));
  const turn = conversations.arrive({
    tenant,
    userAgent: from.userAgent ?? "agent/1",
    session: from.session ?? "",
    plan,
    prompt,
  });
  return `${turn.id}#${turn.turn}`;
}

/** Requests in a row, and the conversation (a, b, … in order of appearance) and turn that each must get. */
const table: readonly {
  readonly name: string;
  readonly requests: readonly (readonly [PromptInput | readonly Message[], string, Sender?])[];
}[] = [
  {
    name: "the next user message stays",
    requests: [
      [[agent, ask], "a1"],
      [[agent, ask, answer, more], "a2"],
      [[agent, ask, answer, more, answer, ask], "a3"],
    ],
  },
  {
    name: "a tool result stays",
    requests: [
      [[agent, ask], "a1"],
      [[agent, ask, call, result("call-1", "42")], "a2"],
    ],
  },
  {
    name: "an exact retry stays",
    requests: [
      [[agent, ask], "a1"],
      [[agent, ask], "a2"],
      [[agent, ask, answer, more], "a3"],
      [[agent, ask, answer, more], "a4"],
    ],
  },
  {
    name: "an edit of a later message stays, for it shares more than the head",
    requests: [
      [[agent, ask, answer, more], "a1"],
      [[agent, ask, answer, user("No: explain it to me first.")], "a2"],
    ],
  },
  {
    name: "another first message under the same head is a new conversation",
    requests: [
      [[agent, ask], "a1"],
      [[agent, user("What is the weather in Lisbon today, and tomorrow?")], "b1"],
      [[agent, ask, answer, more], "a2"],
    ],
  },
  {
    name: "a side request with another system prompt is never the main one, though its session is",
    requests: [
      [[agent, ask], "a1", { session: "s" }],
      [[other, ask], "b1", { session: "s" }],
      [[agent, ask, answer, more], "a2", { session: "s" }],
      [[other, ask, answer, more], "b2", { session: "s" }],
      [[agent, ask, answer, more, answer, ask], "a3", { session: "s" }],
    ],
  },
  {
    name: "other tools are another head",
    requests: [
      [promptOf([agent, ask], [{ name: "read_file_of_the_project", definition: new Map() }]), "a1"],
      [promptOf([agent, ask]), "b1"],
    ],
  },
  {
    name: "the same messages under another API key are another conversation",
    requests: [
      [[agent, ask], "a1", { tenant: "key-1" }],
      [[agent, ask, answer, more], "b1", { tenant: "key-2" }],
      [[agent, ask, answer, more], "a2", { tenant: "key-1" }],
    ],
  },
  {
    name: "short messages under another API key, too",
    requests: [
      [[user("hi")], "a1", { tenant: "key-1" }],
      [[user("hi"), assistant("Hello!"), user("Who are you?")], "b1", { tenant: "key-2" }],
    ],
  },
  {
    name: "without a system prompt, chunks past the start decide",
    requests: [
      [[ask], "a1"],
      [[user("Something else entirely, as a first message.")], "b1"],
      [[ask, answer, more], "a2"],
    ],
  },
  {
    name: "a head too short for a cut: the first user message tells conversations apart",
    requests: [
      [[system("Be."), user(`${"The same long task for each file. ".repeat(3)}File one.`)], "a1"],
      [[system("Be."), user(`${"The same long task for each file. ".repeat(3)}File two.`)], "b1"],
    ],
  },
  {
    name: "the one that shares most is taken, not the last used one",
    requests: [
      [[agent, ask, answer, more], "a1"],
      [[agent, user("What is the weather in Lisbon today?"), answer, more], "b1"],
      [[agent, ask, answer, more, answer, ask], "a2"],
    ],
  },
  {
    name: "a short prompt is known by its messages",
    requests: [
      [[user("hi")], "a1"],
      [[user("hi"), assistant("Hello!"), user("Who are you?")], "a2"],
    ],
  },
  {
    name: "a short message under a head is known by its messages",
    requests: [
      [[agent, user("hi")], "a1"],
      [[agent, user("ho")], "b1"],
      [[agent, user("hi"), assistant("Hello!"), user("Who are you?")], "a2"],
      [[other, user("ho"), assistant("Hello!")], "c1"],
      [[agent, user("ho"), user("Who are you?")], "d1"],
    ],
  },
];

describe("conversations", () => {
  for (const { name, requests } of table) {
    test(name, () => {
      const conversations = new Conversations();
      const names = new Map<string, string>();
      const got = requests.map(([prompt, , from]) => {
        const input = "messages" in prompt ? prompt : promptOf(prompt);
        const [id = "", turn = ""] = arrive(conversations, input, from).split("#");
        if (!names.has(id)) names.set(id, String.fromCharCode(97 + names.size));
        return `${names.get(id)}${turn}`;
      });
      expect(got).toEqual(requests.map(([, expected]) => expected));
    });
  }

  test("more chunks win; of equal ones the same session's, then the same client's", () => {
    const one = promptOf([agent, ask]);
    const two = promptOf([agent, ask, answer, more]);
    const matchFrom = (prompt: PromptInput, client: string, session: string): Match => {
      const last = new ArrivingRequest(planOf(prompt), prompt, client, session).remembered();
      const match = new ArrivingRequest(planOf(two), two, "me", "mine").match(last);
      if (match === undefined) throw new Error("no match");
      return match;
    };
    // Best first: each must be better than all behind it.
    const ranked = [
      matchFrom(two, "you", "yours"),
      matchFrom(one, "me", "mine"),
      matchFrom(one, "you", "mine"),
      matchFrom(one, "me", "yours"),
      matchFrom(one, "you", ""),
    ];
    ranked.forEach((match, place) => {
      expect(ranked.map((each) => isBetter(match, each))).toEqual(ranked.map((_, index) => index > place));
    });
  });

  test("the least recently used conversation is forgotten first, and forgetting costs no more than an id", () => {
    const conversations = new Conversations(2);
    const prompts = ["one ", "two ", "three "].map((word) => promptOf([agent, user(word.repeat(20))]));
    const [one, two, three] = prompts;
    if (one === undefined || two === undefined || three === undefined) throw new Error("three prompts");
    arrive(conversations, one);
    arrive(conversations, two);
    arrive(conversations, one);
    arrive(conversations, three);
    expect(arrive(conversations, one)).toBe("conversation-1#3");
    expect(arrive(conversations, two)).toBe("conversation-4#1");
  });

  test("a reply that ends after its conversation has moved on is not to be warmed", () => {
    const conversations = new Conversations();
    const prompt = promptOf([agent, ask]);
    const send = () =>
      conversations.arrive({ tenant: "", userAgent: "", session: "", plan: planOf(prompt), prompt });
    const first = send();
    const retry = send();
    expect(conversations.replied(first, answer)).toBeNull();
    expect(conversations.replied(retry, answer)).toEqual({ reasoning: "unknown", numbers: "unknown" });
    expect(conversations.replied({ id: "nobody", turn: 1 }, answer)).toBeNull();
  });
});

describe("what a prompt has changed", () => {
  const prompt = (system: string): PromptInput => ({
    messages: [
      { role: "system", content: system },
      { role: "user", content: "Please look into the temperature of the machine room, and say what it is." },
    ],
    tools: [],
    kwargs: new Map(),
  });

  test("is told beside the tenant's own prompts, never another's", () => {
    const conversations = new Conversations();
    const from = { userAgent: "", session: "" };
    const before = prompt("You are a careful agent. Today is Monday, and it is warm.");
    conversations.arrive({ ...from, tenant: "a", plan: planOf(before), prompt: before });
    const now = prompt("You are a careful agent. Today is Sunday, and it is warm.");
    const others = conversations.arrive({ ...from, tenant: "b", plan: planOf(now), prompt: now });
    expect(conversations.changed(others)).toBeNull();
    const own = conversations.arrive({ ...from, tenant: "a", plan: planOf(now), prompt: now });
    expect(conversations.changed(own)?.change).toMatchObject({ what: "system", message: 0 });
  });
});
