/** What no conversation can hold is refused before it is tokenised whole. */
import { describe, expect, test } from "bun:test";
import type { PromptInput } from "../../../src/chat/Message.ts";
import type { Json } from "../../../src/json/json.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import { processorTime } from "../../support/processorTime.ts";
import { FAMILIES, vocabOf } from "./families.ts";

const CTX_TOKENS = 100;

/** Characters that were tokenised, and the refusal. */
function refusal(content: string, count: number): { readonly message: string; readonly tokenised: number } {
  const vocab = vocabOf("chatml");
  let tokenised = 0;
  const counting = new Proxy(vocab, {
    get(target, name) {
      if (name === "tokenise") {
        return (text: string, parseSpecial: boolean) => {
          tokenised += text.length;
          return target.tokenise(text, parseSpecial);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const prompter = new Prompter({ template: FAMILIES.chatml.template, vocab: counting });
  const messages = Array.from({ length: count }, () => ({ role: "user" as const, content }));
  const input: PromptInput = {
    messages,
    tools: [],
    kwargs: new Map<string, Json>([["enable_thinking", true]]),
  };
  tokenised = 0;
  try {
    prompter.tokens(input, { addGenerationPrompt: true, ctxTokens: CTX_TOKENS });
  } catch (error) {
    return { message: error instanceof Error ? error.message : "", tokenised };
  }
  return { message: "", tokenised };
}

describe("a prompt far beyond the context", () => {
  test("one endless message is refused by its length", () => {
    const { message, tokenised } = refusal("word ".repeat(200_000), 1);
    expect(message).toMatch(/^The prompt is too long: at least \d+ tokens > 99 maximum\./);
    expect(tokenised).toBeLessThan(10_000);
  });

  test("many messages are counted no further than needed", () => {
    const { message, tokenised } = refusal("<|im_start|>", 20_000);
    expect(message).toMatch(/too long: at least \d+ tokens > 99 maximum/);
    expect(tokenised).toBeLessThan(50_000);
  });

  test("33 MB of them take a fraction of a second, not seconds", () => {
    for (const [content, count] of [
      ["word ".repeat(330), 20_000],
      ["word ".repeat(33_000), 200],
      ["é\n".repeat(825), 20_000],
    ] as const) {
      const used = processorTime();
      const { message, tokenised } = refusal(content, count);
      expect(message).toContain("The prompt is too long: at least");
      expect(tokenised).toBeLessThan(10_000);
      expect(used()).toBeLessThan(1_500);
    }
  });

  test("what is not far beyond is counted: its length is the request path's to judge", () => {
    expect(refusal("word ".repeat(60), 3).message).toBe("");
  });
});
