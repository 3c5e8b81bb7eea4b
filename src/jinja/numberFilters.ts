/** Filters that give numbers. */
import { path } from "./access.ts";
import { Params, wholeNumber } from "./args.ts";
import { wrong } from "./errors.ts";
import { fixed } from "./formatNumber.ts";
import { OPERATORS } from "./operators.ts";
import { str } from "./print.ts";
import { strip } from "./text.ts";
import {
  type Args,
  DIGITS_MAX,
  doubleOf,
  Float,
  int,
  iterate,
  numberOf,
  plain,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

type Filter = (value: Value, given: Args) => Value;

export const NUMBER_FILTERS: readonly (readonly [string, Filter])[] = [
  ["int", (value, given) => toInt(value, new Params("int", given, ["default", "base"]))],
  [
    "float",
    (value, given) => {
      const number = toFloat(value);
      return number === undefined
        ? new Params("float", given, ["default"]).or("default", new Float(0))
        : new Float(number);
    },
  ],
  [
    "abs",
    (value) => {
      const number = numeric(value, "abs");
      if (number instanceof Float) return new Float(Math.abs(number.value));
      return typeof number === "bigint" ? int(number < 0n ? -number : number) : Math.abs(number);
    },
  ],
  ["round", (value, given) => rounded(value, new Params("round", given, ["precision", "method"]))],
  [
    "sum",
    (value, given) => {
      const params = new Params("sum", given, ["attribute", "start"]);
      const attribute = params.get("attribute") ?? null;
      const add = OPERATORS.get("+");
      return iterate(value).reduce(
        (sum: Value, item) => add?.(sum, attribute === null ? item : path(item, str(attribute))) ?? sum,
        params.or("start", 0),
      );
    },
  ],
];

function numeric(value: Value, what: string): number | bigint | Float {
  const number = numberOf(value);
  if (number === undefined) throw wrong(`bad operand type for ${what}: '${typeName(value)}'`);
  return number;
}

function toInt(value: Value, params: Params): Value {
  const subject = plain(value);
  if (subject instanceof Undefined) throw wrong(subject.why);
  if (typeof subject === "string") {
    const whole = wholeFrom(subject, params.int("base", 10));
    if (whole !== undefined) return whole;
  }
  const number = typeof subject === "string" ? toFloat(subject) : numberOf(subject);
  if (typeof number === "bigint") return number;
  const double = number === undefined ? Number.NaN : typeof number === "number" ? number : number.value;
  return Number.isFinite(double) ? int(BigInt(Math.trunc(double))) : params.or("default", 0);
}

const RADIX_PREFIX: Readonly<Record<number, RegExp>> = { 2: /^0[bB]/, 8: /^0[oO]/, 16: /^0[xX]/ };

function wholeFrom(text: string, base: number): Value | undefined {
  const [, sign = "", digits = ""] =
    /^([+-]?)([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)$/.exec(strip(text, null)) ?? [];
  const bare = digits.replaceAll("_", "").replace(RADIX_PREFIX[base] ?? /^$/, "");
  if (bare === "" || base < 2 || base > 36) return undefined;
  if (bare.length > DIGITS_MAX) throw wrong(`A whole number has more than ${DIGITS_MAX} digits.`);
  let sum = 0n;
  for (const digit of bare) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= base) return undefined;
    sum = sum * BigInt(base) + BigInt(worth);
  }
  return int(sign === "-" ? -sum : sum);
}

/** Undefined where the value is no number to Python's `float`. */
function toFloat(value: Value): number | undefined {
  const subject = plain(value);
  if (subject instanceof Undefined) throw wrong(subject.why);
  const number = numberOf(subject);
  if (number !== undefined) return doubleOf(number);
  if (typeof subject !== "string") return undefined;
  const text = strip(subject, null)
    .toLowerCase()
    .replace(/(?<=\d)_(?=\d)/g, "");
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(text)) return Number(text);
  if (/^[+-]?inf(inity)?$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?nan$/.test(text) ? Number.NaN : undefined;
}

function rounded(value: Value, params: Params): Value {
  const number = numeric(value, "round");
  const precision =
    params.get("precision") === undefined ? 0 : wholeNumber(params.required("precision"), "round");
  const method = params.orElse("method", "common");
  const scale = 10 ** precision;
  if (method === "ceil") return new Float(Math.ceil(doubleOf(number) * scale) / scale);
  if (method === "floor") return new Float(Math.floor(doubleOf(number) * scale) / scale);
  if (method !== "common") throw wrong("method must be common, ceil or floor");
  if (!(number instanceof Float)) return number;
  const size = Math.abs(number.value);
  const near = precision < 0 ? Math.round(size * scale) / scale : Number(fixed(size, precision));
  return new Float(number.value < 0 ? -near : near);
}
