/**
 * What a turn cannot avoid: the tokens from the opener of its first new message to the prompt's end. Found by
 * rendering the prompt twice, with two texts for that message, in the model's own template and vocabulary.
 */
import { Backend } from "../ffi/Backend.ts";
import { Model } from "../ffi/Model.ts";
import { canonicalMessages, canonicalTools } from "../src/chat/canonical.ts";
import { fromPlain } from "../src/json/plainJson.ts";
import { Prompter } from "../src/prompt/Prompter.ts";
import type { ChatMessage } from "./chat.ts";

export class NecessaryTokens implements Disposable {
  readonly #backend: Backend;
  readonly #model: Model;
  readonly #prompter: Prompter;
  readonly #tools: ReturnType<typeof canonicalTools>;
  /** A state can lie this much before the new message: `chunkTokensMin`, or `tripTokensMin` with a window. */
  readonly slackTokens: number;

  constructor(modelPath: string, tools: readonly object[]) {
    this.#backend = Backend.open();
    this.#model = Model.load(this.#backend, { path: modelPath, vocabOnly: true });
    const template = this.#model.chatTemplate();
    if (template === null) throw new Error(`${modelPath} holds no chat template`);
    this.#prompter = new Prompter({ template, vocab: this.#model.vocab });
    this.#tools = canonicalTools(fromPlain(tools));
    this.slackTokens =
      this.#model.meta(`${this.#model.architecture}.attention.sliding_window`) === null ? 32 : 128;
  }

  /** `firstNew` is the index of the first message that came after the last reply. */
  of(messages: readonly ChatMessage[], firstNew: number): number {
    const real = this.#tokens(messages);
    const other = this.#tokens(
      messages.map((message, i) => (i === firstNew ? { ...message, content: "\n\n0~" } : message)),
    );
    let common = 0;
    while (common < real.length && real[common] === other[common]) common++;
    return real.length - this.#openerBefore(real, common);
  }

  #tokens(messages: readonly unknown[]): Int32Array {
    const canonical = canonicalMessages(fromPlain(messages), this.#tools);
    const kwargs = new Map([["enable_thinking", true]]);
    const input = { messages: canonical, tools: this.#tools, kwargs };
    return this.#prompter.tokens(input, { addGenerationPrompt: true }).tokens;
  }

  #openerBefore(tokens: Int32Array, end: number): number {
    for (let at = end; at >= 0; at--) {
      if (this.#prompter.openers.some((opener) => opener.every((token, i) => tokens[at + i] === token)))
        return at;
    }
    return 0;
  }

  [Symbol.dispose](): void {
    this.#model.close();
    this.#backend.close();
  }
}
