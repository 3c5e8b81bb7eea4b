/** A client's own text has the tokens that llama.cpp gives it with special tokens parsed, on its own tokenizer. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { Prompter } from "../../src/prompt/Prompter.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

const KINDS: readonly TinyKind[] = ["qwen3", "gemma3"];

test.each(KINDS)("%s: random text with special tokens in it", async (kind) => {
  const { path } = await tinyModel(kind);
  using backend = Backend.open();
  using model = Model.load(backend, { path, vocabOnly: true });
  const { vocab } = model;
  const prompter = new Prompter({ template: "{{ messages[0].content }}", vocab });
  const special = fc.constantFrom(
    ...vocab.specials.map(({ text }) => text).filter((text) => text.trim() !== ""),
  );
  const part = fc.oneof(
    special,
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom(" ", "\n\n", "<|"),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      const prompt = { parts: [{ text, special: true }], bos: false, grows: 0 };
      expect(prompter.rawTokens(prompt)).toEqual(vocab.tokenise(text, true));
    }),
    { numRuns: 100 },
  );
  // BOS once, where the model wants it.
  const front = vocab.addBos ? [vocab.bos] : [];
  const text = vocab.addBos ? (vocab.specials.find(({ id }) => id === vocab.bos)?.text ?? "") : "";
  for (const start of ["", text]) {
    const prompt = { parts: [{ text: `${start}hello`, special: true }], bos: true, grows: 0 };
    expect([...prompter.rawTokens(prompt)]).toEqual([...front, ...vocab.tokenise("hello", true)]);
  }
});
