/** Reading fields of a request body: every error names the field and what would be right. */
import { AppError } from "../base/AppError.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";

export function invalid(field: string, message: string): AppError {
  return new AppError("invalid-request", `${field}: ${message}`, { field });
}

/** What a value is, in the words of an error message. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return "a string";
  if (typeof value === "boolean") return "a boolean";
  if (isJsonArray(value)) return "an array";
  return isJsonObject(value) ? "an object" : "a number";
}

export function objectAt(value: Json | undefined, field: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(field, `must be an object, not ${kindOf(value)}.`);
}

export function arrayAt(value: Json | undefined, field: string): readonly Json[] {
  if (isJsonArray(value)) return value;
  throw invalid(field, `must be an array, not ${kindOf(value)}.`);
}

export function textAt(value: Json | undefined, field: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalid(field, `must be a non-empty string, not ${value === "" ? "an empty one" : kindOf(value)}.`);
}
