/**
 * `object.name` and `object[key]`. A dot finds methods before keys (so that `schema.items()` works on a schema with
 * a key "items"), brackets find keys before methods; what is not there is undefined.
 */

import { DICT_METHODS, LIST_METHODS, placeIn, TUPLE_METHODS } from "./collectionMethods.ts";
import { wrong } from "./errors.ts";
import { formatBraces } from "./formatBraces.ts";
import { repr } from "./print.ts";
import { STRING_METHODS } from "./stringMethods.ts";
import { isNarrow } from "./text.ts";
import {
  type Args,
  Callable,
  Float,
  GroupTuple,
  isDict,
  keyOf,
  Loop,
  Markup,
  Namespace,
  numberOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** Calls a method without binding it first. Undefined, the JavaScript one, where `object` has no such method. */
export function callMethod(object: Value, name: string, given: Args): Value | undefined {
  if (typeof object === "string") {
    if (name === "format")
      return formatBraces(object, given, (value, key, isItem) => step(value, key, isItem));
    return STRING_METHODS.get(name)?.(object, given);
  }
  if (object instanceof Map) return DICT_METHODS.get(name)?.(object, given);
  if (Array.isArray(object)) {
    return object instanceof Tuple && !TUPLE_METHODS.has(name)
      ? undefined
      : LIST_METHODS.get(name)?.(object, given);
  }
  return object instanceof Markup ? callMethod(object.text, name, given) : undefined;
}

function hasMethod(object: Value, name: string): boolean {
  if (typeof object === "string" || object instanceof Markup)
    return name === "format" || STRING_METHODS.has(name);
  if (object instanceof Map) return DICT_METHODS.has(name);
  if (!Array.isArray(object)) return false;
  return object instanceof Tuple ? TUPLE_METHODS.has(name) : LIST_METHODS.has(name);
}

/** A step of a format field: `{x.name}` or `{x[0]}`. */
function step(value: Value, key: string, isItem: boolean): Value {
  if (!isItem) return attribute(value, key);
  return subscript(value, /^\d+$/.test(key) ? Number(key) : key);
}

export function attribute(object: Value, name: string): Value {
  if (object instanceof Undefined) throw wrong(object.why);
  if (hasMethod(object, name)) return new Callable(name, (given) => callMethod(object, name, given) ?? null);
  return orMissing(field(object, name), object, name);
}

/** `object | attr(name)`: no keys. */
export function ownAttribute(object: Value, name: string): Value {
  return isDict(object) && !hasMethod(object, name) ? missing(object, name) : attribute(object, name);
}

/** What an object holds under a name, methods left aside. */
function field(object: Value, name: string): Value | undefined {
  if (isDict(object)) return object.has(name) ? (object.get(name) ?? null) : undefined;
  if (object instanceof Namespace)
    return object.fields.has(name) ? (object.fields.get(name) ?? null) : undefined;
  if (object instanceof Loop) return object.field(name);
  if (object instanceof GroupTuple)
    return name === "grouper" ? object[0] : name === "list" ? object[1] : undefined;
  return object instanceof Callable && name === "name" ? object.name : undefined;
}

export function subscript(object: Value, key: Value): Value {
  if (object instanceof Undefined) throw wrong(object.why);
  if (isDict(object)) {
    const name = Array.isArray(key) || isDict(key) ? undefined : keyOf(key);
    if (name !== undefined && object.has(name)) return object.get(name) ?? null;
  } else if (Array.isArray(object) || typeof object === "string") {
    const number = numberOf(key);
    if (number !== undefined && !(number instanceof Float)) return orMissing(item(object, key), object, key);
  } else if (object instanceof Markup) return subscript(object.text, key);
  const name = key instanceof Markup ? key.text : key;
  return typeof name === "string" ? attribute(object, name) : missing(object, key);
}

function item(object: Value[] | string, key: Value): Value | undefined {
  if (typeof object !== "string") return object[placeIn(object.length, key)];
  const points = isNarrow(object) ? object : [...object];
  return points[placeIn(points.length, key)];
}

/** Not `??`, which would take None for a missing value. */
function orMissing(value: Value | undefined, object: Value, key: Value): Value {
  return value === undefined ? missing(object, key) : value;
}

function missing(object: Value, key: Value): Undefined {
  const what = isDict(object) ? "dict object" : `'${typeName(object)}' object`;
  return new Undefined(
    typeof key === "string" ? `${what} has no attribute '${key}'` : `${what} has no element ${repr(key)}`,
  );
}

/** `a.b.0`, as filters name attributes: keys before methods, digits are indices. */
export function path(object: Value, names: string): Value {
  let value = object;
  for (const name of names.split(".")) value = subscript(value, /^\d+$/.test(name) ? Number(name) : name);
  return value;
}

/** `object[start:stop:step]`. */
export function slice(object: Value, start: Value, stop: Value, step: Value): Value {
  const whole = object instanceof Markup ? object.text : object;
  if (whole instanceof Undefined) throw wrong(whole.why);
  // Jinja asks the object, and takes a refusal for nothing found.
  if (typeof whole !== "string" && !Array.isArray(whole))
    return new Undefined(`'${typeName(whole)}' object has no slices`);
  const by = bound(step) ?? 1;
  if (by === 0) throw wrong("slice step cannot be zero");
  const points = typeof whole === "string" && !isNarrow(whole) ? [...whole] : whole;
  const { length } = points;
  const clamp = (at: number): number =>
    Math.min(Math.max(at < 0 ? at + length : at, by < 0 ? -1 : 0), by < 0 ? length - 1 : length);
  const from = clampOr(bound(start), by < 0 ? length - 1 : 0, clamp);
  const to = clampOr(bound(stop), by < 0 ? -1 : length, clamp);
  if (by === 1) {
    const part = points.slice(from, Math.max(from, to));
    return typeof whole === "string" && Array.isArray(part) ? part.join("") : part;
  }
  const out: Value[] = Array.isArray(whole) ? whole.slice(0, 0) : [];
  for (let at = from; by > 0 ? at < to : at > to; at += by) out.push(points[at] ?? null);
  return typeof whole === "string" ? out.join("") : out;
}

function clampOr(at: number | undefined, otherwise: number, clamp: (at: number) => number): number {
  return at === undefined ? otherwise : clamp(at);
}

function bound(value: Value): number | undefined {
  if (value === null || value instanceof Undefined) return undefined;
  const number = numberOf(value);
  if (number === undefined || number instanceof Float) {
    throw wrong("slice indices must be integers or None or have an __index__ method");
  }
  return Number(number);
}
