/** Jinja's filters, and `tojson` as `transformers` defines it. */

import { ownAttribute, path } from "./access.ts";
import { Params, soft } from "./args.ts";
import { pairs } from "./collectionMethods.ts";
import { wrong } from "./errors.ts";
import { formatPercent } from "./formatPercent.ts";
import { LIST_FILTERS } from "./listFilters.ts";
import { NUMBER_FILTERS } from "./numberFilters.ts";
import { repr, str } from "./print.ts";
import { testNamed } from "./tests.ts";
import { TEXT_FILTERS } from "./textFilters.ts";
import { type JsonLayout, toJson } from "./toJson.ts";
import {
  type Args,
  isDict,
  iterate,
  Lazy,
  Markup,
  numberOf,
  plain,
  truth,
  tupleOf,
  Undefined,
  type Value,
} from "./values.ts";

export type Filter = (value: Value, given: Args) => Value;

const OWN: readonly (readonly [string, Filter])[] = [
  ["default", (value, given) => otherwise(value, given)],
  ["d", (value, given) => otherwise(value, given)],
  ["safe", (value) => (value instanceof Markup ? value : new Markup(str(value)))],
  ["string", (value) => (value instanceof Markup ? value : str(value))],
  ["tojson", (value, given) => toJson(value, jsonLayout(new Params("tojson", given, JSON_NAMES)))],
  ["pprint", (value) => repr(value)],
  ["attr", (value, given) => ownAttribute(value, new Params("attr", given, ["name"]).requiredText("name"))],
  ["items", (value) => items(value)],
  [
    "format",
    (value, given) => {
      const named = new Map<Value, Value>(given.named);
      return formatPercent(soft(value), named.size > 0 ? named : tupleOf(given.positional));
    },
  ],
  ["map", (value, given) => lazily(value, () => mapped(value, given))],
  ["select", (value, given) => lazily(value, () => selected(value, given, true))],
  ["reject", (value, given) => lazily(value, () => selected(value, given, false))],
  ["selectattr", (value, given) => lazily(value, () => selectedBy(value, given, true))],
  ["rejectattr", (value, given) => lazily(value, () => selectedBy(value, given, false))],
];

const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...OWN,
  ...TEXT_FILTERS,
  ...LIST_FILTERS,
  ...NUMBER_FILTERS,
]);

export function filterNamed(name: string): Filter {
  const filter = FILTERS.get(name);
  if (filter === undefined) throw wrong(`No filter named '${name}'.`);
  return filter;
}

/** `'trim' is filter`. */
export function isFilter(name: Value): boolean {
  return typeof name === "string" && FILTERS.has(name);
}

function otherwise(value: Value, given: Args): Value {
  const params = new Params("default", given, ["default_value", "boolean"]);
  if (value instanceof Undefined || (params.flag("boolean") && !truth(value)))
    return params.or("default_value", "");
  return value;
}

const JSON_NAMES = ["ensure_ascii", "indent", "separators", "sort_keys"];

function jsonLayout(params: Params): JsonLayout {
  const step = params.get("indent") ?? null;
  const count = numberOf(step);
  const indent =
    typeof step === "string" ? step : count === undefined ? undefined : " ".repeat(Math.max(0, Number(step)));
  const separators = params.get("separators") ?? null;
  const [item, key] =
    separators === null ? [indent === undefined ? ", " : ",", ": "] : iterate(separators).map(str);
  return {
    ensureAscii: params.flag("ensure_ascii"),
    indent,
    itemSeparator: item ?? ", ",
    keySeparator: key ?? ": ",
    sortKeys: params.flag("sort_keys"),
  };
}

function items(value: Value): Value {
  if (value instanceof Undefined) return new Lazy(() => []);
  if (!isDict(value)) throw wrong("Can only get item pairs from a mapping.");
  return new Lazy(() => pairs(value));
}

/** Here none has no items, as anything false; elsewhere Python raises. */
function lazily(value: Value, make: () => Value[]): Lazy {
  return new Lazy(() => (truth(value) ? make() : []));
}

function mapped(value: Value, given: Args): Value[] {
  const named = given.named.get("attribute");
  if (given.positional.length === 0 && named !== undefined) {
    const fallback = given.named.get("default");
    return iterate(value).map((item) => {
      const found = path(item, str(named));
      return found instanceof Undefined && fallback !== undefined ? fallback : found;
    });
  }
  const [name, ...rest] = given.positional;
  if (name === undefined) throw wrong("map requires a filter argument");
  const filter = filterNamed(str(name));
  return iterate(value).map((item) => filter(item, { positional: rest, named: given.named }));
}

function selected(value: Value, given: Args, keep: boolean): Value[] {
  const [name, ...rest] = given.positional;
  const test = name === undefined ? truth : testNamed(str(name));
  return iterate(value).filter((item) => test(plain(item), ...rest) === keep);
}

function selectedBy(value: Value, given: Args, keep: boolean): Value[] {
  const [name, testName, ...rest] = given.positional;
  if (name === undefined) throw wrong("Missing parameter for attribute name");
  const test = testName === undefined ? truth : testNamed(str(testName));
  return iterate(value).filter((item) => test(plain(path(item, str(name))), ...rest) === keep);
}
