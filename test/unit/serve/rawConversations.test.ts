/** Prompts without messages belong together by their tokens. */
import { expect, test } from "bun:test";
import { requestChunks } from "../../../src/plan/requestChunks.ts";
import { Conversations } from "../../../src/serve/conversations.ts";

const RAW_RULES = { openers: [], userOpeners: [], chunkTokensMin: 8, chunkTokensMax: 16, tripTokensMin: 0 };

const arrive = (conversations: Conversations, text: string): string => {
  const tokens = Int32Array.from(text, (char) => char.charCodeAt(0));
  const plan = requestChunks(tokens, RAW_RULES, 7n);
  return conversations.arrive({ tenant: "", userAgent: "", session: "", plan, prompt: null }).id;
};

test("one that goes on from another is its next turn, another is not", () => {
  const conversations = new Conversations();
  const first = arrive(conversations, "a".repeat(70));
  expect(arrive(conversations, `${"a".repeat(70)}${"b".repeat(70)}`)).toBe(first);
  expect(arrive(conversations, "c".repeat(70))).not.toBe(first);
});

test("a short one is known by its tokens", () => {
  const conversations = new Conversations();
  const first = arrive(conversations, "Once");
  expect(arrive(conversations, "Twice")).not.toBe(first);
  expect(arrive(conversations, "Once upon a time")).toBe(first);
});

test("nothing comes back of its reply that would show a habit", () => {
  const conversations = new Conversations();
  const plan = requestChunks(Int32Array.from([1, 2, 3]), RAW_RULES, 7n);
  const turn = conversations.arrive({ tenant: "", userAgent: "", session: "", plan, prompt: null });
  expect(conversations.replied(turn, null)).toEqual({ reasoning: "unknown", numbers: "unknown" });
});
