/** Json as a template's values: key order and the spelling of numbers stay. A copy, so that a template may change it. */
import type { Json } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";
import { DIGITS_MAX, Float, int, type Value } from "./values.ts";

export function fromJson(json: Json): Value {
  if (json === null || typeof json !== "object") return json;
  if (isJsonArray(json)) return json.map(fromJson);
  if (isJsonObject(json)) {
    const dict = new Map<Value, Value>();
    for (const [key, item] of json) dict.set(key, fromJson(item));
    return dict;
  }
  const { raw } = json;
  // Reading a number takes time that grows with the square of its digits: a longer one stays as it is spelt. Nobody
  // calculates with those.
  const isWhole = raw.length <= DIGITS_MAX && /^-?[0-9]+$/.test(raw);
  return isWhole ? int(BigInt(raw)) : new Float(Number(raw), raw);
}
