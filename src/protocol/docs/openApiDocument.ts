/** `/openapi.json`: what the routes say of themselves, put together by Elysia's plugin. */
import type { AnyElysia } from "elysia";
import { version } from "../../../package.json";

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: object;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** As far as the page reads it. */
export interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
export type Content = Readonly<Record<string, { readonly schema: Schema }>>;
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const HEAD = {
  openapi: "3.1.0",
  info: {
    title: "warmturn",
    version,
    description: "An LLM server whose next turn is already prefilled when it arrives.",
  },
  // Relative to where the document was read.
  servers: [{ url: "/" }],
};

const SECURITY = {
  security: [{ bearer: [] }, { apiKey: [] }, {}],
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", description: "Needed if the server has API keys." },
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "x-api-key",
      description: "The same key in Anthropic's header.",
    },
  },
};

export async function openApiDocument(app: AnyElysia): Promise<OpenApiDocument> {
  // Imported here, so that a server that is never asked for it does not load the plugin.
  const { toOpenAPISchema } = await import("@elysiajs/openapi/openapi");
  const schemas: Record<string, Schema> = {};
  const paths = named(toOpenAPISchema(app, { staticFile: false }).paths, schemas);
  const { security, securitySchemes } = SECURITY;
  return { ...HEAD, security, paths, components: { securitySchemes, schemas } };
}

/** Each schema with an `$id` goes to `schemas` and leaves a reference. What comes back is plain JSON. */
function named(paths: unknown, schemas: Record<string, Schema>): OpenApiDocument["paths"] {
  const text = JSON.stringify(paths);
  return JSON.parse(text, (_, value: unknown) => {
    if (!isSchemaWithId(value)) return value;
    const { $id, ...schema } = value;
    schemas[$id] ??= schema;
    return { $ref: `#/components/schemas/${$id}` };
  });
}

function isSchemaWithId(value: unknown): value is Schema & { readonly $id: string } {
  return typeof value === "object" && value !== null && "$id" in value && typeof value.$id === "string";
}
