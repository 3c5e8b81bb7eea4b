/** The routes of embeddings, OpenAI's and llama-server's own: HTTP in, HTTP out. */
import { Elysia } from "elysia";
import type { AppErrorCode } from "../../errors.ts";
import { documented, READING } from "../http/documented.ts";
import { readBody } from "../http/readBody.ts";
import { LLAMA_ERROR } from "../llama/schemas.ts";
import { OPENAI_ERROR } from "../openai/schemas.ts";
import type { ChatServiceDeps } from "../openai/service.ts";
import { EMBEDDING_REQUEST, EMBEDDINGS, LLAMA_EMBEDDING_REQUEST, LLAMA_EMBEDDINGS } from "./schemas.ts";
import { type Embedded, embed, embeddingFacts, llamaAnswer, openAiAnswer } from "./service.ts";

export interface EmbeddingsDeps {
  /** Throws AppError while the model loads or the server closes. */
  readonly ready: () => ChatServiceDeps;
  /** Throws AppError for an unknown key. */
  readonly tenantOf: (headers: Headers) => string;
}

const refuses: readonly AppErrorCode[] = [
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
  refuses,
});
const LLAMA_DOC = documented({
  tag: "embeddings",
  summary: "The embedding of each input, in llama-server's form, with --embeddings",
  body: LLAMA_EMBEDDING_REQUEST,
  answer: LLAMA_EMBEDDINGS,
  error: LLAMA_ERROR,
  refuses,
});

/** What nobody reads: its client has left. */
const LEFT = 499;

export function embeddings(deps: EmbeddingsDeps): Elysia {
  const app = new Elysia({ name: "embeddings", aot: false });
  app.post("/v1/embeddings", ({ request }) => answered(request, deps, openAiAnswer), OPENAI_DOC);
  for (const path of ["/embedding", "/embeddings"]) {
    app.post(path, ({ request }) => answered(request, deps, llamaAnswer), LLAMA_DOC);
  }
  return app;
}

async function answered(
  request: Request,
  { tenantOf, ready }: EmbeddingsDeps,
  form: (embedded: Embedded) => object,
): Promise<Response> {
  tenantOf(request.headers);
  const service = ready();
  embeddingFacts(service);
  const raw = await readBody(request, service.limits.bodyBytesMax);
  try {
    return Response.json(form(await embed(raw, service, request.signal)));
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: LEFT });
    throw error;
  }
}
