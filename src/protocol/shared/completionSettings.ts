/** What a request for raw completions says beside its prompts, in llama-server's names and OpenAI's. */

import { invalid } from "../../chat/fields.ts";
import type { Sampling } from "../../run/RunSpec.ts";
import type { RawTurn } from "../../serve/prepareRaw.ts";
import type { StateScope } from "../../serve/StateScope.ts";
import { stopStrings } from "../http/stopStrings.ts";
import { checkGrammar } from "./checkGrammar.ts";
import type { RequestFields } from "./RequestFields.ts";
import { readTextSchema } from "./responseFormat.ts";
import { readSampling, type SamplingRules } from "./sampling.ts";
import { readStateScope } from "./stateScope.ts";
import { readTextProbs, readWishes, type Wishes } from "./wishes.ts";

/** What all replies to one request share. */
export interface CompletionSettings {
  readonly model: string | null;
  readonly sampling: Sampling;
  readonly textSchema: RawTurn["textSchema"];
  /** Infinity where the request names no limit. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly stream: boolean;
  readonly wishes: Wishes;
  /** Replies to each prompt. */
  readonly copies: number;
  /** A hint that only breaks ties between conversations, or "". */
  readonly session: string;
  readonly scope: StateScope;
}

export function readSettings(
  fields: RequestFields,
  prompts: number,
  rules: SamplingRules,
): CompletionSettings {
  const sampling = readSampling(fields, rules);
  const textSchema = readTextSchema(fields);
  checkGrammar(sampling, textSchema, "a response_format or a json_schema");
  checkUnused(fields);
  return {
    model: fields.text("model") ?? null,
    session: fields.text("prompt_cache_key") ?? "",
    scope: readStateScope(fields),
    sampling,
    textSchema,
    maxTokens: readMaxTokens(fields),
    stop: stopStrings(fields.get("stop"), "stop", rules.limits),
    stream: fields.boolean("stream", false),
    wishes: readWishes(fields, readTextProbs(fields, rules.limits)),
    copies: readCopies(fields, prompts, rules.limits.promptsMax),
  };
}

/** OpenAI's `n`, and llama-server's name of it. */
function readCopies(fields: RequestFields, prompts: number, max: number): number {
  const rule = { whole: true, min: 1, max };
  const [openai, llama] = [fields.number("n", 1, rule), fields.number("n_cmpl", 1, rule)];
  const copies = Math.max(openai, llama);
  if (copies * prompts <= max) return copies;
  const field = llama > openai ? "n_cmpl" : "n";
  throw invalid(
    field,
    `times ${prompts} prompts are ${copies * prompts} replies; at most ${max} are allowed.`,
  );
}

/** What has no meaning here is taken where it is well-formed: a context is never shifted, a slot never chosen. */
function checkUnused(fields: RequestFields): void {
  for (const name of ["n_keep", "id_slot"]) fields.number(name, -1, { whole: true, min: -1 });
  for (const name of ["n_discard", "n_indent", "n_cache_reuse"]) {
    fields.number(name, 0, { whole: true, min: 0 });
  }
}

/** -1 is no limit; 0 answers after prefill. */
function readMaxTokens(fields: RequestFields): number {
  const names = ["n_predict", "max_tokens", "max_completion_tokens"];
  const rule = { whole: true, min: -1 };
  const sent = names.map((name) => fields.number(name, -1, rule)).filter((tokens) => tokens !== -1);
  return Math.min(...sent, Number.POSITIVE_INFINITY);
}
