/** Between Json and plain JavaScript values, for places where digits and key order do not matter. */
import type { Json } from "./json.ts";
import { isJsonArray, isJsonObject } from "./kinds.ts";

/** As `JSON.parse` would have given it: numbers become doubles, integer-like keys move to the front. */
export function toPlain(value: Json): unknown {
  if (value === null || typeof value !== "object") return value;
  if (isJsonArray(value)) return value.map(toPlain);
  // fromEntries defines own properties, so a key "__proto__" stays data.
  if (isJsonObject(value)) return Object.fromEntries([...value].map(([key, item]) => [key, toPlain(item)]));
  return Number(value.raw);
}

/** As if it had been written by `JSON.stringify` and read again. Throws TypeError for what JSON cannot hold. */
export function fromPlain(value: unknown): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? { raw: JSON.stringify(value) } : null;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : fromPlain(item)));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [String(key), fromPlain(item)]));
  if (typeof value === "object") {
    const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
    return new Map(pairs.map(([key, item]) => [key, fromPlain(item)]));
  }
  throw new TypeError(`JSON cannot hold a ${typeof value}`);
}
