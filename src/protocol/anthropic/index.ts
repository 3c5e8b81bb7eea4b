/** The Anthropic routes: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import { documented, READING, RUNNING } from "../http/documented.ts";
import { needsText } from "../http/needsText.ts";
import { openCall } from "../http/openCall.ts";
import { readBody } from "../http/readBody.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import type { NotingRouteDeps } from "../shared/RouteDeps.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { anthropicErrorBody } from "./errorBody.ts";
import { messageEvents, PING, wholeMessage } from "./message.ts";
import {
  ANTHROPIC_ERROR,
  COUNT,
  COUNT_REQUEST,
  MESSAGE,
  MESSAGE_EVENT,
  MESSAGES_REQUEST,
} from "./schemas.ts";
import { countTokens, type StartedMessage, startMessage } from "./service.ts";

/** Claude Code asks these before its first request, to see whether the server answers. */
const PREFLIGHTS = ["/", "/api/hello"] as const;

const MESSAGES_DOC = documented({
  tag: "messages",
  summary: "The next message of a conversation, in Anthropic's form",
  body: MESSAGES_REQUEST,
  answer: MESSAGE,
  events: MESSAGE_EVENT,
  error: ANTHROPIC_ERROR,
  refuses: RUNNING,
});
const COUNT_DOC = documented({
  tag: "messages",
  summary: "The number of tokens of the prompt that /v1/messages would make",
  body: COUNT_REQUEST,
  answer: COUNT,
  error: ANTHROPIC_ERROR,
  refuses: [...READING, "prompt-too-long", "template-refused", "prefill-unsupported", "not-supported"],
});
const PREFLIGHT_DOC = documented({
  tag: "server",
  summary: "Liveness: whether the server answers",
  answer: null,
  error: ANTHROPIC_ERROR,
  refuses: [],
  open: true,
});

export function anthropic(deps: NotingRouteDeps): Elysia {
  const app = new Elysia({ name: "anthropic", aot: false });
  app.post("/v1/messages", ({ request }) => messages(request, deps), MESSAGES_DOC);
  app.post("/v1/messages/count_tokens", ({ request }) => count(request, deps), COUNT_DOC);
  for (const path of PREFLIGHTS) app.route("HEAD", path, () => new Response(null), PREFLIGHT_DOC);
  return app;
}

async function messages(request: Request, deps: NotingRouteDeps): Promise<Response> {
  const { service, raw, caller } = await openCall(request, deps);
  const id = deps.requestIdOf(request);
  const started = startMessage(raw, caller, id, service, request.signal);
  if (started.request.ignored.length > 0) deps.onIgnored(id, started.request.ignored);
  return await answer(started, service, deps);
}

async function answer(
  { running, request, heading }: StartedMessage,
  service: ServiceDeps,
  deps: NotingRouteDeps,
): Promise<Response> {
  if (!request.stream) {
    return await wholeResponse(running, (events) => wholeMessage(events, heading), deps.onUnforeseen);
  }
  return await streamResponse(running, (events) => messageEvents(events, heading), {
    clock: service.clock,
    keepAliveMs: service.limits.keepAliveMs,
    keepAlive: PING,
    failure: (error) => ({
      event: "error",
      data: JSON.stringify(anthropicErrorBody(deps.onUnforeseen(error), heading.requestId)),
    }),
  });
}

async function count(request: Request, deps: NotingRouteDeps): Promise<Response> {
  deps.tenantOf(request.headers);
  const service = deps.ready();
  needsText(service);
  const raw = await readBody(request, service.limits.bodyBytesMax);
  return Response.json({ input_tokens: countTokens(raw, service) });
}
