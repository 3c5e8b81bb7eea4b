/** The routes of embeddings, OpenAI's and llama-server's own: HTTP in, HTTP out. */
import { Elysia } from "elysia";
import type { AppErrorCode } from "../../base/AppError.ts";
import { documented, READING } from "../http/documented.ts";
import { LLAMA_ERROR } from "../llama/schemas.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import { answered, type EmbedAnswer, type EmbedRouteDeps } from "./evaluated.ts";
import { EMBEDDING_REQUEST, EMBEDDINGS, LLAMA_EMBEDDING_REQUEST, LLAMA_EMBEDDINGS } from "./schemas.ts";
import { embed, embeddingFacts, llamaAnswer, openAiAnswer, pooledFacts } from "./service.ts";

/** What runs nothing but one evaluation may be refused for. */
export const EVALUATING: readonly AppErrorCode[] = [
  ...READING,
  "prompt-too-long",
  "queue-full",
  "engine-failed",
  "not-supported",
];
const OPENAI_DOC = documented({
  tag: "embeddings",
  summary: "The embedding of each input, with --embeddings",
  body: EMBEDDING_REQUEST,
  answer: EMBEDDINGS,
  error: OPENAI_ERROR,
  refuses: EVALUATING,
});
const LLAMA_DOC = documented({
  tag: "embeddings",
  summary: "The embedding of each input, in llama-server's form, with --embeddings",
  body: LLAMA_EMBEDDING_REQUEST,
  answer: LLAMA_EMBEDDINGS,
  error: LLAMA_ERROR,
  refuses: EVALUATING,
});

export function embeddings(deps: EmbedRouteDeps): Elysia {
  const app = new Elysia({ name: "embeddings", aot: false });
  app.post("/v1/embeddings", ({ request }) => answered(request, deps, OPENAI), OPENAI_DOC);
  for (const path of ["/embedding", "/embeddings"]) {
    app.post(path, ({ request }) => answered(request, deps, LLAMA), LLAMA_DOC);
  }
  return app;
}

const OPENAI: EmbedAnswer = {
  check: pooledFacts,
  of: async (...request) => openAiAnswer(await embed(...request)),
};
const LLAMA: EmbedAnswer = {
  check: embeddingFacts,
  of: async (...request) => llamaAnswer(await embed(...request)),
};
