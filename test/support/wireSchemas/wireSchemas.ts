/**
 * JSON Schemas made from the official SDKs' own types, so that what a server sends is held against them, not
 * against what we believe of them. Made once for each version and kept in `.cache/schemas/`.
 */
import { createHash } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import Ajv, { type ValidateFunction } from "ajv";
import type { Schema } from "ts-json-schema-generator";
import { devDependencies } from "../../../package.json";
import type { AnthropicTypes } from "./anthropicTypes.ts";
import type { OpenAiTypes } from "./openaiTypes.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const FOLDER = join(ROOT, ".cache", "schemas");

/** One program each: two SDKs have types of the same name. */
const SOURCES = [
  { type: "AnthropicTypes", file: "anthropicTypes.ts", version: devDependencies["@anthropic-ai/sdk"] },
  { type: "OpenAiTypes", file: "openaiTypes.ts", version: devDependencies.openai },
] as const;
type Source = (typeof SOURCES)[number];

/** Throws, naming the places, where `value` is not what the SDK's type says. */
export type CheckWire = (kind: keyof AnthropicTypes | keyof OpenAiTypes, value: unknown) => void;

export async function wireSchemas(): Promise<CheckWire> {
  const checks = new Map<string, ValidateFunction>();
  for (const source of SOURCES) {
    const { properties, definitions } = withoutNullCitations(await schemaOf(source));
    const ajv = new Ajv({ strict: false, allErrors: true });
    for (const [kind, schema] of Object.entries(properties ?? {})) {
      checks.set(kind, ajv.compile({ allOf: [schema], definitions }));
    }
  }
  return (kind, value) => {
    const check = checks.get(kind);
    if (check === undefined) throw new Error(`there are no schemas of ${kind}`);
    if (check(value)) return;
    const places = (check.errors ?? []).map((error) => `${error.instancePath || "/"} ${error.message ?? ""}`);
    throw new Error(`no ${kind}: ${[...new Set(places)].slice(0, 8).join("; ")} in ${JSON.stringify(value)}`);
  };
}

/** Text without citations says nothing of them: null is right by these types, and an error to older AI SDKs. */
function withoutNullCitations(schema: Schema): Schema {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "required" && Array.isArray(value) ? value.filter((name) => name !== "citations") : value,
  );
  return JSON.parse(text) as Schema;
}

async function schemaOf(source: Source): Promise<Schema> {
  const types = join(import.meta.dir, source.file);
  const made = createHash("sha256").update(await Bun.file(types).text());
  made.update(`${source.version} ${devDependencies["ts-json-schema-generator"]}`);
  const path = join(FOLDER, `${source.type}-${made.digest("hex").slice(0, 16)}.json`);
  if (await Bun.file(path).exists()) return (await Bun.file(path).json()) as Schema;
  // Loads TypeScript, which takes a second.
  const { createGenerator } = await import("ts-json-schema-generator");
  const schema = createGenerator({
    path: types,
    tsconfig: join(ROOT, "tsconfig.json"),
    type: source.type,
    expose: "all",
    jsDoc: "none",
    topRef: false,
    skipTypeCheck: true,
    // A server may say more than the types know.
    additionalProperties: true,
  }).createSchema(source.type);
  await mkdir(FOLDER, { recursive: true });
  // Two test runs may make it at the same time.
  const own = `${path}.${process.pid}`;
  await Bun.write(own, JSON.stringify(schema));
  await rename(own, path);
  return schema;
}
