/** A long stretch in parts has the tokens of the whole, on llama.cpp's own tokenizer. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import type { Json } from "../../src/json/json.ts";
import { Prompter } from "../../src/prompt/Prompter.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const PLAIN = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}";
const OPTIONS = { addGenerationPrompt: false };

test("random lines of text, code, white space and other scripts", async () => {
  const { path } = await tinyModel("qwen3");
  using backend = Backend.open();
  using model = Model.load(backend, { path, vocabOnly: true });
  const { vocab } = model;
  const prompter = new Prompter({ template: PLAIN, vocab });
  const line = fc.oneof(
    fc.stringMatching(/^[ -~\t]{0,120}$/),
    fc.string({ unit: "grapheme", maxLength: 80 }),
    fc.constantFrom("", " ", "\t", "  ", "The end.", "A", "é", "\r", "x \r"),
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 20, maxLength: 80 }), (all) => {
      // Spellings of special tokens are the tests of plain text's matter.
      const content = all.join("\n").repeat(12).replace(/[<[]/g, "(");
      const kwargs = new Map<string, Json>([["enable_thinking", true]]);
      const input = { messages: [{ role: "user" as const, content }], tools: [], kwargs };
      expect(prompter.tokens(input, OPTIONS).tokens).toEqual(
        vocab.tokenise(prompter.text(input, OPTIONS), false),
      );
    }),
    { numRuns: 30 },
  );
});
