/** Numbers in the layouts that `%` and `str.format` share. */
import { wrong } from "./errors.ts";
import { floatRepr } from "./print.ts";
import { doubleOf, Float, numberOf, typeName, type Value } from "./values.ts";

/** A number without its sign in the layout `kind` (d, f, e, g, x, …), and whether it is negative. */
export function digitsOf(
  value: Value,
  kind: string,
  precision: number | undefined,
): { text: string; minus: boolean } {
  const number = numberOf(value);
  if (number === undefined) throw wrong(`%${kind} format: a real number is required, not ${typeName(value)}`);
  const double = doubleOf(number);
  const minus = double < 0 || Object.is(double, -0);
  const size = Math.abs(double);
  switch (kind) {
    case "d":
    case "i":
    case "u":
      return { text: whole(number, 10), minus: double < 0 };
    case "x":
      return { text: whole(number, 16), minus };
    case "X":
      return { text: whole(number, 16).toUpperCase(), minus };
    case "o":
      return { text: whole(number, 8), minus };
    case "b":
      return { text: whole(number, 2), minus };
    case "f":
    case "F":
      return { text: fixed(size, precision ?? 6), minus };
    case "e":
    case "E": {
      const text = size.toExponential(precision ?? 6).replace(/e([+-])(\d)$/, "e$10$2");
      return { text: kind === "E" ? text.toUpperCase() : text, minus };
    }
    default:
      return { text: general(size, precision ?? 6), minus };
  }
}

/** What `c` writes: a code point, or a text of one. */
export function character(value: Value): string {
  const number = numberOf(value);
  if (number === undefined) {
    if (typeof value === "string" && [...value].length === 1) return value;
    throw wrong("%c requires an int or a unicode character");
  }
  const code = number instanceof Float ? Number.NaN : Number(number);
  if (!(code >= 0 && code <= 0x10ffff)) throw wrong("%c arg not in range(0x110000)");
  return String.fromCodePoint(code);
}

function whole(number: number | bigint | Float, radix: number): string {
  const value = typeof number === "bigint" ? number : BigInt(Math.trunc(doubleOf(number)));
  return (value < 0n ? -value : value).toString(radix);
}

/** Rounds the exact binary value half to even, as Python does. */
export function fixed(size: number, precision: number): string {
  if (!Number.isFinite(size)) return floatRepr(size);
  if (size >= 1e21) return BigInt(size).toString() + (precision > 0 ? `.${"0".repeat(precision)}` : "");
  const digits = Math.min(precision, 75);
  // toFixed is exact but rounds a half up; a double's half shows within a few digits.
  const exact = size.toFixed(digits + 25);
  const cut = exact.slice(0, exact.length - 25);
  if (/[02468]\.?$/.test(cut) && /^50*$/.test(exact.slice(-25))) return cut.replace(/\.$/, "");
  return size.toFixed(digits);
}

function general(size: number, precision: number): string {
  if (size === 0) return "0";
  if (!Number.isFinite(size)) return floatRepr(size);
  const digits = Math.max(1, precision);
  const exponent = Number(size.toExponential(digits - 1).split("e")[1]);
  if (exponent < -4 || exponent >= digits) {
    return size
      .toExponential(digits - 1)
      .replace(/\.?0*e/, "e")
      .replace(/e([+-])(\d)$/, "e$10$2");
  }
  const text = size.toFixed(Math.min(100, Math.max(0, digits - 1 - exponent)));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export function grouped(digits: string, comma: string): string {
  const [head = "", ...rest] = digits.split(".");
  return [head.replace(/\B(?=(\d{3})+$)/g, comma), ...rest].join(".");
}
