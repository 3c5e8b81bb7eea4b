/** What can be said of the tiny models without loading them: bytes, cache, vocabulary, templates. */
import { describe, expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import { Template } from "@huggingface/jinja";
import { makeTinyModel, TINY_KINDS, tinyModel } from "./tinyModel.ts";
import { Vocabulary } from "./Vocabulary.ts";

const BYTES_MAX = 4_000_000;

const call = { id: "c1", type: "function", function: { name: "weather", arguments: { city: "Paris" } } };
const HISTORY = [
  { role: "system", content: "Be short." },
  { role: "user", content: "Weather?" },
  { role: "assistant", content: "", reasoning_content: "I must look.", tool_calls: [call] },
  { role: "tool", content: "sunny", tool_call_id: "c1", name: "weather" },
];
const TOOLS = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];

async function render(kind: (typeof TINY_KINDS)[number], messages: readonly unknown[]): Promise<string> {
  const { template, bosToken } = await tinyModel(kind);
  const variables = { bos_token: bosToken, enable_thinking: true, add_generation_prompt: true };
  return new Template(template).render({ ...variables, messages, tools: TOOLS });
}

for (const kind of TINY_KINDS) {
  describe(kind, () => {
    test("is the same bytes whenever it is made, and small", async () => {
      const { path } = await tinyModel(kind);
      const cached = await readFile(path);
      expect(cached.length).toBeLessThan(BYTES_MAX);
      expect(Buffer.compare(cached, await makeTinyModel(kind))).toBe(0);
    });

    test("is made once, also when asked for twice at once", async () => {
      const [a, b] = await Promise.all([tinyModel(kind), tinyModel(kind)]);
      expect(a.path).toBe(b.path);
      const { mtimeMs } = await stat(a.path);
      await tinyModel(kind);
      expect((await stat(a.path)).mtimeMs).toBe(mtimeMs);
    });

    test("its template shows tools, calls, results and, in a tool loop, reasoning", async () => {
      const text = await render(kind, HISTORY);
      expect(text).toContain('{"type": "function", "function": {"name": "weather"');
      expect(text).toContain('{"name": "weather", "arguments": {"city": "Paris"}}');
      expect(text).toContain("sunny");
      expect(text).toContain("I must look.");
      expect(text).toContain("Be short.");
    });

    test("its template drops old reasoning at the next user message, or keeps it always", async () => {
      const answer = { role: "assistant", content: "It is sunny.", reasoning_content: "Easy." };
      const text = await render(kind, [...HISTORY, answer, { role: "user", content: "Thanks" }]);
      const keeps = kind === "lfm2" || kind === "mamba2";
      expect(text.includes("I must look.")).toBe(keeps);
      expect(text.includes("Easy.")).toBe(keeps);
    });
  });
}

test("the vocabulary has every byte, no token twice, and merges of its own tokens", () => {
  const vocabulary = new Vocabulary();
  expect(new Set(vocabulary.tokens).size).toBe(vocabulary.tokens.length);
  expect(vocabulary.tokens.slice(0, 256).every((token) => token.length === 1)).toBe(true);
  expect(() => vocabulary.id("<|not a token|>")).toThrow();
});
