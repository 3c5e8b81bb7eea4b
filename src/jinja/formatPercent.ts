/** `"%s is %d" % values`, which the `format` filter uses too. */
import { checkedLength } from "./budget.ts";
import { wrong } from "./errors.ts";
import { character, digitsOf } from "./formatNumber.ts";
import { repr, str } from "./print.ts";
import { lengthOf } from "./text.ts";
import { isDict, plain, Tuple, type Value } from "./values.ts";

const DIRECTIVE = /%(?:\(([^)]*)\))?([#0\- +]*)(\*|\d+)?(?:\.(\d+))?[hlL]?([diouxXeEfFgGcrsa%])/g;

export function formatPercent(template: string, values: Value): string {
  const given = plain(values);
  const list: readonly Value[] = given instanceof Tuple ? given : [given];
  let next = 0;
  const text = template.replace(
    DIRECTIVE,
    (
      _whole,
      key: string | undefined,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      kind: string,
    ) => {
      if (kind === "%") return "%";
      let value: Value | undefined;
      if (key !== undefined) {
        if (!isDict(given)) throw wrong("format requires a mapping");
        value = given.get(key);
        if (value === undefined) throw wrong(`KeyError: '${key}'`);
      } else value = list[next++];
      if (value === undefined) throw wrong("not enough arguments for format string");
      return padded(
        one(plain(value), kind, flags, precision),
        flags,
        checkedLength(Number(width ?? 0)),
        kind,
      );
    },
  );
  // Python takes whatever has keys or indices for a mapping here, and asks for none of them.
  if (next < list.length && (given instanceof Tuple || !(isDict(given) || Array.isArray(given))))
    throw wrong("not all arguments converted during string formatting");
  return text;
}

function one(value: Value, kind: string, flags: string, precision: string | undefined): string {
  const size = precision === undefined ? undefined : Number(precision);
  if (kind === "s" || kind === "r" || kind === "a" || kind === "c") {
    const text = kind === "s" ? str(value) : kind === "c" ? character(value) : repr(value);
    return size === undefined ? text : [...text].slice(0, size).join("");
  }
  const { text, minus } = digitsOf(value, kind, size);
  const sign = minus ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const prefix = flags.includes("#") && /[xXo]/.test(kind) ? `0${kind}` : "";
  return sign + prefix + text;
}

function padded(text: string, flags: string, width: number, kind: string): string {
  const missing = width - lengthOf(text);
  if (missing <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(missing);
  if (!flags.includes("0") || /[rsac]/.test(kind)) return " ".repeat(missing) + text;
  const sign = /^[+\- ]?(?:0[xXo])?/.exec(text)?.[0] ?? "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}
