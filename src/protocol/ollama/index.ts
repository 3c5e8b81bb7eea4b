/** Ollama's routes: HTTP in, HTTP out; everything between is the service's. Streams are lines of JSON. */
import { Elysia } from "elysia";
import { AppError } from "../../base/AppError.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";
import { writeJson } from "../../json/writeJson.ts";
import { answered, type EmbedAnswer } from "../embeddings/evaluated.ts";
import { type Embedded, embed, pooledFacts } from "../embeddings/service.ts";
import { openCall } from "../http/openCall.ts";
import { readBody } from "../http/readBody.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import type { NotingRouteDeps, RouteDeps } from "../shared/RouteDeps.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { DOCS } from "./docs.ts";
import { ollamaErrorBody } from "./errorBody.ts";
import { readChatRequest, readGenerateRequest } from "./model.ts";
import { running, shown, tags, versionOf } from "./models.ts";
import { loaded, type ReplyForm, replyLines, saysNothing, wholeReply } from "./replyLines.ts";
import { startOllama } from "./service.ts";

export function ollama(deps: NotingRouteDeps): Elysia {
  const app = new Elysia({ name: "ollama", aot: false });
  app.post("/api/chat", ({ request }) => reply("chat", request, deps), DOCS.chat);
  app.post("/api/generate", ({ request }) => reply("generate", request, deps), DOCS.generate);
  app.get("/api/tags", ({ request }) => told(request, deps, tags), DOCS.tags);
  app.get("/api/ps", ({ request }) => told(request, deps, running), DOCS.running);
  app.get("/api/version", () => Response.json(versionOf()), DOCS.version);
  app.post("/api/show", ({ request }) => show(request, deps), DOCS.show);
  app.post("/api/embed", ({ request }) => answered(request, deps, EMBED), DOCS.embed);
  app.post("/api/embeddings", ({ request }) => answered(request, deps, EMBEDDING), DOCS.embedding);
  for (const path of ["/api/pull", "/api/push", "/api/create", "/api/copy", "/api/blobs/:digest"]) {
    app.post(path, ({ request }) => refuse(request, deps), DOCS.manage);
  }
  app.delete("/api/delete", ({ request }) => refuse(request, deps), DOCS.manage);
  return app;
}

async function reply(kind: ReplyForm["kind"], request: Request, deps: NotingRouteDeps): Promise<Response> {
  const { service, raw, caller } = await openCall(request, deps);
  const read = kind === "chat" ? readChatRequest : readGenerateRequest;
  const { request: asked, model, running } = startOllama(raw, read, caller, service, request.signal);
  const { ignored, stream } = asked;
  if (ignored.length > 0) deps.onIgnored(deps.requestIdOf(request), ignored);
  const createdAt = (): string => new Date(service.clock.nowSeconds() * 1000).toISOString();
  const form: ReplyForm = { kind, model, createdAt };
  if (running === null) {
    const type = stream ? LINES : "application/json;charset=utf-8";
    return new Response(`${loaded(form)}${stream ? "\n" : ""}`, { headers: { "content-type": type } });
  }
  if (!stream) return await wholeResponse(running, (events) => wholeReply(events, form), deps.onUnforeseen);
  return await streamResponse(running, (events) => replyLines(events, form), {
    clock: service.clock,
    keepAliveMs: service.limits.keepAliveMs,
    keepAlive: saysNothing(form),
    asLines: true,
    failure: (error) => JSON.stringify(ollamaErrorBody(deps.onUnforeseen(error))),
  });
}

const LINES = "application/x-ndjson";

function told(request: Request, deps: RouteDeps, tell: (service: ServiceDeps) => object): Response {
  deps.tenantOf(request.headers);
  return Response.json(tell(deps.ready()));
}

async function show(request: Request, deps: RouteDeps): Promise<Response> {
  deps.tenantOf(request.headers);
  const service = deps.ready();
  return Response.json(shown(await readBody(request, service.limits.bodyBytesMax), service));
}

function refuse(request: Request, deps: RouteDeps): Response {
  deps.tenantOf(request.headers);
  throw new AppError(
    "not-supported",
    "This server serves the one model that it was started with: fetch models with `warmturn pull NAME`, and start it " +
      "with `warmturn -m NAME`.",
  );
}

const EMBED: EmbedAnswer = {
  check: pooledFacts,
  of: async (...request) => {
    const { model, tokens, inputs } = await embed(...request);
    return {
      model,
      embeddings: vectorsOf(inputs),
      total_duration: 0,
      load_duration: 0,
      prompt_eval_count: tokens,
    };
  },
};

const EMBEDDING: EmbedAnswer = {
  check: pooledFacts,
  of: async (raw, ...rest) => {
    const { inputs } = await ofPrompt(() => embed(promptAsInput(raw), ...rest));
    return { embedding: vectorsOf(inputs)[0] ?? [] };
  },
};

function vectorsOf(inputs: Embedded["inputs"]): number[][] {
  return inputs.flat().map((vector) => [...vector]);
}

/** What is wrong with the input is said of `prompt`. */
async function ofPrompt<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.field?.startsWith("input") !== true) throw error;
    const { code, message, field, numbers } = error;
    throw new AppError(code, message.replace(/^input/, "prompt"), {
      field: field.replace(/^input/, "prompt"),
      numbers,
    });
  }
}

/** The older form names it `prompt`; what does not parse is refused where it is read. */
function promptAsInput(raw: string): string {
  try {
    const body = parseJson(raw);
    if (!isJsonObject(body) || !body.has("prompt")) return raw;
    return writeJson(new Map([...body, ["input", body.get("prompt") ?? null]]), "compact");
  } catch {
    return raw;
  }
}
