/** Methods of `list` and `dict`, by Python's rules; `list.append` and its kin change the list that they belong to. */
import { Params, wholeNumber } from "./args.ts";
import { wrong } from "./errors.ts";
import { sortedBy } from "./order.ts";
import { repr } from "./print.ts";
import type { Method } from "./stringMethods.ts";
import { type Dict, equal, isDict, iterate, keyOf, truth, tupleOf, type Value } from "./values.ts";

export const LIST_METHODS: ReadonlyMap<string, Method<Value[]>> = new Map<string, Method<Value[]>>([
  [
    "append",
    (self, given) => {
      self.push(new Params("append", given, ["object"]).required("object"));
      return null;
    },
  ],
  [
    "extend",
    (self, given) => {
      self.push(...iterate(new Params("extend", given, ["iterable"]).required("iterable")));
      return null;
    },
  ],
  [
    "insert",
    (self, given) => {
      const params = new Params("insert", given, ["index", "object"]);
      self.splice(params.int("index", 0), 0, params.required("object"));
      return null;
    },
  ],
  [
    "pop",
    (self, given) => {
      const at = new Params("pop", given, ["index"]).int("index", -1);
      const from = at < 0 ? self.length + at : at;
      if (from < 0 || from >= self.length)
        throw wrong(self.length === 0 ? "pop from empty list" : "pop index out of range");
      return self.splice(from, 1)[0] ?? null;
    },
  ],
  [
    "remove",
    (self, given) => {
      self.splice(placeOf(self, new Params("remove", given, ["value"]).required("value")), 1);
      return null;
    },
  ],
  ["index", (self, given) => placeOf(self, new Params("index", given, ["value"]).required("value"))],
  [
    "count",
    (self, given) => {
      const value = new Params("count", given, ["value"]).required("value");
      return self.filter((item) => equal(item, value)).length;
    },
  ],
  [
    "reverse",
    (self) => {
      self.reverse();
      return null;
    },
  ],
  [
    "sort",
    (self, given) => {
      const reverse = truth(given.named.get("reverse") ?? false);
      self.splice(0, self.length, ...sortedBy(self, (item) => item, reverse));
      return null;
    },
  ],
  [
    "clear",
    (self) => {
      self.length = 0;
      return null;
    },
  ],
  ["copy", (self) => self.slice()],
]);

/** Those that a tuple has as well. */
export const TUPLE_METHODS: ReadonlySet<string> = new Set(["index", "count"]);

function placeOf(self: readonly Value[], value: Value): number {
  const at = self.findIndex((item) => equal(item, value));
  if (at < 0) throw wrong(`${repr(value)} is not in list`);
  return at;
}

export const DICT_METHODS: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  [
    "get",
    (self, given) => {
      const params = new Params("get", given, ["key", "default"]);
      const key = keyOf(params.required("key"));
      return self.has(key) ? (self.get(key) ?? null) : (params.get("default") ?? null);
    },
  ],
  ["items", (self) => pairs(self)],
  ["keys", (self) => [...self.keys()]],
  ["values", (self) => [...self.values()]],
  ["copy", (self) => new Map(self)],
  [
    "pop",
    (self, given) => {
      const params = new Params("pop", given, ["key", "default"]);
      const key = keyOf(params.required("key"));
      const value = self.has(key) ? (self.get(key) ?? null) : params.get("default");
      if (value === undefined) throw wrong(`KeyError: ${repr(key)}`);
      self.delete(key);
      return value;
    },
  ],
  [
    "popitem",
    (self) => {
      const last = [...self].at(-1);
      if (last === undefined) throw wrong("popitem(): dictionary is empty");
      self.delete(last[0]);
      return tupleOf(last);
    },
  ],
  [
    "setdefault",
    (self, given) => {
      const params = new Params("setdefault", given, ["key", "default"]);
      const key = keyOf(params.required("key"));
      if (!self.has(key)) self.set(key, params.get("default") ?? null);
      return self.get(key) ?? null;
    },
  ],
  [
    "update",
    (self, given) => {
      for (const other of given.positional)
        for (const [key, value] of entriesOf(other)) self.set(keyOf(key), value);
      for (const [key, value] of given.named) self.set(key, value);
      return null;
    },
  ],
  [
    "clear",
    (self) => {
      self.clear();
      return null;
    },
  ],
]);

export function pairs(dict: Dict): Value[] {
  return [...dict].map((pair) => tupleOf(pair));
}

/** What `dict(x)` reads: another dict, or pairs. */
export function entriesOf(value: Value): [Value, Value][] {
  if (isDict(value)) return [...value];
  return iterate(value).map((pair) => {
    const items = iterate(pair);
    if (items.length !== 2)
      throw wrong(`dictionary update sequence element has length ${items.length}; 2 is required`);
    return [items[0] ?? null, items[1] ?? null];
  });
}

/** Python's index of a list, from the end where it is negative. */
export function placeIn(length: number, index: Value): number {
  const at = wholeNumber(index, "list indices");
  return at < 0 ? length + at : at;
}
