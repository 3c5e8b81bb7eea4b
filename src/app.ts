/**
 * The HTTP application: one Elysia instance a feature, composed here. Whatever goes wrong becomes one status
 * and one body in the protocol's own error form; never a stack trace, never an empty answer.
 */
import { Elysia } from "elysia";
import { AppError } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { anthropicErrorBody, speaksAnthropic } from "./protocol/anthropic/errorBody.ts";
import { anthropic } from "./protocol/anthropic/index.ts";
import { authOf } from "./protocol/http/auth.ts";
import { hideHost } from "./protocol/http/hideHost.ts";
import { errorBody } from "./protocol/openai/errorBody.ts";
import { openai } from "./protocol/openai/index.ts";
import type { ChatServiceDeps } from "./protocol/openai/service.ts";
import { responses } from "./protocol/responses/index.ts";
import { ResponseStore } from "./protocol/responses/ResponseStore.ts";

export type ServerPhase =
  | { readonly phase: "loading" }
  | { readonly phase: "ready"; readonly chat: ChatServiceDeps }
  | { readonly phase: "closing" };

export interface AppDeps {
  readonly state: () => ServerPhase;
  readonly apiKeys: readonly string[];
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

/** Seconds after which a client may find the model loaded. */
const LOADING_RETRY_SECONDS = 2;

const METHODS: Readonly<Record<string, string>> = {
  "/health": "GET, HEAD",
  "/v1/health": "GET, HEAD",
  "/v1/models": "GET",
  "/models": "GET",
  "/v1/chat/completions": "POST",
  "/chat/completions": "POST",
  "/v1/responses": "POST",
  "/responses": "POST",
  "/v1/messages": "POST",
  "/v1/messages/count_tokens": "POST",
};

export function createApp(deps: AppDeps): App {
  const auth = authOf(deps.apiKeys);
  const unforeseen = (error: unknown): AppError => toAppError(error, deps);
  const ids: RequestIds = new WeakMap();
  const shared = { ready: () => ready(deps), tenantOf: auth, onUnforeseen: unforeseen };
  const onIgnored = (id: string, ignored: readonly string[]): void =>
    deps.log.info({ id, ignored }, "asked for and not served");
  const requestIdOf = (request: Request): string => ids.get(request) ?? "";
  const app = new Elysia({ aot: false })
    .onError(({ error, code, request }) =>
      errorResponse(
        code === "NOT_FOUND" ? notFound(request) : unforeseen(error),
        request,
        requestIdOf(request),
      ),
    )
    .use(health(deps))
    .use(openai(shared))
    .use(anthropic({ ...shared, requestIdOf, onIgnored }))
    .use(responses({ ...shared, requestIdOf, onIgnored, store: new ResponseStore(deps.limits) }));
  return { fetch: (request) => answer(request, app, ids, deps) };
}

/** So that bodies and stream events can name the id that the headers do. */
type RequestIds = WeakMap<Request, string>;

async function answer(
  request: Request,
  app: Pick<Elysia, "handle">,
  ids: RequestIds,
  deps: AppDeps,
): Promise<Response> {
  hideHost(request);
  const id = requestId(request, deps);
  ids.set(request, id);
  const started = performance.now();
  let response: Response;
  try {
    response = await app.handle(request);
  } catch (error) {
    response = errorResponse(toAppError(error, deps), request, id);
  }
  response.headers.set("x-request-id", id);
  // Anthropic's name of it.
  response.headers.set("request-id", id);
  const path = new URL(request.url).pathname;
  const ms = Math.round(performance.now() - started);
  // Health is asked for every second by some.
  const level = path.endsWith("/health") ? "debug" : "info";
  deps.log[level]({ id, method: request.method, path, status: response.status, ms }, "request");
  return response;
}

/** The client's own id where it is plain and short, else a new one. */
function requestId(request: Request, deps: AppDeps): string {
  const sent = request.headers.get("x-request-id") ?? "";
  const plain = /^[\x21-\x7e]+$/.test(sent) && sent.length <= deps.limits.requestIdCharsMax;
  return plain ? sent : `req_${deps.newId()}`;
}

function ready(deps: AppDeps): ChatServiceDeps {
  const state = deps.state();
  if (state.phase === "ready") return state.chat;
  if (state.phase === "closing") {
    throw new AppError("closing", "The server is shutting down.", {
      retryAfterSeconds: LOADING_RETRY_SECONDS,
    });
  }
  throw new AppError("loading", "The model is still loading.", { retryAfterSeconds: LOADING_RETRY_SECONDS });
}

/** `warm: idle` says that nothing is planned, waiting or being warmed: the next turn is as ready as it gets. */
function health(deps: AppDeps): Elysia {
  const app = new Elysia({ name: "health", aot: false });
  const answerHealth = (): Response => {
    const state = deps.state();
    if (state.phase !== "ready")
      return Response.json({ status: state.phase }, { status: 503, headers: retry() });
    const { engine, warm } = state.chat.turn;
    const idle = warm.idle && engine.warm === "idle";
    return Response.json({ status: "ok", warm: idle ? "idle" : "working" });
  };
  for (const path of ["/health", "/v1/health"]) {
    app.get(path, answerHealth);
    app.route("HEAD", path, () => new Response(null, { status: answerHealth().status }));
  }
  return app;
}

function retry(): Record<string, string> {
  return { "retry-after": String(LOADING_RETRY_SECONDS) };
}

function notFound(request: Request): AppError {
  const path = new URL(request.url).pathname;
  const methods = METHODS[path];
  if (methods === undefined) return new AppError("not-found", `There is nothing at ${path}.`);
  return new AppError("method-not-allowed", `${path} takes ${methods}, not ${request.method}.`);
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
  if (error.code === "method-not-allowed") headers.set("allow", METHODS[path] ?? "");
  const body = speaksAnthropic(request, path) ? anthropicErrorBody(error, id) : errorBody(error);
  return Response.json(body, { status: error.row.status, headers });
}
