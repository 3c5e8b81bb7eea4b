/**
 * The HTTP thread is blocked at most 50 ms by rendering, tokenising and planning a turn that adds 2 KB to a
 * conversation of 600 messages and 0.9 M characters, on the demo model's tokenizer. Measured in that thread's CPU
 * time (compilers and collectors run beside it), the median of some turns; what the first request of such a
 * conversation costs is printed beside it.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import type { Message, PromptInput } from "../../src/chat/Message.ts";
import { requestChunks } from "../../src/plan/requestChunks.ts";
import { Prompter } from "../../src/prompt/Prompter.ts";

const SHARED = join(import.meta.dir, "../../../shared");
const MODEL = join(SHARED, "models/demo.gguf");
const present = existsSync(MODEL) && existsSync(join(SHARED, "templates"));
if (!present) console.warn("SKIPPED: cost of a turn: there is no ../shared/models/demo.gguf or no templates");

const BLOCKED_MS_MAX = 50;
const MESSAGES = 600;
const LINE = "Some text with words, and lines of it.\n";

/** `turn` messages more, each of 2 KB in all. */
function talk(turns: number): PromptInput {
  const messages: Message[] = [{ role: "system", content: LINE.repeat(100) }];
  for (let i = 0; messages.length < MESSAGES; i++) {
    messages.push({ role: "user", content: `Question ${i}. ${LINE.repeat(36)}` });
    messages.push({
      role: "assistant",
      content: `Answer ${i}. ${LINE.repeat(40)}`,
      reasoning: "",
      toolCalls: [],
    });
  }
  for (let i = 0; i < turns; i++) {
    messages.push({ role: "assistant", content: `More ${i}.`, reasoning: "", toolCalls: [] });
    messages.push({ role: "user", content: `New ${i}. ${LINE.repeat(52)}` });
  }
  return { messages, tools: [], kwargs: new Map([["enable_thinking", true]]) };
}

describe.skipIf(!present)("a turn of 2 KB behind 0.9 M characters", () => {
  const open = () => {
    const backend = Backend.open();
    const model = Model.load(backend, { path: MODEL, vocabOnly: true });
    afterAll(() => {
      model.close();
      backend.close();
    });
    return model;
  };
  const model = present ? open() : undefined;
  const sources = new Map<string, string>([["the demo model's", model?.chatTemplate() ?? ""]]);
  if (present) {
    const folder = join(SHARED, "templates");
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".jinja"))) {
      sources.set(file, readFileSync(join(folder, file), "utf8"));
    }
  }

  test.each([...sources])("%s", (name, source) => {
    if (model === undefined) throw new Error("no model");
    const prompter = new Prompter({ template: source, vocab: model.vocab });
    const rules = { ...prompter, chunkTokensMin: 32, chunkTokensMax: 512, tripTokensMin: 0 };
    const costOf = (turns: number): number => {
      const input = talk(turns);
      const before = process.threadCpuUsage();
      requestChunks(prompter.tokens(input, { addGenerationPrompt: true }).tokens, rules, 0n);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    };
    const first = costOf(0);
    const next = [1, 2, 3, 4, 5, 6, 7].map(costOf).sort((a, b) => a - b)[3] ?? Number.POSITIVE_INFINITY;
    console.log(`${name}: ${next.toFixed(1)} ms, the whole conversation at first ${first.toFixed(1)} ms`);
    expect(next).toBeLessThanOrEqual(BLOCKED_MS_MAX);
  });
});
