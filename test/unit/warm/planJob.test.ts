/** Runs of one job: numbered from the likeliest on, of the job's own turn and tenant, each to be stopped after prefill. */
import { expect, test } from "bun:test";
import type { PromptInput } from "../../../src/chat/messages.ts";
import { replyMessage } from "../../../src/chat/replyMessage.ts";
import { planJob } from "../../../src/warm/planJob.ts";
import type { WarmJob } from "../../../src/warm/protocol.ts";

const rules = { openers: [], userOpeners: [], chunkTokensMin: 8, chunkTokensMax: 16, tripTokensMin: 0 };
/** A template that shows reasoning, one token a character. */
const renderer = {
  tokens: ({ messages }: PromptInput) => {
    const text = messages.map((message) =>
      message.role === "assistant"
        ? `<assistant>${message.reasoning}|${message.content}`
        : `<${message.role}>${message.content}`,
    );
    return { tokens: Int32Array.from(text.join(""), (char) => char.charCodeAt(0)) };
  },
};
const job: WarmJob = {
  conversation: { id: "c", turn: 7 },
  tenant: "key",
  seed: 5n,
  prompt: { messages: [{ role: "user", content: "Why is that so?" }], tools: [], kwargs: new Map() },
  reply: replyMessage({ reasoning: "Let me think of it.", text: "Because it is, after all.", calls: [] }),
  habits: { reasoning: "dropped", numbers: "unknown" },
};

test("variants in their order, under the job's own names", () => {
  const { runs, notes } = planJob(job, renderer, rules);
  expect(notes).toEqual([]);
  expect(runs.map(({ variant }) => variant)).toEqual([0, 1]);
  for (const run of runs) {
    expect(run).toMatchObject({
      purpose: "warm",
      tenant: "key",
      conversation: { id: "c", turn: 7 },
      maxTokens: 0,
    });
    expect("sampling" in run).toBe(false);
  }
  const texts = runs.map(({ plan }) => String.fromCharCode(...plan.tokens));
  expect(texts[0]).toStartWith("<user>Why is that so?<assistant>|Because");
  expect(texts[1]).toStartWith("<user>Why is that so?<assistant>Let me think");
});

test("variants that come to the same tokens up to their last cut are one run", () => {
  const silent = { ...job, reply: { ...job.reply, reasoning: "" } };
  expect(planJob(silent, renderer, rules).runs).toHaveLength(1);
  // They part behind the last cut of both.
  const late = { ...job, reply: replyMessage({ reasoning: "Hm", text: "", calls: [] }) };
  expect(planJob(late, renderer, { ...rules, chunkTokensMax: 32 }).runs).toHaveLength(1);
});

test("a reply too short for a cut is not warmed", () => {
  const { runs } = planJob(job, renderer, { ...rules, chunkTokensMax: 500 });
  expect(runs).toEqual([]);
});
