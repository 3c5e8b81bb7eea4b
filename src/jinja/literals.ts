/** Numbers and strings in a template's tags, as Python reads them. */

export interface Literal {
  readonly value: string;
  /** Where the source goes on. */
  readonly end: number;
}

/** Digits may have underscores between them; an integer other than 0 begins with no 0. */
const INTEGER = /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[1-9](?:_?[0-9])*|0(?:_?0)*/y;
const FLOAT =
  /[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9](?:_?[0-9])*)?|[eE][+-]?[0-9](?:_?[0-9])*)/y;

/**
 * The number at `at` in decimal, a float with a point; empty where none stands there. Behind a dot (`a.0.b`) it is an
 * index, and never a float.
 */
export function readNumber(source: string, at: number, behindDot: boolean): Literal {
  const float = behindDot ? "" : matchAt(FLOAT, source, at);
  if (float !== "") {
    const value = float.replaceAll("_", "");
    return { value: value.includes(".") ? value : value.replace(/e/i, ".0e"), end: at + float.length };
  }
  const integer = matchAt(INTEGER, source, at);
  const value = integer.replaceAll("_", "");
  return { value: /[xob]/i.test(value) ? BigInt(value).toString() : value, end: at + integer.length };
}

function matchAt(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? "";
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\x07",
  "'": "'",
  '"': '"',
  "\\": "\\",
  "\n": "",
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const CODE_POINT_MAX = 0x10_ff_ff;

/** The string whose opening quote stands at `at`. Throws SyntaxError where it has no end, or a bad escape. */
export function readString(source: string, at: number): Literal {
  const quote = source[at];
  let value = "";
  let end = at + 1;
  for (;;) {
    const char = source[end];
    if (char === undefined) throw new SyntaxError("A string has no end");
    if (char === quote) return { value, end: end + 1 };
    if (char === "\\") {
      const escaped = readEscape(source, end + 1);
      value += escaped.value;
      end = escaped.end;
    } else {
      value += char;
      end += 1;
    }
  }
}

/** What stands behind a backslash. An escape that Python does not know stays as it is. */
function readEscape(source: string, at: number): Literal {
  const char = source[at] ?? "";
  const octal = matchAt(/[0-7]{1,3}/y, source, at);
  if (octal !== "") {
    return { value: String.fromCharCode(Number.parseInt(octal, 8)), end: at + octal.length };
  }
  const digits = HEX_DIGITS[char];
  if (digits === undefined) return { value: ESCAPES[char] ?? `\\${char}`, end: at + 1 };
  const hex = source.slice(at + 1, at + 1 + digits);
  const code = Number.parseInt(hex, 16);
  if (hex.length !== digits || /[^0-9a-f]/i.test(hex) || code > CODE_POINT_MAX) {
    throw new SyntaxError(`\\${char}${hex} is no character`);
  }
  return { value: String.fromCodePoint(code), end: at + 1 + digits };
}
