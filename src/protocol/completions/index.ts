/** OpenAI's legacy completions: HTTP in, HTTP out; everything between is the service's. */
import { Elysia } from "elysia";
import { documented, RUNNING } from "../http/documented.ts";
import { openCall } from "../http/openCall.ts";
import { streamResponse, wholeResponse } from "../http/replyResponse.ts";
import { errorBody } from "../shared/errorBody.ts";
import type { RouteDeps } from "../shared/RouteDeps.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import { textCompletionChunks, wholeTextCompletion } from "./textCompletion.ts";
import { TEXT_COMPLETION, TEXT_EVENT, TEXT_REQUEST } from "./textSchemas.ts";
import { startText } from "./textService.ts";

/** Without `/v1` it is llama-server's own. */
const PATH = "/v1/completions";

const DOC = documented({
  tag: "completions",
  summary: "Continues a prompt, in OpenAI's form",
  body: TEXT_REQUEST,
  answer: TEXT_COMPLETION,
  events: TEXT_EVENT,
  error: OPENAI_ERROR,
  refuses: RUNNING,
});

export function completions(deps: RouteDeps): Elysia {
  const app = new Elysia({ name: "completions", aot: false });
  app.post(PATH, ({ request }) => text(request, deps), DOC);
  return app;
}

async function text(request: Request, deps: RouteDeps): Promise<Response> {
  const { service, raw, caller } = await openCall(request, deps);
  const { running, heading, request: asked } = startText(raw, caller, service, request.signal);
  if (!asked.stream) {
    return await wholeResponse(
      running,
      async (events) => JSON.stringify(await wholeTextCompletion(events, heading)),
      deps.onUnforeseen,
    );
  }
  return await streamResponse(
    running,
    (events) => textCompletionChunks(events, heading, asked.includeUsage),
    {
      clock: service.clock,
      keepAliveMs: service.limits.keepAliveMs,
      failure: (error) => JSON.stringify(errorBody(deps.onUnforeseen(error))),
    },
  );
}
