/** Which kinds of JSON value a schema lets through, as far as is needed to type what a model writes bare. */

import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../../json/kinds.ts";
import { unescaped } from "../../json/unescaped.ts";

export type JsonKind = "string" | "number" | "boolean" | "null" | "array" | "object";

const ALL: readonly JsonKind[] = ["string", "number", "boolean", "null", "array", "object"];
/** A schema that refers to itself ends here; real ones nest a few levels. */
const DEPTH_MAX = 16;

export function kindOfJson(value: Json): JsonKind {
  if (value === null) return "null";
  if (typeof value === "string" || typeof value === "boolean") return typeof value as "string" | "boolean";
  if (isJsonArray(value)) return "array";
  return isJsonObject(value) ? "object" : "number";
}

/** All kinds where the schema says nothing. `root` is where `$ref` starts from. */
export function schemaKinds(schema: Json | undefined, root: JsonObject, depth = 0): ReadonlySet<JsonKind> {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) return new Set(ALL);
  const sets: ReadonlySet<JsonKind>[] = [];
  const type = schema.get("type");
  const types = typeof type === "string" ? [type] : isJsonArray(type) ? type : [];
  if (types.length > 0) sets.push(new Set(types.flatMap(typeKinds)));
  const nullable = schema.get("nullable") === true;
  if ((schema.get("enum") ?? null) !== null) {
    const values = schema.get("enum");
    if (isJsonArray(values)) sets.push(new Set(values.map(kindOfJson)));
  }
  if (schema.has("const")) sets.push(new Set([kindOfJson(schema.get("const") ?? null)]));
  if (types.length === 0 && schema.has("properties")) sets.push(new Set<JsonKind>(["object"]));
  const reference = schema.get("$ref");
  if (typeof reference === "string") sets.push(schemaKinds(referred(reference, root), root, depth + 1));
  for (const word of ["anyOf", "oneOf"]) {
    const ways = schema.get(word);
    if (!isJsonArray(ways)) continue;
    sets.push(new Set(ways.flatMap((way) => [...schemaKinds(way, root, depth + 1)])));
  }
  const all = schema.get("allOf");
  if (isJsonArray(all)) for (const part of all) sets.push(schemaKinds(part, root, depth + 1));
  const kinds = ALL.filter((kind) => sets.every((set) => set.has(kind)) || (nullable && kind === "null"));
  return new Set(kinds.length === 0 ? ALL : kinds);
}

/** The schema of one argument. */
export function argumentSchema(schema: JsonObject | undefined, key: string): Json | undefined {
  const properties = schema?.get("properties");
  return isJsonObject(properties) ? properties.get(key) : undefined;
}

function typeKinds(type: Json): JsonKind[] {
  if (type === "integer") return ["number"];
  return ALL.filter((kind) => kind === type);
}

function referred(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: Json | undefined = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = unescaped(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isJsonObject(at)) at = at.get(key);
    else if (isJsonArray(at) && !isJsonNumber(at)) at = at[Number(key)];
    else return undefined;
  }
  return at;
}
