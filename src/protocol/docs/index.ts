/** What the server serves, told by itself: `/openapi.json` for machines, `/docs` for people. */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { documented } from "../http/documented.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import { docsPage } from "./docsPage.ts";
import type { OpenApiDocument } from "./openApiDocument.ts";

const COMMON = { tag: "server", error: OPENAI_ERROR, refuses: [], open: true } as const;

/** Nothing on the page may load or run anything. */
const PAGE_HEADERS = {
  "content-type": "text/html;charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

export function docs(document: () => Promise<OpenApiDocument>): Elysia {
  const app = new Elysia({ name: "docs", aot: false });
  let made: Promise<OpenApiDocument> | undefined;
  const once = (): Promise<OpenApiDocument> => {
    made ??= document();
    return made;
  };
  app.get(
    "/openapi.json",
    async () => Response.json(await once()),
    documented({ ...COMMON, summary: "This description, as OpenAPI 3.1", answer: Type.Object({}) }),
  );
  app.get(
    "/docs",
    async () => new Response(docsPage(await once()), { headers: PAGE_HEADERS }),
    documented({ ...COMMON, summary: "This description, as a page", answer: "text/html" }),
  );
  return app;
}
