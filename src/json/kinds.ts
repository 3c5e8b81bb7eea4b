/** Tells the kinds of Json apart. `Array.isArray` alone does not narrow a readonly array out of a union. */
import type { Json, JsonNumber, JsonObject } from "./json.ts";

export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

export function isJsonNumber(value: Json | undefined): value is JsonNumber {
  return typeof value === "object" && value !== null && !isJsonArray(value) && !isJsonObject(value);
}
