/** How Python prints values: `str`, `repr` and the shortest form of a float. */
import {
  type Callable,
  Float,
  isDict,
  Lazy,
  Loop,
  Markup,
  Namespace,
  Tuple,
  Undefined,
  type Value,
} from "./values.ts";

/** `str(value)`: what `{{ value }}` writes. */
export function str(value: Value): string {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
      return value ? "True" : "False";
    case "number":
    case "bigint":
      return String(value);
    default:
      if (value instanceof Undefined) return "";
      return value instanceof Markup ? value.text : repr(value);
  }
}

export function repr(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "string") return reprText(value);
  if (typeof value !== "object") return str(value);
  if (value instanceof Float) return floatText(value);
  if (Array.isArray(value)) return reprList(value);
  if (isDict(value)) {
    const pairs = [...value].map(([key, item]) => `${repr(key)}: ${repr(item)}`);
    return `{${pairs.join(", ")}}`;
  }
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Markup) return `Markup(${reprText(value.text)})`;
  if (value instanceof Namespace) return `<Namespace ${repr(new Map(value.fields))}>`;
  if (value instanceof Lazy) return "<generator object>";
  if (value instanceof Loop) return `<LoopContext ${value.index0 + 1}/${value.items.length}>`;
  return `<function ${(value satisfies Callable).name}>`;
}

function reprList(items: readonly Value[]): string {
  const inner = items.map(repr).join(", ");
  if (!(items instanceof Tuple)) return `[${inner}]`;
  return items.length === 1 ? `(${inner},)` : `(${inner})`;
}

const UNPRINTABLE = /[\\\p{C}\p{Z}]/gu;
const SHORT: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  " ": " ",
};

function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(UNPRINTABLE, (char) => {
    const short = SHORT[char];
    if (short !== undefined) return short;
    const hex = (char.codePointAt(0) ?? 0).toString(16);
    if (hex.length <= 2) return `\\x${hex.padStart(2, "0")}`;
    return hex.length <= 4 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  });
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

export function floatText(float: Float): string {
  return float.raw ?? floatRepr(float.value);
}

/** The shortest digits that give the double back, with an exponent below 1e-4 and from 1e16 on. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa = "", power = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  const sign = value < 0 ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits[0]}${rest}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
