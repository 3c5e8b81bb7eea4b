/** Numbers of a schema, exactly as they are written: digits before and behind the point. */
export interface Decimal {
  readonly negative: boolean;
  /** No leading zeros; "" for zero. */
  readonly whole: string;
  /** No trailing zeros. */
  readonly fraction: string;
}

const EXPONENT_MAX = 400;

/** `raw` as JSON writes a number. Null where its exponent is beyond any sense. */
export function readDecimal(raw: string): Decimal | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(raw);
  if (match === null) return null;
  const [, sign = "", before = "", behind = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > EXPONENT_MAX) return null;
  const digits = before + behind;
  const point = before.length + exponent;
  const padded = point < 0 ? "0".repeat(-point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 0);
  const whole = padded.slice(0, at).replace(/^0+/, "");
  const fraction = padded.slice(at).replace(/0+$/, "");
  return { negative: sign === "-" && whole + fraction !== "", whole, fraction };
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  return a.negative ? compareMagnitudes(b, a) : compareMagnitudes(a, b);
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length;
  const one = a.whole + a.fraction;
  const two = b.whole + b.fraction;
  return one === two ? 0 : one < two ? -1 : 1;
}
