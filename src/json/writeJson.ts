/** JSON as text again: keys in their order, numbers by their own spelling, strings as Python and JS both write them. */
import type { Json } from "./json.ts";
import { isJsonArray, isJsonObject } from "./kinds.ts";

/**
 * `spaced` is Python's `json.dumps(value, ensure_ascii=False)`: `", "` and `": "`, which is what templates
 * print and models were trained on. `compact` is `JSON.stringify`.
 */
export type JsonStyle = "spaced" | "compact";

export function writeJson(value: Json, style: JsonStyle = "spaced"): string {
  const comma = style === "spaced" ? ", " : ",";
  const colon = style === "spaced" ? ": " : ":";
  const write = (item: Json): string => {
    if (item === null || typeof item === "boolean") return String(item);
    if (typeof item === "string") return JSON.stringify(item);
    if (isJsonArray(item)) return `[${item.map(write).join(comma)}]`;
    if (isJsonObject(item)) {
      const pairs: string[] = [];
      for (const [key, child] of item) pairs.push(JSON.stringify(key) + colon + write(child));
      return `{${pairs.join(comma)}}`;
    }
    return item.raw;
  };
  return write(value);
}
