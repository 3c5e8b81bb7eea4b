/** The routes of the Responses API: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import { documented, RUNNING } from "../http/documented.ts";
import { openCall } from "../http/openCall.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import type { NotingRouteDeps } from "../shared/RouteDeps.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import type { ResponseStore } from "./ResponseStore.ts";
import { RESPONSE, RESPONSE_DELETED, RESPONSE_EVENT, RESPONSES_REQUEST } from "./schemas.ts";
import { deleteResponse, type StartedResponse, startResponse, storedResponse } from "./service.ts";

export interface ResponsesDeps extends NotingRouteDeps {
  readonly store: ResponseStore;
}

const PATHS = ["/v1/responses", "/responses"] as const;

const COMMON = { tag: "responses", error: OPENAI_ERROR } as const;
const CREATE_DOC = documented({
  ...COMMON,
  summary: "The next response, in the form of OpenAI's Responses API",
  body: RESPONSES_REQUEST,
  answer: RESPONSE,
  events: RESPONSE_EVENT,
  refuses: [...RUNNING, "not-found"],
});
const READ_DOC = documented({
  ...COMMON,
  summary: "A stored response",
  answer: RESPONSE,
  refuses: ["not-found"],
});
const DELETE_DOC = documented({
  ...COMMON,
  summary: "Forgets a stored response",
  answer: RESPONSE_DELETED,
  refuses: ["not-found"],
});

export function responses(deps: ResponsesDeps): Elysia {
  const app = new Elysia({ name: "responses", aot: false });
  for (const path of PATHS) {
    app.post(path, ({ request }) => create(request, deps), CREATE_DOC);
    app.get(`${path}/:id`, ({ request, params }) => read(request, params.id, deps), READ_DOC);
    app.delete(`${path}/:id`, ({ request, params }) => forget(request, params.id, deps), DELETE_DOC);
  }
  return app;
}

function read({ headers }: Request, id: string, { tenantOf, store }: ResponsesDeps): Response {
  const body = storedResponse(id, tenantOf(headers), store);
  return new Response(body, { headers: { "content-type": "application/json;charset=utf-8" } });
}

function forget({ headers }: Request, id: string, { tenantOf, store }: ResponsesDeps): Response {
  return Response.json(deleteResponse(id, tenantOf(headers), store));
}

async function create(request: Request, deps: ResponsesDeps): Promise<Response> {
  const { service, raw, caller } = await openCall(request, deps);
  const started = startResponse(raw, caller, deps.store, service, request.signal);
  const { ignored } = started.request;
  if (ignored.length > 0) deps.onIgnored(deps.requestIdOf(request), ignored);
  return await answer(started, service, deps);
}

async function answer(
  { running, request, writer }: StartedResponse,
  service: ServiceDeps,
  deps: ResponsesDeps,
): Promise<Response> {
  if (!request.stream) {
    return await wholeResponse(running, (events) => writer.whole(events), deps.onUnforeseen);
  }
  return await streamResponse(running, (events) => writer.events(events), {
    clock: service.clock,
    keepAliveMs: service.limits.keepAliveMs,
    failure: (error) => writer.failed(deps.onUnforeseen(error)),
  });
}
