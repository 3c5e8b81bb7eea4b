/** The body of a request to rank: Jina's with `documents`, and Text Embeddings Inference's with `texts`. */

import type { Limits } from "../../base/limits.ts";
import { arrayAt, invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import { RequestFields } from "../shared/RequestFields.ts";

export interface RerankRequest {
  readonly model: string | null;
  readonly query: string;
  readonly documents: readonly string[];
  /** Where they stand in the body. */
  readonly field: "documents" | "texts";
  readonly topN: number;
  readonly returnsTexts: boolean;
}

const COUNT_MAX = 2 ** 31 - 1;

export function readRerankRequest(
  body: Json,
  { embeddingInputsMax: most }: Pick<Limits, "embeddingInputsMax">,
): RerankRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const field = fields.get("texts") === undefined ? "documents" : "texts";
  const query = fields.text("query");
  if (query === undefined) throw invalid("query", "is missing; it must be a string.");
  const texts = fields.get(field);
  if (texts === undefined) throw invalid(field, "is missing; it must be an array of strings.");
  const documents = arrayAt(texts, field).map((text, index) => {
    if (typeof text === "string") return text;
    throw invalid(`${field}[${index}]`, `must be a string, not ${kindOf(text)}.`);
  });
  if (documents.length === 0) throw invalid(field, "must not be empty.");
  if (documents.length > most) {
    throw invalid(field, `holds ${documents.length} documents; at most ${most} are allowed.`);
  }
  // Each belongs to one of the forms.
  const returns = {
    texts: fields.boolean("return_text", false),
    documents: fields.boolean("return_documents", false),
  };
  return {
    model: fields.text("model") ?? null,
    query,
    documents,
    field,
    topN: fields.number("top_n", documents.length, { whole: true, min: 0, max: COUNT_MAX }),
    returnsTexts: returns[field],
  };
}
