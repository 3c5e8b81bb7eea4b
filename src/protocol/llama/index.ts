/** llama-server's own routes: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import type { AppError } from "../../errors.ts";
import type { Caller } from "../../serve/runTurn.ts";
import { documented, RUNNING } from "../http/documented.ts";
import { readBody } from "../http/readBody.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import { sessionHint } from "../http/sessionHint.ts";
import type { ChatServiceDeps } from "../openai/service.ts";
import { completionEvents, wholeCompletions } from "./completion.ts";
import { llamaErrorBody } from "./errorBody.ts";
import { COMPLETION_ANSWER, COMPLETION_EVENT, COMPLETION_REQUEST, LLAMA_ERROR } from "./schemas.ts";
import { type StartedCompletion, startCompletion } from "./service.ts";

export interface LlamaDeps {
  /** Throws AppError while the model loads or the server closes. */
  readonly ready: () => ChatServiceDeps;
  /** Throws AppError for an unknown key. */
  readonly tenantOf: (headers: Headers) => string;
  /** For the log; the client gets a sentence without the cause. */
  readonly onUnforeseen: (error: unknown) => AppError;
}

/** The second path is llama-server's as well: OpenAI's begins with `/v1`. */
const COMPLETION = ["/completion", "/completions"] as const;

const PATHS: ReadonlySet<string> = new Set(COMPLETION);

/** Whether errors of this path are in llama-server's form. */
export function speaksLlama(path: string): boolean {
  return PATHS.has(path);
}

const COMPLETION_DOC = documented({
  tag: "completions",
  summary: "What goes on from a prompt, in llama-server's form",
  body: COMPLETION_REQUEST,
  answer: COMPLETION_ANSWER,
  events: COMPLETION_EVENT,
  error: LLAMA_ERROR,
  refuses: RUNNING,
});

export function llama(deps: LlamaDeps): Elysia {
  const app = new Elysia({ name: "llama", aot: false });
  for (const path of COMPLETION) {
    app.post(path, ({ request }) => complete(request, deps, startCompletion), COMPLETION_DOC);
  }
  return app;
}

async function complete(
  request: Request,
  deps: LlamaDeps,
  start: (raw: string, caller: Caller, service: ChatServiceDeps, signal: AbortSignal) => StartedCompletion,
): Promise<Response> {
  const tenant = deps.tenantOf(request.headers);
  const service = deps.ready();
  const raw = await readBody(request, service.limits.bodyBytesMax);
  const userAgent = request.headers.get("user-agent") ?? "";
  const caller = { tenant, userAgent, session: sessionHint(request.headers) };
  const { running, request: asked, heading } = start(raw, caller, service, request.signal);
  if (!asked.stream) {
    return await wholeResponse(
      running,
      async (events) => JSON.stringify(await wholeCompletions(events, asked, heading)),
      deps.onUnforeseen,
    );
  }
  return await streamResponse(running, (events) => completionEvents(events, asked, heading), {
    clock: service.clock,
    keepAliveMs: service.limits.keepAliveMs,
    failure: (error) => JSON.stringify(llamaErrorBody(deps.onUnforeseen(error))),
  });
}
