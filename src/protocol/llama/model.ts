/** The bodies of `/completion` and `/infill`, with llama-server's names; OpenAI's completions share most of them. */
import { arrayAt, invalid, objectAt, textAt } from "../../chat/fields.ts";
import type { Sampling } from "../../engine/protocol.ts";
import type { Json } from "../../json/json.ts";
import type { RawTurn } from "../../serve/prepareRaw.ts";
import { stopStrings } from "../http/stopStrings.ts";
import { readAnswer } from "../openai/answer.ts";
import { RequestFields } from "../openai/RequestFields.ts";
import { readSampling, type SamplingRules } from "../openai/sampling.ts";
import { readTextProbs, readWishes, type Wishes } from "../openai/wishes.ts";
import { type Infill, readInfill } from "./infill.ts";
import { readPrompts, type SentPrompt } from "./prompts.ts";

/** What all replies to one request share. */
export interface CompletionSettings {
  readonly model: string | null;
  readonly sampling: Sampling;
  readonly answer: RawTurn["answer"];
  /** Infinity where the request names no limit. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly stream: boolean;
  readonly wishes: Wishes;
  /** Replies to each prompt. */
  readonly copies: number;
  /** A hint that only breaks ties between conversations, or "". */
  readonly session: string;
}

/** What only llama-server's own answers have. */
export interface LlamaSettings extends CompletionSettings {
  readonly returnTokens: boolean;
  /** Paths of the answer's fields that are sent; empty for all. */
  readonly responseFields: readonly string[];
}

export interface CompletionRequest extends LlamaSettings {
  readonly prompts: readonly SentPrompt[];
}

export interface InfillRequest extends LlamaSettings {
  readonly infill: Infill;
}

export function readCompletionRequest(body: Json, rules: SamplingRules): CompletionRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const prompts = readPrompts(fields.get("prompt"), rules);
  return { prompts, ...readLlamaSettings(fields, prompts.length, rules) };
}

export function readInfillRequest(body: Json, rules: SamplingRules): InfillRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const infill = readInfill(fields, rules.limits.extraFilesMax);
  return { infill, ...readLlamaSettings(fields, 1, rules) };
}

function readLlamaSettings(fields: RequestFields, prompts: number, rules: SamplingRules): LlamaSettings {
  return {
    ...readSettings(fields, prompts, rules),
    returnTokens: fields.boolean("return_tokens", false),
    responseFields: readResponseFields(fields.get("response_fields")),
  };
}

export function readSettings(
  fields: RequestFields,
  prompts: number,
  rules: SamplingRules,
): CompletionSettings {
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

function readResponseFields(value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  return arrayAt(value, "response_fields").map((item, index) => textAt(item, `response_fields[${index}]`));
}
