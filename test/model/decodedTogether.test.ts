/**
 * Replies that are written at the same time are what each is alone, on the trained model: its quantised layers are
 * where kernels that mix up the rows of a step show, and greedy words are further apart than low bits.
 */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../../bench/ServerProcess.ts";

const DEMO = join(import.meta.dir, "..", "..", "models", "demo", "demo.gguf");
const TEST_MS_MAX = 120_000;
const ASKED = ["What is the weather in Paris?", "Hello", "What is 17 * 3?"];

async function ask(url: string, content: string): Promise<unknown> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content }], temperature: 0, max_tokens: 60 }),
  });
  const { choices } = (await response.json()) as { choices: { message: object; finish_reason: string }[] };
  return choices;
}

test(
  "replies at the same time say what each says alone",
  async () => {
    const home = await mkdtemp(join(tmpdir(), "warmturn-together-"));
    try {
      const flags = ["-m", DEMO, "-t", "1", "-c", "512", "-np", "3", "--warm", "off"];
      await using server = await ServerProcess.start({ flags, env: { WARMTURN_HOME: home } });
      const alone: unknown[] = [];
      for (const text of ASKED) alone.push(await ask(server.url, text));
      const together = await Promise.all(ASKED.map((text) => ask(server.url, text)));
      expect(together).toEqual(alone);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
  TEST_MS_MAX,
);
