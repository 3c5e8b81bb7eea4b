/** The bodies of `/completion` and `/infill`, with llama-server's names. */
import { arrayAt, objectAt, textAt } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import { type CompletionSettings, readSettings } from "../shared/completionSettings.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { readPrompts, type SentPrompt } from "../shared/rawPrompts.ts";
import type { SamplingRules } from "../shared/sampling.ts";
import { type Infill, readInfill } from "./infill.ts";

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

function readResponseFields(value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  return arrayAt(value, "response_fields").map((item, index) => textAt(item, `response_fields[${index}]`));
}
