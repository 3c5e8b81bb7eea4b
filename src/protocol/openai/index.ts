/** The OpenAI routes: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import { AppError } from "../../base/AppError.ts";
import { unescaped } from "../../json/unescaped.ts";
import { documented, RUNNING } from "../http/documented.ts";
import { openCall } from "../http/openCall.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import type { PlacedEvent } from "../http/severalReplies.ts";
import { errorBody } from "../shared/errorBody.ts";
import type { NotingRouteDeps, RouteDeps } from "../shared/RouteDeps.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import { completionChunks, wholeCompletion } from "./chatCompletion.ts";
import { modelList, modelRow } from "./modelList.ts";
import { CHAT_COMPLETION, CHAT_EVENT, CHAT_REQUEST, MODEL, MODELS as MODEL_LIST } from "./schemas.ts";
import { type StartedChat, startChat } from "./startChat.ts";

const CHAT = ["/v1/chat/completions", "/chat/completions"] as const;
const MODELS = ["/v1/models", "/models"] as const;

const CHAT_DOC = documented({
  tag: "chat",
  summary: "The next message of a conversation, in OpenAI's form",
  body: CHAT_REQUEST,
  answer: CHAT_COMPLETION,
  events: CHAT_EVENT,
  error: OPENAI_ERROR,
  refuses: RUNNING,
});
const MODELS_DOC = documented({
  tag: "models",
  summary: "The model that is served, as a list",
  answer: MODEL_LIST,
  error: OPENAI_ERROR,
  refuses: ["loading", "closing"],
});
const MODEL_DOC = documented({
  tag: "models",
  summary: "The model that is served",
  answer: MODEL,
  error: OPENAI_ERROR,
  refuses: ["model-not-found", "loading", "closing"],
});

/** The same, and said once. */
const MODEL_SLASH_DOC = { ...MODEL_DOC, detail: { ...MODEL_DOC.detail, hide: true } };

export function openai(deps: NotingRouteDeps): Elysia {
  const app = new Elysia({ name: "openai", aot: false });
  for (const path of CHAT) app.post(path, ({ request }) => chat(request, deps), CHAT_DOC);
  for (const path of MODELS) {
    app.get(path, ({ request }) => listed(request, deps), MODELS_DOC);
    app.get(`${path}/:id`, ({ request, params }) => model(request, params.id, deps), MODEL_DOC);
    // Names of a hub hold a slash, which not every client escapes.
    app.get(`${path}/*`, ({ request, params }) => model(request, params["*"], deps), MODEL_SLASH_DOC);
  }
  return app;
}

function listed(request: Request, deps: RouteDeps): Response {
  deps.tenantOf(request.headers);
  return Response.json(modelList(deps.ready()));
}

function model(request: Request, escapedId: string, deps: RouteDeps): Response {
  deps.tenantOf(request.headers);
  const service = deps.ready();
  const { models } = service;
  const id = unescaped(escapedId);
  if (id === models.name) return Response.json(modelRow(service));
  throw new AppError("model-not-found", `The model \`${id}\` is not served here; \`${models.name}\` is.`);
}

async function chat(request: Request, deps: NotingRouteDeps): Promise<Response> {
  const { service, raw, caller } = await openCall(request, deps);
  const started = startChat(raw, caller, service, request.signal);
  const { ignored } = started.request;
  if (ignored.length > 0) deps.onIgnored(deps.requestIdOf(request), ignored);
  return started.request.stream ? streamed(started, service, deps) : whole(started, service, deps);
}

async function streamed(started: StartedChat, service: ServiceDeps, deps: RouteDeps): Promise<Response> {
  const { running, request, heading } = started;
  const form = { heading, request, vocab: service.turn.vocab };
  return await streamResponse(running, (events) => completionChunks(events, form), {
    clock: service.clock,
    keepAliveMs: service.limits.keepAliveMs,
    failure: (error) => JSON.stringify(errorBody(deps.onUnforeseen(error))),
  });
}

async function whole(started: StartedChat, service: ServiceDeps, deps: RouteDeps): Promise<Response> {
  const { running, request, heading } = started;
  const form = { heading, request, vocab: service.turn.vocab };
  const body = async (events: AsyncIterable<PlacedEvent>): Promise<string> =>
    JSON.stringify(await wholeCompletion(events, form));
  return await wholeResponse(running, body, deps.onUnforeseen);
}
