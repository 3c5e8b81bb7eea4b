/** Runs of one job: numbered from the likeliest on, of the job's own turn and tenant, each to be stopped after prefill. */
import { expect, test } from "bun:test";
import type { PromptInput } from "../../../src/chat/Message.ts";
import { replyMessage } from "../../../src/chat/replyMessage.ts";
import { joined } from "../../../src/prompt/joined.ts";
import type { RawPrompt } from "../../../src/prompt/RawPrompt.ts";
import { planJob } from "../../../src/warm/planJob.ts";
import type { WarmJob } from "../../../src/warm/WarmJob.ts";

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
  rawTokens: ({ parts }: RawPrompt) =>
    joined(
      parts.map((part) =>
        "tokens" in part
          ? Int32Array.from(part.tokens)
          : Int32Array.from(part.text, (char) => char.charCodeAt(0)),
      ),
    ),
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

test("a run says where the reply was calls, whose results are awaited", () => {
  const calls = [{ id: "1", name: "f", arguments: "{}" }];
  const called = { ...job, reply: replyMessage({ reasoning: "", text: "Because it is, after all.", calls }) };
  expect(planJob(called, renderer, rules).runs.map((run) => run.awaitsResults)).toEqual([true]);
  expect(planJob(job, renderer, rules).runs.map((run) => run.awaitsResults)).toEqual([false, false]);
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

test("a prompt without messages: what its client wrote and got, whatever it writes next", () => {
  const { conversation, tenant, seed } = job;
  const planned = (parts: RawPrompt["parts"]): Int32Array | undefined =>
    planJob(
      { conversation, tenant, seed, grown: { parts, bos: false, grows: parts.length - 1 } },
      renderer,
      rules,
    ).runs[0]?.plan.tokens;
  const text = "x".repeat(40);
  expect(planned([{ text, special: true }])).toEqual(Int32Array.from(text, (char) => char.charCodeAt(0)));
  const tokens = Array.from({ length: 40 }, (_, i) => i);
  expect(planned([{ tokens }])).toEqual(Int32Array.from(tokens));
});
