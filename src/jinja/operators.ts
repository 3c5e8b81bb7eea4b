/** Python's operators. */
import { wholeNumber } from "./args.ts";
import { checkedItems, checkedLength } from "./budget.ts";
import { wrong } from "./errors.ts";
import { formatPercent } from "./formatPercent.ts";
import { compare } from "./order.ts";
import { str } from "./print.ts";
import { escapeHtml } from "./text.ts";
import {
  doubleOf,
  equal,
  Float,
  int,
  isDict,
  iterate,
  keyOf,
  Markup,
  numberOf,
  plain,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

export type Operator = (left: Value, right: Value) => Value;

export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["==", equal],
  ["!=", (a, b) => !equal(a, b)],
  ["<", (a, b) => compare(defined(a), defined(b), "<") < 0],
  ["<=", (a, b) => compare(defined(a), defined(b), "<=") <= 0],
  [">", (a, b) => compare(defined(a), defined(b), ">") > 0],
  [">=", (a, b) => compare(defined(a), defined(b), ">=") >= 0],
  ["in", (a, b) => contains(b, a)],
  ["not in", (a, b) => !contains(b, a)],
  ["~", (a, b) => joined(str(a), str(b))],
  ["+", add],
  ["-", (a, b) => arithmetic("-", a, b)],
  ["*", multiply],
  ["/", (a, b) => arithmetic("/", a, b)],
  ["//", (a, b) => arithmetic("//", a, b)],
  ["%", (a, b) => (isText(a) ? formatPercent(str(a), b) : arithmetic("%", a, b))],
  ["**", power],
]);

export function contains(where: Value, what: Value): boolean {
  const inside = plain(where);
  if (typeof inside === "string") {
    const part = plain(what);
    if (typeof part === "string") return inside.includes(part);
    throw wrong(`'in <string>' requires string as left operand, not ${typeName(part)}`);
  }
  if (isDict(inside)) return inside.has(keyOf(what));
  return iterate(inside).some((item) => equal(item, what));
}

function isText(value: Value): boolean {
  return typeof value === "string" || value instanceof Markup;
}

function defined(value: Value): Value {
  if (value instanceof Undefined) throw wrong(value.why);
  return value;
}

function joined(left: string, right: string): string {
  checkedLength(left.length + right.length);
  return left + right;
}

function add(left: Value, right: Value): Value {
  if (typeof left === "string" && typeof right === "string") return joined(left, right);
  defined(left);
  defined(right);
  if (isText(left) && isText(right)) {
    // Python's Markup escapes plain text on either side of it.
    const safe = (value: Value) => (value instanceof Markup ? value.text : escapeHtml(str(value)));
    return new Markup(joined(safe(left), safe(right)));
  }
  if (Array.isArray(left) && Array.isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    checkedItems(left.length + right.length);
    return left.concat(right);
  }
  if (isText(left)) throw wrong(`can only concatenate str (not "${typeName(right)}") to str`);
  return arithmetic("+", left, right);
}

function multiply(left: Value, right: Value): Value {
  const [repeated, times] = isText(right) || Array.isArray(right) ? [right, left] : [left, right];
  if (!isText(repeated) && !Array.isArray(repeated)) return arithmetic("*", left, right);
  const count = Math.max(0, wholeNumber(defined(times), "can't multiply sequence"));
  if (!Array.isArray(repeated)) {
    const text = str(repeated);
    checkedLength(text.length * count);
    return repeated instanceof Markup ? new Markup(text.repeat(count)) : text.repeat(count);
  }
  checkedItems(repeated.length * count);
  const out = repeated.slice(0, 0);
  for (let i = 0; i < count; i++) for (const item of repeated) out.push(item);
  return out;
}

function operands(
  sign: string,
  left: Value,
  right: Value,
): [number | bigint | Float, number | bigint | Float] {
  const a = numberOf(defined(left));
  const b = numberOf(defined(right));
  if (a !== undefined && b !== undefined) return [a, b];
  throw wrong(`unsupported operand type(s) for ${sign}: '${typeName(left)}' and '${typeName(right)}'`);
}

function arithmetic(sign: "+" | "-" | "*" | "/" | "//" | "%", left: Value, right: Value): Value {
  const [a, b] = operands(sign, left, right);
  const n = doubleOf(b);
  if ((sign === "/" || sign === "//" || sign === "%") && n === 0) throw wrong("division by zero");
  if (a instanceof Float || b instanceof Float || sign === "/")
    return new Float(floats(sign, doubleOf(a), n));
  return ints(sign, a, b);
}

function floats(sign: "+" | "-" | "*" | "/" | "//" | "%", a: number, b: number): number {
  switch (sign) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return floorOf(a, b);
    default:
      return remainderOf(a, b);
  }
}

/** Python's remainder has the divisor's sign, that of zero too. */
function remainderOf(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

/** By the remainder, as Python does: the quotient of 1.0 and 0.1 is 10.0, and 0.1 goes into 1.0 nine times. */
function floorOf(a: number, b: number): number {
  const quotient = (a - remainderOf(a, b)) / b;
  const down = Math.floor(quotient);
  if (quotient === 0 || !Number.isFinite(quotient)) return quotient === 0 ? 0 * (a / b) : quotient;
  return quotient - down > 0.5 ? down + 1 : down;
}

function ints(sign: "+" | "-" | "*" | "//" | "%", a: number | bigint, b: number | bigint): Value {
  if (typeof a === "number" && typeof b === "number") {
    const quick = floats(sign, a, b);
    if (Number.isSafeInteger(quick)) return quick === 0 ? 0 : quick;
  }
  const m = BigInt(a);
  const n = BigInt(b);
  if (sign === "+") return int(m + n);
  if (sign === "-") return int(m - n);
  if (sign === "*") return int(m * n);
  const rest = ((m % n) + n) % n;
  return int(sign === "%" ? rest : (m - rest) / n);
}

function power(left: Value, right: Value): Value {
  const [a, b] = operands("**", left, right);
  if (doubleOf(a) === 0 && doubleOf(b) < 0) throw wrong("0.0 cannot be raised to a negative power");
  if (a instanceof Float || b instanceof Float || b < 0) return new Float(doubleOf(a) ** doubleOf(b));
  if (b > 4096) throw wrong("The exponent is too large");
  return int(BigInt(a) ** BigInt(b));
}

export function negative(value: Value): Value {
  const number = numberOf(defined(value));
  if (number === undefined) throw wrong(`bad operand type for unary -: '${typeName(value)}'`);
  if (number instanceof Float) return new Float(-number.value);
  return number === 0 ? 0 : typeof number === "bigint" ? int(-number) : -number;
}

export function positive(value: Value): Value {
  const number = numberOf(defined(value));
  if (number === undefined) throw wrong(`bad operand type for unary +: '${typeName(value)}'`);
  return number;
}
