/** llama-server's own routes: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import { version } from "../../../package.json";
import { AppError } from "../../base/AppError.ts";
import { openCall } from "../http/openCall.ts";
import { readBody } from "../http/readBody.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import type { RouteDeps } from "../shared/RouteDeps.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { completionEvents, wholeCompletions } from "./completion.ts";
import { DOCS } from "./docs.ts";
import { llamaErrorBody } from "./errorBody.ts";
import { readScales } from "./lora.ts";
import { METRICS_TYPE, metricsText } from "./metrics.ts";
import { propsOf } from "./props.ts";
import { appliedTemplate, type Start, startCompletion, startInfill } from "./service.ts";
import { type KeyNameOf, slotsOf } from "./slots.ts";
import { detokenized, tokenized } from "./tokens.ts";

export interface LlamaDeps extends RouteDeps {
  readonly keyNameOf: KeyNameOf;
}

/** The second path is llama-server's as well: OpenAI's begins with `/v1`. */
const COMPLETION = ["/completion", "/completions"] as const;

const PATHS =
  /^\/(completions?|embeddings?|rerank|reranking|infill|tokenize|detokenize|apply-template|props|slots(\/[^/]*)?|metrics|lora-adapters|version)\/?$/;

/** Whether errors of this path are in llama-server's form. */
export function speaksLlama(path: string): boolean {
  return PATHS.test(path);
}

export function llama(deps: LlamaDeps): Elysia {
  const app = new Elysia({ name: "llama", aot: false });
  for (const path of COMPLETION) {
    app.post(path, ({ request }) => complete(request, deps, startCompletion), DOCS.completion);
  }
  app.post("/infill", ({ request }) => complete(request, deps, startInfill), DOCS.infill);
  app.post("/tokenize", ({ request }) => answered(request, deps, tokenized), DOCS.tokenize);
  app.post("/detokenize", ({ request }) => answered(request, deps, detokenized), DOCS.detokenize);
  app.post("/apply-template", ({ request }) => answered(request, deps, appliedTemplate), DOCS.applyTemplate);
  app.get("/props", ({ request }) => Response.json(propsOf(keyed(request, deps))), DOCS.props);
  app.post("/props", ({ request }) => refused(request, deps, "changing global properties"), DOCS.setProps);
  app.get("/slots", ({ request }) => slots(request, deps), DOCS.slots);
  app.post("/slots/:id", ({ request }) => refused(request, deps, "slots actions"), DOCS.slotAction);
  app.get("/metrics", ({ request }) => metrics(request, deps), DOCS.metrics);
  app.get("/lora-adapters", ({ request }) => Response.json(keyed(request, deps) && []), DOCS.lora);
  app.post("/lora-adapters", ({ request }) => answered(request, deps, readScales), DOCS.setLora);
  app.get("/version", ({ request }) => Response.json(keyed(request, deps) && { version }), DOCS.version);
  return app;
}

/** For whoever has a key; throws AppError for others. */
function keyed(request: Request, { tenantOf, ready }: LlamaDeps): ServiceDeps {
  tenantOf(request.headers);
  return ready();
}

async function answered(
  request: Request,
  deps: LlamaDeps,
  answer: (raw: string, service: ServiceDeps) => object,
): Promise<Response> {
  const service = keyed(request, deps);
  return Response.json(answer(await readBody(request, service.limits.bodyBytesMax), service));
}

function refused(request: Request, deps: LlamaDeps, what: string): never {
  keyed(request, deps);
  throw new AppError("not-supported", `This server does not support ${what}.`);
}

function slots(request: Request, deps: LlamaDeps): Response {
  const tenant = deps.tenantOf(request.headers);
  const service = deps.ready();
  if (!service.endpoints.slots) {
    throw new AppError(
      "not-supported",
      "This server does not support slots endpoint. Start it without `--no-slots`.",
    );
  }
  const isFull = service.turn.activity.lanes.every(({ busy }) => busy);
  if (isFull && new URL(request.url).searchParams.get("fail_on_no_slot")) {
    throw new AppError("no-slot", "no slot available");
  }
  return Response.json(slotsOf(service, tenant, deps.keyNameOf));
}

async function metrics(request: Request, deps: LlamaDeps): Promise<Response> {
  const tenant = deps.tenantOf(request.headers);
  const service = deps.ready();
  if (service.endpoints.metrics) {
    return new Response(await metricsText(service, tenant), { headers: { "content-type": METRICS_TYPE } });
  }
  throw new AppError(
    "not-supported",
    "This server does not support metrics endpoint. Start it with `--metrics`.",
  );
}

async function complete(request: Request, deps: LlamaDeps, start: Start): Promise<Response> {
  const { service, raw, caller } = await openCall(request, deps);
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
