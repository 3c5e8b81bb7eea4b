/** The body of OpenAI's legacy completions; llama-server's fields are taken beside its own. */
import { invalid, objectAt } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import type { RawPart } from "../../prompt/RawPrompt.ts";
import { readIncludeUsage } from "../openai/model.ts";
import { type CompletionSettings, readSettings } from "../shared/completionSettings.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { readPrompts, type SentPrompt } from "../shared/rawPrompts.ts";
import type { SamplingRules } from "../shared/sampling.ts";

export interface TextRequest extends CompletionSettings {
  readonly prompts: readonly SentPrompt[];
  /** The answer begins with the prompt. */
  readonly echo: boolean;
  /** What stands behind the place of the reply; "" for nothing. */
  readonly suffix: string;
  readonly includeUsage: boolean;
}

export function readTextRequest(body: Json, rules: SamplingRules): TextRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const prompts = readPrompts(fields.get("prompt"), rules);
  const settings = readSettings(fields, prompts.length, rules);
  const bestOf = fields.number("best_of", settings.copies, { whole: true });
  if (bestOf !== settings.copies) {
    throw invalid("best_of", "must be the same as `n`: replies are not ranked here.");
  }
  const echo = fields.boolean("echo", false);
  const suffix = fields.text("suffix") ?? "";
  if (echo && settings.wishes.run.probs !== undefined) {
    throw invalid("logprobs", "cannot be combined with echo: those of a prompt are not told.");
  }
  if (suffix !== "") checkSuffix(prompts, echo);
  return {
    ...settings,
    prompts,
    echo,
    suffix,
    includeUsage: readIncludeUsage(fields.get("stream_options")),
  };
}

function checkSuffix(prompts: readonly SentPrompt[], echo: boolean): void {
  if (echo) throw invalid("echo", "cannot be combined with a suffix.");
  for (const { prompt, field } of prompts) {
    if (textOf(prompt.parts) === null) throw invalid(field, "must be a string where there is a suffix.");
  }
}

/** Of a prompt that is text and nothing else; else null. */
export function textOf(parts: readonly RawPart[]): string | null {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && "text" in only ? only.text : null;
}
