/** `tojson` as `transformers` defines it: Python's `json.dumps`, which escapes nothing for HTML. */
import { checkedLength } from "./budget.ts";
import { wrong } from "./errors.ts";
import { floatText } from "./print.ts";
import { compareText } from "./text.ts";
import { Float, isDict, iterate, Lazy, plain, typeName, Undefined, type Value } from "./values.ts";

export interface JsonLayout {
  readonly ensureAscii: boolean;
  /** What one level is indented by; undefined writes all on one line. */
  readonly indent: string | undefined;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly sortKeys: boolean;
}

export function toJson(value: Value, layout: JsonLayout, depth = 0): string {
  const item = plain(value);
  // Python raises for what is undefined; a schema without a description is no reason to refuse a request.
  if (item === null || item instanceof Undefined) return "null";
  switch (typeof item) {
    case "string":
      return jsonText(item, layout);
    case "boolean":
    case "number":
    case "bigint":
      return String(item);
    default:
  }
  if (item instanceof Float) return jsonFloat(item);
  if (Array.isArray(item) || item instanceof Lazy) {
    const items = iterate(item).map((one) => toJson(one, layout, depth + 1));
    return enclosed("[", items, "]", layout, depth);
  }
  if (!isDict(item)) throw wrong(`Object of type ${typeName(item)} is not JSON serializable`);
  const entries = layout.sortKeys ? sorted(item) : item;
  const pairs: string[] = [];
  for (const [key, one] of entries) {
    pairs.push(jsonText(keyText(key), layout) + layout.keySeparator + toJson(one, layout, depth + 1));
  }
  return enclosed("{", pairs, "}", layout, depth);
}

function enclosed(
  open: string,
  parts: readonly string[],
  close: string,
  layout: JsonLayout,
  depth: number,
): string {
  const { indent, itemSeparator } = layout;
  if (indent === undefined || parts.length === 0) return open + parts.join(itemSeparator) + close;
  const lineLength = 1 + indent.length * (depth + 1);
  checkedLength(parts.reduce((sum, part) => sum + part.length + lineLength, lineLength));
  const line = `\n${indent.repeat(depth + 1)}`;
  return `${open}${line}${parts.join(itemSeparator + line)}\n${indent.repeat(depth)}${close}`;
}

function jsonText(text: string, layout: JsonLayout): string {
  const json = JSON.stringify(text);
  if (!layout.ensureAscii) return json;
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function jsonFloat(float: Float): string {
  if (Number.isFinite(float.value) || float.raw !== undefined) return floatText(float);
  if (Number.isNaN(float.value)) return "NaN";
  return float.value > 0 ? "Infinity" : "-Infinity";
}

function keyText(key: Value): string {
  if (typeof key === "string") return key;
  if (key === null) return "null";
  if (typeof key === "boolean" || typeof key === "number" || typeof key === "bigint") return String(key);
  if (key instanceof Float) return jsonFloat(key);
  throw wrong(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function sorted(dict: ReadonlyMap<Value, Value>): [Value, Value][] {
  return [...dict].sort(([a], [b]) =>
    typeof a === "number" && typeof b === "number" ? a - b : compareText(keyText(a), keyText(b)),
  );
}
