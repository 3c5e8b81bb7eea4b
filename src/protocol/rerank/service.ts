/** Reranking without HTTP in it: query and each document become one input, whose score is the model's. */

import { AppError } from "../../base/AppError.ts";
import type { RawPart } from "../../prompt/RawPrompt.ts";
import type { RankingFacts } from "../../run/EngineReady.ts";
import { allTokens, tokensWithin, vectorsOf } from "../embeddings/evaluated.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { type RerankRequest, readRerankRequest } from "./model.ts";

/** Throws AppError where the server was started without it. */
export function rankingFacts({ turn }: ServiceDeps): RankingFacts {
  const { ranking } = turn.engine.ready;
  if (ranking !== null) return ranking;
  throw new AppError("not-supported", "This server does not support reranking. Start it with `--reranking`.");
}

/** Throws AppError, or the signal's reason once the client has left. */
export async function rerank(raw: string, deps: ServiceDeps, signal: AbortSignal): Promise<object> {
  const { tokensMax } = rankingFacts(deps);
  const request = readRerankRequest(parseBody(raw), deps.limits);
  const { query, documents, field, topN } = request;
  const model = servedModel(request.model, deps.models);
  const inputs = await allTokens(
    documents,
    (document, index) =>
      tokensWithin(`${field}[${index}]`, tokensMax, () => inputOf(query, document, tokensMax, deps)),
    signal,
  );
  const vectors = await vectorsOf(inputs, deps, signal);
  const ranked = vectors
    .map((vector, index) => ({ index, score: vector[0] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, topN);
  if (field === "texts") return ranked.map((one) => ({ ...one, ...textOf(one.index, request) }));
  const tokens = inputs.reduce((sum, { length }) => sum + length, 0);
  return {
    object: "list",
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    results: ranked.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(request.returnsTexts ? { document: textOf(index, request) } : {}),
    })),
  };
}

function textOf(index: number, { documents, returnsTexts }: RerankRequest): { readonly text?: string } {
  const text = documents[index];
  return returnsTexts && text !== undefined ? { text } : {};
}

/** In the model's own form, in which nothing that the client wrote is a special token. */
function inputOf(
  query: string,
  document: string,
  tokensMax: number,
  { turn, card }: ServiceDeps,
): Int32Array {
  const { template, bos, eos, sep } = card.rank;
  const most = tokensMax + 1;
  if (template !== null) return turn.prompter.filledTokens(template, { query, document }, most);
  const mark = (...ids: readonly (number | null)[]): RawPart => ({
    tokens: ids.filter((id) => id !== null),
  });
  const plain = (text: string): RawPart => ({ text, special: false });
  const parts = [mark(bos), plain(query), mark(eos, sep), plain(document), mark(eos)];
  return turn.prompter.rawTokens({ parts, bos: false, grows: 0 }, most);
}
