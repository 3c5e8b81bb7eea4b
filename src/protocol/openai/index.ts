/** The OpenAI routes: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import { AppError } from "../../errors.ts";
import type { ReplyEvent } from "../../serve/reply.ts";
import type { RunningTurn } from "../../serve/runTurn.ts";
import { readBody } from "../http/readBody.ts";
import { SSE_HEADERS, sseStream } from "../http/sseStream.ts";
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

/** Header names that say which conversation a request belongs to; hints, never more. */
const SESSION_HEADERS = ["x-session-id", "session-id", "x-claude-code-session-id"] as const;

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
  const session =
    SESSION_HEADERS.map((name) => request.headers.get(name) ?? "").find((id) => id !== "") ?? "";
  const started = startChat(raw, { tenant, userAgent }, session, service, request.signal);
  return started.request.stream ? streamed(started, service, deps) : whole(started, deps);
}

async function streamed(started: StartedChat, service: ChatServiceDeps, deps: OpenAiDeps): Promise<Response> {
  const { running, request, heading } = started;
  const events = await accepted(running);
  const body = sseStream(completionChunks(events, heading, request.includeUsage), {
    clock: service.clock,
    keepAliveMs: service.limits.keepAliveMs,
    failure: (error) => JSON.stringify(errorBody(deps.onUnforeseen(error))),
    onClose: (wholeSent) => running.close(wholeSent),
  });
  return new Response(body, { headers: SSE_HEADERS });
}

/** Waits for the engine's word, so that what is refused has a real status. */
async function accepted(running: RunningTurn): Promise<AsyncIterable<ReplyEvent>> {
  const iterator = running.events[Symbol.asyncIterator]();
  try {
    await iterator.next();
  } catch (error) {
    running.close(false);
    throw error;
  }
  return { [Symbol.asyncIterator]: () => iterator };
}

async function whole({ running, heading }: StartedChat, deps: OpenAiDeps): Promise<Response> {
  try {
    const response = Response.json(await wholeCompletion(running.events, heading));
    // After the answer has gone to the socket.
    setImmediate(() => running.close(true));
    return response;
  } catch (error) {
    running.close(false);
    throw error instanceof AppError ? error : deps.onUnforeseen(error);
  }
}
