/** The body of `/completion`, with llama-server's names. */
import { arrayAt, invalid, objectAt, textAt } from "../../chat/fields.ts";
import type { Sampling } from "../../engine/protocol.ts";
import type { Json } from "../../json/json.ts";
import type { RawPrompt } from "../../prompt/RawPrompt.ts";
import type { RawTurn } from "../../serve/prepareRaw.ts";
import { stopStrings } from "../http/stopStrings.ts";
import { readAnswer } from "../openai/answer.ts";
import { RequestFields } from "../openai/RequestFields.ts";
import { readSampling, type SamplingRules } from "../openai/sampling.ts";
import { readPrompts, type SentPrompt } from "./prompts.ts";

/** What all runs of one request share. */
export interface CompletionSettings {
  readonly sampling: Sampling;
  readonly answer: RawTurn["answer"];
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly stream: boolean;
  readonly returnTokens: boolean;
}

export interface CompletionRequest extends CompletionSettings {
  readonly model: string | null;
  readonly prompts: readonly SentPrompt[];
  /** Paths of the answer's fields that are sent; empty for all. */
  readonly responseFields: readonly string[];
  readonly session: string;
}

export function readCompletionRequest(body: Json, rules: SamplingRules): CompletionRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const { vocab, limits } = rules;
  return {
    prompts: readPrompts(fields.get("prompt"), { vocabSize: vocab.size, promptsMax: limits.promptsMax }),
    ...readCompletionFields(fields, rules),
  };
}

export function readCompletionFields(
  fields: RequestFields,
  rules: SamplingRules,
): Omit<CompletionRequest, "prompts"> {
  const sampling = readSampling(fields, rules);
  const answer = readAnswer(fields);
  if (sampling.grammar !== undefined && answer !== undefined) {
    throw invalid("grammar", "cannot be combined with a response_format or a json_schema.");
  }
  checkUnused(fields);
  return {
    model: fields.text("model") ?? null,
    session: fields.text("prompt_cache_key") ?? "",
    sampling,
    answer,
    maxTokens: readMaxTokens(fields),
    stop: stopStrings(fields.get("stop"), "stop", rules.limits),
    stream: fields.boolean("stream", false),
    returnTokens: fields.boolean("return_tokens", false),
    responseFields: readResponseFields(fields.get("response_fields")),
  };
}

/** The turn of one of the prompts, whose tokens these are. */
export function rawTurn(request: CompletionRequest, prompt: RawPrompt, tokens: Int32Array): RawTurn {
  const { sampling, answer, maxTokens, stop } = request;
  return { prompt, tokens, sampling, maxTokens, stop, ...(answer === undefined ? {} : { answer }) };
}

/** What has no meaning here is taken where it is well-formed: a context is never shifted, a slot never chosen. */
function checkUnused(fields: RequestFields): void {
  for (const name of ["n_keep", "id_slot"]) fields.number(name, -1, { whole: true, min: -1 });
  for (const name of ["n_discard", "n_indent", "n_cache_reuse"]) {
    fields.number(name, 0, { whole: true, min: 0 });
  }
}

/** -1 is no limit; 0 answers after prefill. */
export function readMaxTokens(fields: RequestFields): number {
  const names = ["n_predict", "max_tokens", "max_completion_tokens"];
  const rule = { whole: true, min: -1 };
  const sent = names.map((name) => fields.number(name, -1, rule)).filter((tokens) => tokens !== -1);
  return Math.min(...sent, Number.POSITIVE_INFINITY);
}

function readResponseFields(value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  return arrayAt(value, "response_fields").map((item, index) => textAt(item, `response_fields[${index}]`));
}
