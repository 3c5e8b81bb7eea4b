/**
 * The HTTP application: composes one Elysia instance a feature. Every failure becomes one status and one body in the
 * protocol's own error form, never a stack trace or an empty answer.
 */
import { type AnyElysia, Elysia } from "elysia";
import { AppError } from "../base/AppError.ts";
import type { Limits } from "../base/limits.ts";
import { anthropicErrorBody, speaksAnthropic } from "../protocol/anthropic/errorBody.ts";
import { anthropic } from "../protocol/anthropic/index.ts";
import { completions } from "../protocol/completions/index.ts";
import { docs } from "../protocol/docs/index.ts";
import { openApiDocument } from "../protocol/docs/openApiDocument.ts";
import { embeddings } from "../protocol/embeddings/index.ts";
import { health } from "../protocol/health/index.ts";
import { notReady, type ServerPhase } from "../protocol/health/ServerPhase.ts";
import { type ApiKey, type Auth, authOf } from "../protocol/http/auth.ts";
import { type Cors, corsOf } from "../protocol/http/cors.ts";
import { gateOf } from "../protocol/http/gate.ts";
import { hideHost } from "../protocol/http/hideHost.ts";
import { type Methods, methodsOf } from "../protocol/http/methodsOf.ts";
import { llamaErrorBody } from "../protocol/llama/errorBody.ts";
import { llama, speaksLlama } from "../protocol/llama/index.ts";
import { ollamaErrorBody, speaksOllama } from "../protocol/ollama/errorBody.ts";
import { ollama } from "../protocol/ollama/index.ts";
import { openai } from "../protocol/openai/index.ts";
import { page } from "../protocol/page/index.ts";
import { reranking } from "../protocol/rerank/index.ts";
import { responses } from "../protocol/responses/index.ts";
import { ResponseStore } from "../protocol/responses/ResponseStore.ts";
import { errorBody } from "../protocol/shared/errorBody.ts";
import type { ServiceDeps } from "../protocol/shared/ServiceDeps.ts";

export interface AppDeps {
  readonly state: () => ServerPhase;
  readonly apiKeys: readonly ApiKey[];
  /** What is listened on. */
  readonly host: string;
  /** Of `hostNameOf`. */
  readonly allowedHosts: readonly string[];
  /** Of `originOf`. */
  readonly corsOrigins: readonly string[];
  readonly limits: Limits;
  readonly newId: () => string;
  /** One line a request; text of messages never. */
  readonly log: {
    debug(fields: object, message: string): void;
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

export interface App {
  /** Never rejects. */
  fetch(request: Request): Promise<Response>;
}

/** Throws where a route is not documented. */
export function createApp(deps: AppDeps): App {
  const auth = authOf(deps.apiKeys);
  const unforeseen = (error: unknown): AppError => toAppError(error, deps);
  const ids: RequestIds = new WeakMap();
  const requestIdOf = (request: Request): string => ids.get(request) ?? "";
  const shared = { ready: () => ready(deps), tenantOf: auth.tenantOf, onUnforeseen: unforeseen, requestIdOf };
  const onIgnored = (id: string, ignored: readonly string[]): void =>
    deps.log.info({ id, ignored }, "asked for and not served");
  const app: AnyElysia = new Elysia({ aot: false })
    .onError(({ error, code, request }) => {
      if (code === "NOT_FOUND") return notFound(request, methods, requestIdOf(request));
      return errorResponse(unforeseen(error), request, requestIdOf(request));
    })
    .use(health(deps.state))
    .use(docs(() => openApiDocument(app)))
    .use(page(shared))
    .use(openai({ ...shared, onIgnored }))
    .use(completions(shared))
    .use(llama({ ...shared, keyNameOf: auth.nameOfTenant }))
    .use(embeddings(shared))
    .use(reranking(shared))
    .use(anthropic({ ...shared, onIgnored }))
    .use(ollama({ ...shared, onIgnored }))
    .use(responses({ ...shared, onIgnored, store: new ResponseStore(deps.limits) }));
  const methods = methodsOf(app.routes);
  const cors = corsOf(deps.corsOrigins, methods);
  const { host, allowedHosts } = deps;
  const gate = gateOf({ host, allowedHosts, cors, hasKeys: deps.apiKeys.length > 0 });
  const handle = async (request: Request): Promise<Response> => {
    gate(request.headers);
    return cors.preflight(request) ?? (await headAsGet(request, methods, app));
  };
  return { fetch: (request) => answer(request, { handle, ids, auth, cors, deps }) };
}

/** So that bodies and stream events can name the id that the headers do. */
type RequestIds = WeakMap<Request, string>;

interface Around {
  readonly handle: (request: Request) => Promise<Response>;
  readonly ids: RequestIds;
  readonly auth: Auth;
  readonly cors: Cors;
  readonly deps: AppDeps;
}

async function answer(request: Request, { handle, ids, auth, cors, deps }: Around): Promise<Response> {
  hideHost(request);
  const id = requestId(request, deps);
  ids.set(request, id);
  const { method } = request;
  const started = performance.now();
  let response: Response;
  try {
    response = await handle(request);
  } catch (error) {
    response = errorResponse(toAppError(error, deps), request, id);
  }
  response.headers.set("x-request-id", id);
  // Anthropic's name of it.
  response.headers.set("request-id", id);
  cors.allow(request, response.headers);
  const path = new URL(request.url).pathname;
  const ms = Math.round(performance.now() - started);
  // Health at a lower level: some clients ask for it every second.
  const level = path.endsWith("/health") ? "debug" : "info";
  const key = auth.nameOf(request.headers);
  const who = key === null ? {} : { key };
  // Nobody is there to read the answer of a client that has left.
  const status = request.signal.aborted ? CLIENT_LEFT : response.status;
  deps.log[level]({ id, method, path, ...who, status, head_ms: ms }, "request");
  return response;
}

/** As nginx logs it. */
const CLIENT_LEFT = 499;

/** HEAD is answered wherever GET is, and never with a body. */
async function headAsGet(
  request: Request,
  methods: Methods,
  app: Pick<AnyElysia, "handle">,
): Promise<Response> {
  if (request.method !== "HEAD") return await app.handle(request);
  const taken = methods(new URL(request.url).pathname) ?? "";
  if (taken.includes("GET")) Object.defineProperty(request, "method", { value: "GET" });
  const answered = await app.handle(request);
  const { status, headers } = answered;
  // As long as GET's would be; Bun says 0 where nothing is said.
  if (answered.body !== null && !headers.has("content-length")) {
    headers.set("content-length", String((await answered.arrayBuffer()).byteLength));
  }
  return new Response(null, { status, headers });
}

/** The client's own id where it is plain and short, else a new one. */
function requestId(request: Request, deps: AppDeps): string {
  const sent = request.headers.get("x-request-id") ?? "";
  const plain = /^[\x21-\x7e]+$/.test(sent) && sent.length <= deps.limits.requestIdCharsMax;
  return plain ? sent : `req_${deps.newId()}`;
}

function ready({ state }: AppDeps): ServiceDeps {
  const now = state();
  if (now.phase === "ready") return now.chat;
  throw notReady(now.phase);
}

function notFound(request: Request, methodsOf: Methods, id: string): Response {
  const path = new URL(request.url).pathname;
  const methods = methodsOf(path);
  if (methods === null) {
    return errorResponse(new AppError("not-found", `There is nothing at ${path}.`), request, id);
  }
  const error = new AppError("method-not-allowed", `${path} takes ${methods}, not ${request.method}.`);
  const response = errorResponse(error, request, id);
  response.headers.set("allow", methods);
  return response;
}

function toAppError(error: unknown, deps: AppDeps): AppError {
  if (error instanceof AppError) return error;
  deps.log.error({ err: error }, "unforeseen error");
  return new AppError("internal", "The server failed to answer this request; its log says why.");
}

function errorResponse(error: AppError, request: Request, id: string): Response {
  const path = new URL(request.url).pathname;
  const headers = new Headers();
  if (error.retryAfterSeconds !== null) headers.set("retry-after", String(error.retryAfterSeconds));
  return Response.json(bodyOf(error, request, path, id), { status: error.row.status, headers });
}

function bodyOf(error: AppError, request: Request, path: string, id: string): object {
  if (speaksAnthropic(request, path)) return anthropicErrorBody(error, id);
  if (speaksOllama(path)) return ollamaErrorBody(error);
  return speaksLlama(path) ? llamaErrorBody(error) : errorBody(error);
}
