/** `/`: one page that shows what happens and tries the model, and `/warmturn/live`, which it asks each second. */
import { Elysia } from "elysia";
import { AppError } from "../../base/AppError.ts";
import { documented } from "../http/documented.ts";
import type { RouteDeps } from "../shared/RouteDeps.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import { PAGE } from "./built.ts";
import { contentPolicy } from "./contentPolicy.ts";
import { liveOf } from "./live.ts";
import { LIVE } from "./schemas.ts";

const COMMON = { tag: "server", error: OPENAI_ERROR } as const;

const PAGE_DOC = documented({
  ...COMMON,
  summary: "The page: what the server does now, and a chat to try the model",
  description:
    "Needs no key, and is served while the model loads. The page asks for its contents with the key.",
  answer: "text/html",
  refuses: [],
  open: true,
});

const LIVE_DOC = documented({
  ...COMMON,
  summary: "What happens now, and the last turns of this key",
  description: "Numbers only, no text of messages. Off with `--no-slots`.",
  answer: LIVE,
  refuses: ["loading", "closing", "not-supported"],
});

const PAGE_HEADERS = {
  "content-type": "text/html;charset=utf-8",
  "content-security-policy": contentPolicy(PAGE),
  "cache-control": "no-cache",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export function page({ ready, tenantOf }: RouteDeps): Elysia {
  const app = new Elysia({ name: "page", aot: false });
  app.get("/", () => new Response(PAGE, { headers: PAGE_HEADERS }), PAGE_DOC);
  app.get(
    "/warmturn/live",
    ({ request }) => {
      const tenant = tenantOf(request.headers);
      const service = ready();
      if (!service.endpoints.slots) {
        throw new AppError("not-supported", "The live view is off. Start the server without `--no-slots`.");
      }
      return Response.json(liveOf(service, tenant), { headers: { "cache-control": "no-store" } });
    },
    LIVE_DOC,
  );
  return app;
}
