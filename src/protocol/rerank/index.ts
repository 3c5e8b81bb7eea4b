/** The routes of reranking, all of llama-server's names: HTTP in, HTTP out. */
import { Elysia } from "elysia";
import { answered, type EmbedAnswer, type EmbedRouteDeps } from "../embeddings/evaluated.ts";
import { EVALUATING } from "../embeddings/index.ts";
import { documented } from "../http/documented.ts";
import { LLAMA_ERROR } from "../llama/schemas.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import { RERANK_REQUEST, RERANKED } from "./schemas.ts";
import { rankingFacts, rerank } from "./service.ts";

const PATHS = [
  ["/v1/rerank", OPENAI_ERROR],
  ["/v1/reranking", OPENAI_ERROR],
  ["/rerank", LLAMA_ERROR],
  ["/reranking", LLAMA_ERROR],
] as const;

const ANSWER: EmbedAnswer = { check: rankingFacts, of: rerank };

export function reranking(deps: EmbedRouteDeps): Elysia {
  const app = new Elysia({ name: "rerank", aot: false });
  for (const [path, error] of PATHS) {
    const doc = documented({
      tag: "embeddings",
      summary: "Documents by their relevance to a query, with --rerank",
      body: RERANK_REQUEST,
      answer: RERANKED,
      error,
      refuses: EVALUATING,
    });
    app.post(path, ({ request }) => answered(request, deps, ANSWER), doc);
  }
  return app;
}
