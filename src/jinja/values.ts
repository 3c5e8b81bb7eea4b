/**
 * What a template computes with: Python's values by the nearest plain JavaScript ones. Text is a string, a list an
 * array, a dict a Map, an int a number (a bigint beyond 2^53); only what JavaScript has no word for is a class.
 */
import { wrong } from "./errors.ts";

export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | Float
  | Value[]
  | Dict
  | Undefined
  | Markup
  | Namespace
  | Loop
  | Lazy
  | Callable;

export type Dict = Map<Value, Value>;

/** A float; `raw` is its own spelling where it came from JSON. */
export class Float {
  readonly value: number;
  readonly raw: string | undefined;
  constructor(value: number, raw?: string) {
    this.value = value;
    this.raw = raw;
  }
}

export class Tuple extends Array<Value> {}

export function tupleOf(items: readonly Value[]): Tuple {
  const tuple = new Tuple();
  for (const item of items) tuple.push(item);
  return tuple;
}

/** What `groupby` gives: a pair whose parts have names. */
export class GroupTuple extends Tuple {}

/** A name that stands for nothing: prints as "", is false and empty, and anything more raises. */
export class Undefined {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Text that `safe` or `escape` marked: what is added to it gets escaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export class Namespace {
  readonly fields = new Map<string, Value>();
}

/** Python's generators: made when first read, read once, always true. */
export class Lazy {
  #make: (() => Value[]) | undefined;
  constructor(make: () => Value[]) {
    this.#make = make;
  }
  take(): Value[] {
    const make = this.#make;
    this.#make = undefined;
    return make === undefined ? [] : make();
  }
}

export interface Args {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A global, a macro, or a method bound to its object. */
export class Callable {
  readonly name: string;
  readonly call: (args: Args) => Value;
  constructor(name: string, call: (args: Args) => Value) {
    this.name = name;
    this.call = call;
  }
}

/** The `loop` of a for block. */
export class Loop {
  readonly items: readonly Value[];
  readonly depth: number;
  readonly recurse: ((items: Value) => string) | undefined;
  index0 = 0;
  #changed: readonly Value[] | undefined;

  constructor(items: readonly Value[], depth: number, recurse?: (items: Value) => string) {
    this.items = items;
    this.depth = depth;
    this.recurse = recurse;
  }

  /** Undefined, the JavaScript one, where a loop has no such field. */
  field(name: string): Value | undefined {
    const { index0, items } = this;
    const none = (which: string) => new Undefined(`there is no ${which} item`);
    switch (name) {
      case "index":
        return index0 + 1;
      case "index0":
        return index0;
      case "revindex":
        return items.length - index0;
      case "revindex0":
        return items.length - index0 - 1;
      case "first":
        return index0 === 0;
      case "last":
        return index0 === items.length - 1;
      case "length":
        return items.length;
      case "depth":
        return this.depth;
      case "depth0":
        return this.depth - 1;
      case "previtem":
        return items[index0 - 1] ?? (index0 > 0 ? null : none("previous"));
      case "nextitem":
        return items[index0 + 1] ?? (index0 + 1 < items.length ? null : none("next"));
      case "cycle":
        return new Callable("cycle", ({ positional }) => positional[index0 % positional.length] ?? null);
      case "changed":
        return new Callable("changed", ({ positional }) => {
          const before = this.#changed;
          this.#changed = positional;
          return before === undefined || !equal([...before], [...positional]);
        });
      default:
        return undefined;
    }
  }
}

/** Markup as the text it is. */
export function plain(value: Value): Value {
  return value instanceof Markup ? value.text : value;
}

export function isDict(value: Value): value is Dict {
  return value instanceof Map;
}

export function truth(value: Value): boolean {
  switch (typeof value) {
    case "string":
      return value !== "";
    case "boolean":
      return value;
    case "number":
      return value !== 0;
    case "bigint":
      return value !== 0n;
    default:
      if (value === null || value instanceof Undefined) return false;
      if (Array.isArray(value)) return value.length > 0;
      if (value instanceof Map) return value.size > 0;
      if (value instanceof Float) return value.value !== 0;
      return value instanceof Markup ? value.text !== "" : true;
  }
}

/** Python's name of a value's type, for messages. */
export function typeName(value: Value): string {
  if (value === null) return "NoneType";
  if (typeof value === "string" || value instanceof Markup) return "str";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint") return "int";
  if (value instanceof Float) return "float";
  if (value instanceof Tuple) return "tuple";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "dict";
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Namespace) return "Namespace";
  if (value instanceof Lazy) return "generator";
  return value instanceof Loop ? "LoopContext" : "function";
}

/** A number for arithmetic; undefined where the value is none. Booleans are 0 and 1. */
export function numberOf(value: Value): number | bigint | Float | undefined {
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Float) return value;
  return typeof value === "boolean" ? Number(value) : undefined;
}

/** As a double. */
export function doubleOf(number: number | bigint | Float): number {
  return number instanceof Float ? number.value : Number(number);
}

/** Digits of a whole number, as Python's limit for writing and reading one. */
export const DIGITS_MAX = 4_300;
const INT_END = 10n ** BigInt(DIGITS_MAX);

/** An integer as templates have it: a number where that is exact, else a bigint. */
export function int(value: bigint): number | bigint {
  if (value >= INT_END || value <= -INT_END)
    throw wrong(`It made a whole number of more than ${DIGITS_MAX} digits.`);
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  const left = plain(a);
  const right = plain(b);
  if (typeof left === "string" || typeof right === "string") return left === right;
  const m = numberOf(left);
  const n = numberOf(right);
  if (m !== undefined && n !== undefined) {
    if (m instanceof Float || n instanceof Float) return doubleOf(m) === doubleOf(n);
    return BigInt(m) === BigInt(n);
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length || left instanceof Tuple !== right instanceof Tuple) return false;
    return left.every((item, i) => equal(item, right[i] ?? null));
  }
  if (isDict(left) && isDict(right)) {
    if (left.size !== right.size) return false;
    for (const [key, item] of left) {
      const other = right.get(key);
      if (other === undefined || !equal(item, other)) return false;
    }
    return true;
  }
  return left instanceof Undefined && right instanceof Undefined;
}

/** A key in the form in which dicts hold it: 1.0 and 1 are one key. */
export function keyOf(value: Value): Value {
  const key = plain(value);
  if (key instanceof Float && Number.isSafeInteger(key.value)) return key.value;
  if (Array.isArray(key) || isDict(key)) throw wrong(`unhashable type: '${typeName(key)}'`);
  return key;
}

/** Items of anything that can be looped over. */
export function iterate(value: Value): Value[] {
  if (Array.isArray(value)) return value instanceof Tuple ? [...value] : value;
  if (value instanceof Map) return [...value.keys()];
  if (typeof value === "string") return [...value];
  if (value instanceof Undefined) return [];
  if (value instanceof Lazy) return value.take();
  if (value instanceof Markup) return [...value.text];
  throw wrong(`'${typeName(value)}' object is not iterable`);
}
