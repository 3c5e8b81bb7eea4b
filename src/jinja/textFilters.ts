/** Filters on text. Whatever they are given, they take it as text: undefined is "", none is "None". */

import { path } from "./access.ts";
import { Params, soft, wholeNumber } from "./args.ts";
import { checkedLength } from "./budget.ts";
import { wrong } from "./errors.ts";
import { sizeOf } from "./listFilters.ts";
import { str } from "./print.ts";
import { centred, replaced } from "./stringMethods.ts";
import { capitalised, escapeHtml, lengthOf, lines, strip } from "./text.ts";
import { type Args, iterate, Markup, numberOf, plain, typeName, Undefined, type Value } from "./values.ts";

type Filter = (value: Value, given: Args) => Value;

export const TEXT_FILTERS: readonly (readonly [string, Filter])[] = [
  ["upper", (value) => soft(value).toUpperCase()],
  ["lower", (value) => soft(value).toLowerCase()],
  ["capitalize", (value) => capitalised(soft(value))],
  ["title", (value) => title(soft(value))],
  ["trim", (value, given) => strip(soft(value), new Params("trim", given, ["chars"]).text("chars"))],
  [
    "replace",
    (value, given) => {
      const params = new Params("replace", given, ["old", "new", "count"]);
      return replaced(
        soft(value),
        str(params.required("old")),
        str(params.required("new")),
        params.int("count", -1),
      );
    },
  ],
  [
    "indent",
    (value, given) => {
      // Python adds a line break to it first, which undefined does not take.
      if (value instanceof Undefined) throw wrong(value.why);
      return indented(soft(value), new Params("indent", given, ["width", "first", "blank"]));
    },
  ],
  [
    "center",
    (value, given) => {
      const text = soft(value);
      const width = checkedLength(new Params("center", given, ["width"]).int("width", 80));
      return centred(text, Math.max(0, width - lengthOf(text)), width);
    },
  ],
  ["join", (value, given) => joined(value, new Params("join", given, ["d", "attribute"]))],
  [
    "truncate",
    (value, given) =>
      truncated(value, new Params("truncate", given, ["length", "killwords", "end", "leeway"])),
  ],
  ["wordcount", (value) => soft(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0],
  ["escape", (value) => (value instanceof Markup ? value : new Markup(escapeHtml(str(value))))],
  ["e", (value) => (value instanceof Markup ? value : new Markup(escapeHtml(str(value))))],
  ["forceescape", (value) => new Markup(escapeHtml(soft(value)))],
  [
    "striptags",
    (value) =>
      soft(value)
        .replace(/<!--[\s\S]*?-->|<[^>]*>/g, "")
        .replace(/\s+/g, " ")
        .trim(),
  ],
  [
    "urlencode",
    (value) =>
      encodeURIComponent(soft(value))
        .replace(/[!'()*]/g, percent)
        .replaceAll("%2F", "/"),
  ],
];

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Words begin behind white space, hyphens and opening brackets. */
function title(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map((part) => capitalised(part))
    .join("");
}

function indented(text: string, params: Params): string {
  const width = params.get("width") ?? 4;
  const indent =
    numberOf(width) === undefined ? str(width) : " ".repeat(checkedLength(wholeNumber(width, "indent")));
  const all = lines(`${text}\n`);
  const blank = params.flag("blank");
  const rest = all.slice(1).map((line) => (line === "" && !blank ? line : indent + line));
  return (params.flag("first") ? indent : "") + [all[0] ?? "", ...rest].join("\n");
}

function joined(value: Value, params: Params): string {
  const attribute = params.get("attribute") ?? null;
  const texts = iterate(value).map((item) => str(attribute === null ? item : path(item, str(attribute))));
  const between = params.orElse("d", "");
  checkedLength(texts.reduce((sum, text) => sum + text.length + between.length, 0));
  return texts.join(between);
}

/** By the value's own length: a short list stays a list. */
function truncated(value: Value, params: Params): Value {
  const length = params.int("length", 255);
  const end = params.orElse("end", "...");
  if (sizeOf(value) <= length + params.int("leeway", 5)) return value;
  if (typeof plain(value) !== "string") throw wrong(`'${typeName(value)}' object has no attribute 'rsplit'`);
  const points = [...soft(value)];
  const head = points.slice(0, Math.max(0, length - lengthOf(end))).join("");
  if (params.flag("killwords")) return head + end;
  const space = head.lastIndexOf(" ");
  return (space < 0 ? head : head.slice(0, space)) + end;
}
