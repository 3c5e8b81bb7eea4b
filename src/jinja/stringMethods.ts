/** Methods of `str`, by Python's rules. */
import { isPythonSpace } from "../base/whiteSpace.ts";
import { Params, wholeNumber } from "./args.ts";
import { checkedLength } from "./budget.ts";
import { wrong } from "./errors.ts";
import { str } from "./print.ts";
import {
  capitalised,
  lengthOf,
  lines,
  pointsAt,
  type Side,
  strip,
  textList,
  titled,
  words,
  wordsFromRight,
} from "./text.ts";
import { type Args, iterate, plain, tupleOf, typeName, type Value } from "./values.ts";

export type Method<T> = (self: T, given: Args) => Value;

export const STRING_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ["upper", (self) => self.toUpperCase()],
  ["lower", (self) => self.toLowerCase()],
  // Letter by letter, over the capital, which writes long and final letters like the others.
  ["casefold", (self) => [...self].map((c) => (c === "ı" ? c : c.toUpperCase().toLowerCase())).join("")],
  ["title", (self) => titled(self)],
  ["capitalize", (self) => capitalised(self)],
  [
    "swapcase",
    (self) => [...self].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join(""),
  ],
  ["strip", stripping("strip", "both")],
  ["lstrip", stripping("lstrip", "left")],
  ["rstrip", stripping("rstrip", "right")],
  ["startswith", (self, given) => affix("startswith", self, given)],
  ["endswith", (self, given) => affix("endswith", self, given)],
  [
    "removeprefix",
    (self, given) => {
      const part = new Params("removeprefix", given, ["prefix"]).requiredText("prefix");
      return self.startsWith(part) ? self.slice(part.length) : self;
    },
  ],
  [
    "removesuffix",
    (self, given) => {
      const part = new Params("removesuffix", given, ["suffix"]).requiredText("suffix");
      return part !== "" && self.endsWith(part) ? self.slice(0, -part.length) : self;
    },
  ],
  ["split", (self, given) => split(self, new Params("split", given, ["sep", "maxsplit"]))],
  ["rsplit", (self, given) => rsplit(self, new Params("rsplit", given, ["sep", "maxsplit"]))],
  [
    "splitlines",
    (self, given) => textList(lines(self, new Params("splitlines", given, ["keepends"]).flag("keepends"))),
  ],
  [
    "partition",
    (self, given) => partition(self, new Params("partition", given, ["sep"]).requiredText("sep"), false),
  ],
  [
    "rpartition",
    (self, given) => partition(self, new Params("rpartition", given, ["sep"]).requiredText("sep"), true),
  ],
  ["join", (self, given) => joined(self, new Params("join", given, ["iterable"]).required("iterable"))],
  [
    "replace",
    (self, given) => {
      const params = new Params("replace", given, ["old", "new", "count"]);
      return replaced(self, params.requiredText("old"), params.requiredText("new"), params.int("count", -1));
    },
  ],
  ["find", (self, given) => found("find", self, given, false)],
  ["rfind", (self, given) => found("rfind", self, given, true)],
  ["index", (self, given) => mustFind(found("index", self, given, false))],
  ["rindex", (self, given) => mustFind(found("rindex", self, given, true))],
  [
    "count",
    (self, given) => {
      const params = new Params("count", given, ["sub", "start", "end"]);
      const part = params.requiredText("sub");
      const inside = sliced(self, params);
      return part === "" ? lengthOf(inside) + 1 : inside.split(part).length - 1;
    },
  ],
  ["center", (self, given) => aligned("center", self, given)],
  ["ljust", (self, given) => aligned("ljust", self, given)],
  ["rjust", (self, given) => aligned("rjust", self, given)],
  [
    "zfill",
    (self, given) => {
      const missing = missingTo(self, new Params("zfill", given, ["width"]).required("width"));
      const sign = /^[+-]/.exec(self)?.[0] ?? "";
      return sign + "0".repeat(missing) + self.slice(sign.length);
    },
  ],
  [
    "expandtabs",
    (self, given) => {
      const size = new Params("expandtabs", given, ["tabsize"]).int("tabsize", 8);
      return lines(self, true)
        .map((line) => untabbed(line, size))
        .join("");
    },
  ],
  ["isspace", (self) => self !== "" && [...self].every((c) => isPythonSpace(c.codePointAt(0) ?? 0))],
  ["isdigit", (self) => /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]+$/u.test(self)],
  ["isdecimal", (self) => /^\p{Nd}+$/u.test(self)],
  ["isnumeric", (self) => /^\p{N}+$/u.test(self)],
  ["isalpha", (self) => /^\p{L}+$/u.test(self)],
  ["isalnum", (self) => /^[\p{L}\p{N}]+$/u.test(self)],
  ["isascii", (self) => /^[\0-\x7f]*$/.test(self)],
  ["isidentifier", (self) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(self)],
  ["islower", (self) => isLower(self)],
  ["isupper", (self) => isUpper(self)],
  ["istitle", (self) => /\p{L}/u.test(self) && self === titled(self)],
]);

export function isLower(text: string): boolean {
  return text === text.toLowerCase() && text !== text.toUpperCase();
}

export function isUpper(text: string): boolean {
  return text === text.toUpperCase() && text !== text.toLowerCase();
}

function stripping(what: string, side: Side): Method<string> {
  return (self, given) => strip(self, new Params(what, given, ["chars"]).text("chars"), side);
}

function affix(what: "startswith" | "endswith", self: string, given: Args): boolean {
  const params = new Params(what, given, ["prefix", "start", "end"]);
  const inside = sliced(self, params);
  const parts = params.required("prefix");
  return (Array.isArray(parts) ? parts : [parts]).some((part) => {
    const text = plain(part);
    if (typeof text !== "string") {
      throw wrong(`${what} first arg must be str or a tuple of str, not ${typeName(text)}`);
    }
    return what === "startswith" ? inside.startsWith(text) : inside.endsWith(text);
  });
}

/** The part between the parameters `start` and `end`, in code points. */
function sliced(self: string, params: Params): string {
  const start = params.get("start");
  const end = params.get("end");
  if (start === undefined && end === undefined) return self;
  return [...self]
    .slice(params.int("start", 0), end === undefined ? undefined : params.int("end", 0))
    .join("");
}

function split(self: string, params: Params): Value {
  const sep = params.text("sep");
  const most = params.int("maxsplit", -1);
  if (sep === null) return textList(words(self, most));
  if (sep === "") throw wrong("empty separator");
  const parts = self.split(sep);
  if (most < 0 || parts.length <= most + 1) return textList(parts);
  return textList([...parts.slice(0, most), parts.slice(most).join(sep)]);
}

function rsplit(self: string, params: Params): Value {
  const sep = params.text("sep");
  const most = params.int("maxsplit", -1);
  if (sep === null) return textList(wordsFromRight(self, most));
  if (sep === "") throw wrong("empty separator");
  // From the right, so that an overlapping separator is found as Python finds it.
  const parts: string[] = [];
  let end = self.length;
  while (most < 0 || parts.length < most) {
    const at = end < sep.length ? -1 : self.lastIndexOf(sep, end - sep.length);
    if (at < 0) break;
    parts.unshift(self.slice(at + sep.length, end));
    end = at;
  }
  return textList([self.slice(0, end), ...parts]);
}

function partition(self: string, sep: string, fromRight: boolean): Value {
  if (sep === "") throw wrong("empty separator");
  const at = fromRight ? self.lastIndexOf(sep) : self.indexOf(sep);
  if (at < 0) return tupleOf(fromRight ? ["", "", self] : [self, "", ""]);
  return tupleOf([self.slice(0, at), sep, self.slice(at + sep.length)]);
}

function joined(self: string, items: Value): string {
  const texts = iterate(items).map((item, i) => {
    const text = plain(item);
    if (typeof text === "string") return text;
    throw wrong(`sequence item ${i}: expected str instance, ${typeName(text)} found`);
  });
  checkedLength(texts.reduce((sum, text) => sum + text.length + self.length, 0));
  return texts.join(self);
}

/** `str.replace`; a negative `most` means all. */
export function replaced(self: string, old: string, by: string, most: number): string {
  if (most === 0) return self;
  const parts = old === "" ? ["", ...self, ""] : self.split(old);
  checkedLength(self.length + by.length * parts.length);
  if (most < 0 || parts.length <= most + 1) return parts.join(by);
  return parts.slice(0, most + 1).join(by) + old + parts.slice(most + 1).join(old);
}

function found(what: string, self: string, given: Args, fromRight: boolean): number {
  const params = new Params(what, given, ["sub", "start", "end"]);
  const part = params.requiredText("sub");
  const inside = sliced(self, params);
  const at = pointsAt(inside, fromRight ? inside.lastIndexOf(part) : inside.indexOf(part));
  const start = params.int("start", 0);
  return at < 0 ? -1 : at + (start < 0 ? Math.max(0, lengthOf(self) + start) : start);
}

function mustFind(at: number): number {
  if (at < 0) throw wrong("substring not found");
  return at;
}

function missingTo(self: string, width: Value): number {
  return Math.max(0, checkedLength(wholeNumber(width, "width")) - lengthOf(self));
}

function aligned(how: "center" | "ljust" | "rjust", self: string, given: Args): string {
  const params = new Params(how, given, ["width", "fillchar"]);
  const fill = params.text("fillchar") ?? " ";
  const width = params.required("width");
  const missing = missingTo(self, width);
  if (how === "ljust") return self + fill.repeat(missing);
  if (how === "rjust") return fill.repeat(missing) + self;
  return centred(self, missing, Number(str(width)), fill);
}

/** Python puts the odd space on the left where the width is odd. */
export function centred(self: string, missing: number, width: number, fill = " "): string {
  const left = Math.floor(missing / 2) + (missing % 2 === 1 && width % 2 === 1 ? 1 : 0);
  return fill.repeat(left) + self + fill.repeat(missing - left);
}

function untabbed(line: string, size: number): string {
  let out = "";
  let column = 0;
  for (const char of line) {
    const wide = char === "\t" && size > 0 ? size - (column % size) : 1;
    checkedLength(out.length + wide);
    out += char === "\t" ? " ".repeat(size > 0 ? wide : 0) : char;
    column += wide;
  }
  return out;
}
