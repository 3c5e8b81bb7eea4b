/** The body of a request to embed: OpenAI's, and llama-server's `content` and `embd_normalize` beside it. */
import { invalid, objectAt } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import type { EmbeddingFacts } from "../../run/EngineReady.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { readPrompts, type SentPrompt } from "../shared/rawPrompts.ts";
import type { SamplingRules } from "../shared/sampling.ts";
import { NORMALISE_MAX } from "./normalise.ts";

export interface EmbeddingRequest {
  readonly model: string | null;
  readonly inputs: readonly SentPrompt[];
  /** Where they stand in the body. */
  readonly field: "input" | "content";
  /** Numbers of each vector. */
  readonly dimensions: number;
  readonly isBase64: boolean;
  readonly normalise: number;
}

/** `normalise`: where the body says nothing. */
export function readEmbeddingRequest(
  body: Json,
  facts: EmbeddingFacts,
  rules: SamplingRules,
  normalise: number,
): EmbeddingRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const field =
    fields.get("input") === undefined && fields.get("content") !== undefined ? "content" : "input";
  const most = rules.limits.embeddingInputsMax;
  const format = fields.text("encoding_format") ?? "float";
  if (format !== "float" && format !== "base64") {
    throw invalid(
      "encoding_format",
      `must be "float" or "base64", not ${JSON.stringify(format.slice(0, 32))}.`,
    );
  }
  return {
    model: fields.text("model") ?? null,
    field,
    inputs: readPrompts(fields.get(field), rules, { field, most, are: "inputs" }),
    dimensions: fields.number("dimensions", facts.size, { whole: true, min: 1, max: facts.size }),
    isBase64: format === "base64",
    normalise: fields.number("embd_normalize", normalise, { whole: true, min: -1, max: NORMALISE_MAX }),
  };
}
