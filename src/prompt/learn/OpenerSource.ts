import type { PromptInput } from "../../chat/Message.ts";
import type { TextVocab } from "../../run/TextVocab.ts";
import type { Spellings } from "../Spellings.ts";

/** The template and the tokenizer as the learner uses them; trials hold no special spelling. */
export interface OpenerSource {
  readonly vocab: TextVocab;
  readonly spellings: Spellings;
  /** Undefined where the template refuses. */
  render(input: PromptInput, addGenerationPrompt: boolean): string | undefined;
  tokenise(render: string): Int32Array;
}
