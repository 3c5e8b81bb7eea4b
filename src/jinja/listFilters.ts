/** Filters on lists and dicts. */
import { path } from "./access.ts";
import { Params } from "./args.ts";
import { checkedItems } from "./budget.ts";
import { wrong } from "./errors.ts";
import { compare, sortedBy } from "./order.ts";
import { str } from "./print.ts";
import { lengthOf } from "./text.ts";
import {
  type Args,
  equal,
  GroupTuple,
  isDict,
  iterate,
  Lazy,
  plain,
  tupleOf,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

type Filter = (value: Value, given: Args) => Value;

export const LIST_FILTERS: readonly (readonly [string, Filter])[] = [
  ["length", (value) => sizeOf(value)],
  ["count", (value) => sizeOf(value)],
  ["list", (value) => iterate(value).slice()],
  ["first", (value) => oneOf(iterate(value), 0, "first")],
  ["last", (value) => oneOf(iterate(value), -1, "last")],
  [
    "reverse",
    (value) => {
      const text = plain(value);
      if (typeof text === "string") return [...text].reverse().join("");
      return new Lazy(() => iterate(value).slice().reverse());
    },
  ],
  [
    "sort",
    (value, given) => {
      const params = new Params("sort", given, ["reverse", "case_sensitive", "attribute"]);
      const key = keyBy(params);
      // A list of keys, as Jinja has it: those that are equal need no order, undefined and none neither.
      return sortedBy(iterate(value), (item) => [key(item)], params.flag("reverse"));
    },
  ],
  [
    "unique",
    (value, given) =>
      new Lazy(() => unique(value, new Params("unique", given, ["case_sensitive", "attribute"]))),
  ],
  ["min", (value, given) => extreme(value, new Params("min", given, ["case_sensitive", "attribute"]), -1)],
  ["max", (value, given) => extreme(value, new Params("max", given, ["case_sensitive", "attribute"]), 1)],
  [
    "groupby",
    (value, given) => groups(value, new Params("groupby", given, ["attribute", "default", "case_sensitive"])),
  ],
  [
    "dictsort",
    (value, given) => dictsort(value, new Params("dictsort", given, ["case_sensitive", "by", "reverse"])),
  ],
  [
    "batch",
    (value, given) => new Lazy(() => batches(value, new Params("batch", given, ["linecount", "fill_with"]))),
  ],
  [
    "slice",
    (value, given) => new Lazy(() => slices(value, new Params("slice", given, ["slices", "fill_with"]))),
  ],
];

export function sizeOf(value: Value): number {
  const sized = plain(value);
  if (typeof sized === "string") return lengthOf(sized);
  if (Array.isArray(sized)) return sized.length;
  if (isDict(sized)) return sized.size;
  if (sized instanceof Undefined) return 0;
  throw wrong(`object of type '${typeName(sized)}' has no len()`);
}

function oneOf(items: readonly Value[], at: number, which: string): Value {
  const item = items.at(at);
  return item === undefined ? new Undefined(`No ${which} item, sequence was empty.`) : item;
}

function folded(value: Value): Value {
  const text = plain(value);
  return typeof text === "string" ? text.toLowerCase() : text;
}

/** The key that `attribute` and `case_sensitive` name; `a,b` sorts by a and then by b. */
function keyBy(params: Params): (item: Value) => Value {
  const fold = params.flag("case_sensitive") ? (value: Value) => value : folded;
  const attribute = params.get("attribute") ?? null;
  if (attribute === null) return fold;
  const names = str(attribute).split(",");
  if (names.length === 1) return (item) => fold(path(item, names[0] ?? ""));
  return (item) => names.map((name) => fold(path(item, name)));
}

function unique(value: Value, params: Params): Value[] {
  const key = keyBy(params);
  const seen: Value[] = [];
  const texts = new Set<string>();
  return iterate(value).filter((item) => {
    const at = key(item);
    if (typeof at === "string") return texts.size < texts.add(at).size;
    if (seen.some((other) => equal(other, at))) return false;
    seen.push(at);
    return true;
  });
}

function extreme(value: Value, params: Params, sign: 1 | -1): Value {
  const key = keyBy(params);
  const items = iterate(value);
  let best = items[0];
  if (best === undefined) return new Undefined("No aggregated item, sequence was empty.");
  for (const item of items.slice(1)) if (sign * compare(key(item), key(best)) > 0) best = item;
  return best;
}

function groups(value: Value, params: Params): Value[] {
  const attribute = str(params.required("attribute"));
  const fallback = params.get("default");
  const read = (item: Value): Value => {
    const found = path(item, attribute);
    return found instanceof Undefined && fallback !== undefined ? fallback : found;
  };
  const fold = params.flag("case_sensitive") ? read : (item: Value) => folded(read(item));
  const out: Value[] = [];
  let at: Value | undefined;
  let items: Value[] = [];
  for (const item of sortedBy(iterate(value), fold, false)) {
    const key = fold(item);
    if (at === undefined || !equal(at, key)) {
      items = [];
      const group = new GroupTuple();
      group.push(read(item), items);
      out.push(group);
      at = key;
    }
    items.push(item);
  }
  return out;
}

function dictsort(value: Value, params: Params): Value[] {
  const by = params.orElse("by", "key");
  if (by !== "key" && by !== "value") throw wrong('You can only sort by either "key" or "value"');
  if (!isDict(value)) throw wrong(`'${typeName(value)}' object has no attribute 'items'`);
  const fold = params.flag("case_sensitive") ? (one: Value) => one : folded;
  const key = (pair: Value): Value => fold(iterate(pair)[by === "key" ? 0 : 1] ?? null);
  return sortedBy(
    [...value].map((pair) => tupleOf(pair)),
    key,
    params.flag("reverse"),
  );
}

function batches(value: Value, params: Params): Value[] {
  const size = Math.max(1, params.int("linecount", 1));
  const fill = params.get("fill_with") ?? null;
  const items = iterate(value);
  const out: Value[] = [];
  for (let at = 0; at < items.length; at += size) {
    const batch = items.slice(at, at + size);
    while (fill !== null && batch.length < checkedItems(size)) batch.push(fill);
    out.push([...batch]);
  }
  return out;
}

function slices(value: Value, params: Params): Value[] {
  const count = checkedItems(Math.max(1, params.int("slices", 1)));
  const fill = params.get("fill_with") ?? null;
  const items = iterate(value);
  const each = Math.floor(items.length / count);
  const longer = items.length % count;
  const out: Value[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const size = each + (i < longer ? 1 : 0);
    const part = [...items.slice(at, at + size)];
    if (fill !== null && i >= longer) part.push(fill);
    out.push(part);
    at += size;
  }
  return out;
}
