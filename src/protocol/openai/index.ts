/** The OpenAI routes: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import { AppError } from "../../errors.ts";
import type { ReplyEvent } from "../../serve/reply.ts";
import { readBody } from "../http/readBody.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import { sessionHint } from "../http/sessionHint.ts";
import { completionChunks, wholeCompletion } from "./chatCompletion.ts";
import { errorBody } from "./errorBody.ts";
import { type ChatServiceDeps, modelList, modelRow, type StartedChat, startChat } from "./service.ts";

export interface OpenAiDeps {
  /** Throws AppError while the model loads or the server closes. */
  readonly ready: () => ChatServiceDeps;
  /** Throws AppError for an unknown key. */
  readonly tenantOf: (headers: Headers) => string;
  /** For the log; the client gets a sentence without the cause. */
  readonly onUnforeseen: (error: unknown) => AppError;
}

const CHAT = ["/v1/chat/completions", "/chat/completions"] as const;
const MODELS = ["/v1/models", "/models"] as const;

export function openai(deps: OpenAiDeps): Elysia {
  const app = new Elysia({ name: "openai", aot: false });
  for (const path of CHAT) {
    // The body stays unread: the service wants its raw text, and as little of it as can be refused.
    app.post(path, ({ request }) => chat(request, deps), { parse: [() => "unread"] });
  }
  for (const path of MODELS) {
    app.get(path, ({ request }) => {
      deps.tenantOf(request.headers);
      return Response.json(modelList(deps.ready().models));
    });
    app.get(`${path}/:id`, ({ request, params }) => {
      deps.tenantOf(request.headers);
      const { models } = deps.ready();
      const id = decodeURIComponent(params.id);
      if (id === models.name) return Response.json(modelRow(id, models.createdSeconds));
      throw new AppError("model-not-found", `The model \`${id}\` is not served here; \`${models.name}\` is.`);
    });
  }
  return app;
}

async function chat(request: Request, deps: OpenAiDeps): Promise<Response> {
  const tenant = deps.tenantOf(request.headers);
  const service = deps.ready();
  const raw = await readBody(request, service.limits.bodyBytesMax);
  const userAgent = request.headers.get("user-agent") ?? "";
  const session = sessionHint(request.headers);
  const started = startChat(raw, { tenant, userAgent }, session, service, request.signal);
  return started.request.stream ? streamed(started, service, deps) : whole(started, deps);
}

async function streamed(started: StartedChat, service: ChatServiceDeps, deps: OpenAiDeps): Promise<Response> {
  const { running, request, heading } = started;
  return await streamResponse(running, (events) => completionChunks(events, heading, request.includeUsage), {
    clock: service.clock,
    keepAliveMs: service.limits.keepAliveMs,
    failure: (error) => JSON.stringify(errorBody(deps.onUnforeseen(error))),
  });
}

async function whole({ running, heading }: StartedChat, deps: OpenAiDeps): Promise<Response> {
  const body = async (events: AsyncIterable<ReplyEvent>): Promise<string> =>
    JSON.stringify(await wholeCompletion(events, heading));
  return await wholeResponse(running, body, deps.onUnforeseen);
}
