/** A stretch that grows with each turn is tokenised in remembered parts, and its tokens are those of the whole. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PromptInput } from "../../../src/chat/Message.ts";
import type { Json } from "../../../src/json/json.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import type { FakeVocab } from "../../support/FakeVocab.ts";
import { vocabOf } from "./families.ts";

function counting(vocab: FakeVocab): { readonly vocab: FakeVocab; readonly count: () => number } {
  let characters = 0;
  const proxy = new Proxy(vocab, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "tokenise") return value.bind(target);
      return (text: string, parseSpecial: boolean) => {
        characters += text.length;
        return target.tokenise(text, parseSpecial);
      };
    },
  });
  return { vocab: proxy, count: () => characters };
}

const PLAIN = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}";
const OPTIONS = { addGenerationPrompt: false };

const said = (content: string): PromptInput => ({
  messages: [{ role: "user", content }],
  tools: [],
  kwargs: new Map<string, Json>([["enable_thinking", true]]),
});

/** `count` lines, no two alike. */
const lines = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, i) => `Line ${from + i}: the quick brown fox jumps over the dog.\n`).join(
    "",
  );

describe("a long stretch without special tokens", () => {
  test("only its end is tokenised again when it grows", () => {
    const { vocab, count } = counting(vocabOf("chatml"));
    const prompter = new Prompter({ template: PLAIN, vocab });
    const text = lines(4000);
    const start = count();
    prompter.tokens(said(text), OPTIONS);
    const first = count();
    prompter.tokens(said(text + lines(30, 4000)), OPTIONS);
    expect(first - start).toBeGreaterThanOrEqual(text.length);
    expect(count() - first).toBeLessThan(20_000);
  });

  test("its tokens are those of the whole, whatever lies at its line ends", () => {
    const vocab = vocabOf("chatml");
    const prompter = new Prompter({ template: PLAIN, vocab });
    // Blank lines and indents everywhere: where lines merge, a part must not end.
    const line = fc.oneof(fc.constantFrom("", "", "  ", "x"), fc.stringMatching(/^[ -~\t]{0,40}$/));
    fc.assert(
      fc.property(fc.array(line, { minLength: 40, maxLength: 120 }), (all) => {
        const text = all.join("\n").repeat(150);
        const input = said(text);
        expect(prompter.tokens(input, OPTIONS).tokens).toEqual(
          vocab.tokenise(prompter.text(input, OPTIONS), false),
        );
      }),
      { numRuns: 15 },
    );
  });
});
