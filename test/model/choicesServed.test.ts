/**
 * Choices, probabilities and prompts without replies over a true engine: each choice is what a request of its own
 * seed gets, bit for bit; logarithms are those of a softmax; what is told as kept is what is resumed.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../../bench/ServerProcess.ts";
import type { Loose } from "../support/httpClient.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

const KINDS: readonly TinyKind[] = ["qwen3", "qwen35"];
const PLAY_MS_MAX = 120_000;
const CHOICES = 3;
const ASK = "Please look at the weather in London and tell me what you find there, with the reason. ".repeat(
  4,
);
const SAMPLED = {
  temperature: 1.5,
  top_k: 0,
  seed: 11,
  max_tokens: 24,
  frequency_penalty: 0.5,
  dry_multiplier: 0.8,
  ignore_eos: true,
};

describe.each(KINDS)("%s", (kind) => {
  let folder: string;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "warmturn-choices-"));
    const { path } = await tinyModel(kind);
    const flags = ["-m", path, "-t", "1", "-c", "1024", "--exact-decode", "--debug-hashes", "--warm", "off"];
    server = await ServerProcess.start({ flags, env: { WARMTURN_HOME: folder } });
  }, PLAY_MS_MAX);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(more: object): Promise<Loose> {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: ASK }], ...SAMPLED, ...more }),
    });
    const body = await response.json();
    if (response.status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }

  test(
    "a prompt without a reply is kept, and what is told as kept is resumed",
    async () => {
      const { warmturn, usage, choices } = await ask({ max_tokens: 0 });
      expect(choices).toMatchObject([{ finish_reason: "length", message: { content: "" } }]);
      expect(usage.completion_tokens).toBe(0);
      expect(warmturn.kept).toBeGreaterThan(usage.prompt_tokens / 2);
      const next = await ask({});
      expect(next.warmturn.resumed).toBe(warmturn.kept);
    },
    PLAY_MS_MAX,
  );

  test(
    "each choice is what its seed gets alone, and nothing that is told changes it",
    async () => {
      const together = await ask({ n: CHOICES, logprobs: true, top_logprobs: 4, timings_per_token: true });
      const reports = together.choices.map((one: Loose) => one.warmturn ?? together.warmturn);
      expect(reports.slice(1).every(({ resumed }: Loose) => resumed > 0)).toBe(true);
      for (let choice = 0; choice < CHOICES; choice++) {
        const alone = await ask({ seed: SAMPLED.seed + choice, cache_prompt: false });
        expect(alone.warmturn).toMatchObject({ resumed: 0, miss: "not-asked" });
        expect(reports[choice]).toMatchObject({
          tokens_hash: alone.warmturn.tokens_hash,
          logits_hash: alone.warmturn.logits_hash,
        });
        expect(together.choices[choice].message).toEqual(alone.choices[0].message);
      }
      expect(new Set(reports.map((report: Loose) => report.tokens_hash)).size).toBe(CHOICES);
    },
    PLAY_MS_MAX,
  );

  test(
    "logarithms of probabilities, likeliest first",
    async () => {
      const { choices } = await ask({ logprobs: true, top_logprobs: 20 });
      const { content } = choices[0].logprobs;
      expect(content).toHaveLength(SAMPLED.max_tokens);
      for (const one of content) {
        const values: number[] = one.top_logprobs.map(({ logprob }: Loose) => logprob);
        expect(values).toHaveLength(20);
        expect(values).toEqual([...values].sort((a, b) => b - a));
        expect(values.reduce((sum, value) => sum + Math.exp(value), 0)).toBeLessThanOrEqual(1 + 1e-6);
        expect(one.logprob).toBeLessThanOrEqual(values[0] ?? 0);
        expect(Buffer.from(one.bytes).toString()).toBe(one.token);
      }
      const after = await ask({ n_probs: 3, post_sampling_probs: true, top_k: 3 });
      for (const one of after.choices[0].logprobs.content) {
        expect(one.top_probs.reduce((sum: number, { prob }: Loose) => sum + prob, 0)).toBeCloseTo(1, 4);
        expect(one.top_probs.map(({ id }: Loose) => id)).toContain(one.id);
      }
    },
    PLAY_MS_MAX,
  );
});
