/** `"{} {name!r:>8}".format(…)`. */
import { checkedLength } from "./budget.ts";
import { wrong } from "./errors.ts";
import { character, digitsOf, grouped } from "./formatNumber.ts";
import { repr, str } from "./print.ts";
import { lengthOf } from "./text.ts";
import { type Args, Float, numberOf, plain, type Value } from "./values.ts";

type Lookup = (object: Value, name: string, isItem: boolean) => Value;

const FIELD =
  /\{\{|\}\}|\{([^{}!:.[]*)((?:\.[^{}!:.[]+|\[[^\]]*\])*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/g;
const STEP = /\.([^.[]+)|\[([^\]]*)\]/g;

/** `lookup` reads attributes (`{x.name}`) and items (`{x[0]}`). */
export function formatBraces(template: string, given: Args, lookup: Lookup): string {
  let next = 0;
  const render = (text: string): string =>
    text.replace(
      FIELD,
      (
        whole,
        name: string | undefined,
        path: string | undefined,
        as: string | undefined,
        spec: string | undefined,
      ) => {
        if (whole === "{{") return "{";
        if (whole === "}}") return "}";
        if (name === undefined) throw wrong("Single '{' or '}' encountered in format string");
        let value = argument(given, name === "" ? String(next++) : name);
        for (const [, attribute, item] of (path ?? "").matchAll(STEP)) {
          value = lookup(value, attribute ?? item ?? "", attribute === undefined);
        }
        const shown = as === undefined ? plain(value) : as === "s" ? str(value) : repr(value);
        return laidOut(shown, spec === undefined ? "" : render(spec));
      },
    );
  return render(template);
}

function argument(given: Args, name: string): Value {
  if (/^\d+$/.test(name)) {
    const value = given.positional[Number(name)];
    if (value === undefined) throw wrong(`Replacement index ${name} out of range for positional args tuple`);
    return value;
  }
  const value = given.named.get(name);
  if (value === undefined) throw wrong(`KeyError: '${name}'`);
  return value;
}

const SPEC = /^(?:(.)?([<>=^]))?([+\- ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/su;

function laidOut(value: Value, spec: string): string {
  if (spec === "") return str(value);
  const match = SPEC.exec(spec);
  if (match === null) throw wrong(`Invalid format specifier '${spec}'`);
  const [, fill, align, sign, alternate, zero, width, comma, precision, kind] = match;
  const size = precision === undefined ? undefined : Number(precision);
  const isNumber = numberOf(value) !== undefined;
  let head = "";
  let body: string;
  if (!isNumber && (kind === undefined || kind === "s")) {
    body = size === undefined ? str(value) : [...str(value)].slice(0, size).join("");
  } else {
    const digits = numberText(value, kind, size);
    const prefix = alternate !== undefined && /[boxX]/.test(kind ?? "") ? `0${kind}` : "";
    head = (digits.minus ? "-" : sign === "+" || sign === " " ? sign : "") + prefix;
    body = comma === undefined ? digits.text : grouped(digits.text, comma);
  }
  const missing = checkedLength(Number(width ?? 0)) - lengthOf(head + body);
  if (missing <= 0) return head + body;
  const filler = fill ?? (zero === undefined ? " " : "0");
  const side = align ?? (zero !== undefined && isNumber ? "=" : isNumber ? ">" : "<");
  const left = side === "<" ? 0 : side === "^" ? Math.floor(missing / 2) : missing;
  if (side === "=") return head + filler.repeat(missing) + body;
  return filler.repeat(left) + head + body + filler.repeat(missing - left);
}

function numberText(
  value: Value,
  kind: string | undefined,
  size: number | undefined,
): { text: string; minus: boolean } {
  if (kind === "c") return { text: character(value), minus: false };
  if (kind === "%") {
    const { text, minus } = digitsOf(new Float(Number(str(value)) * 100), "f", size);
    return { text: `${text}%`, minus };
  }
  if (kind !== undefined) return digitsOf(value, kind === "n" ? "d" : kind, size);
  if (value instanceof Float && size === undefined) {
    const text = str(value);
    return text.startsWith("-") ? { text: text.slice(1), minus: true } : { text, minus: false };
  }
  return digitsOf(value, value instanceof Float ? "g" : "d", size);
}
