/**
 * JSON Schema to grammar rules. Keys come in the order of `properties`, then others. What is not said is read
 * as closed: beside `properties` there are no other keys, beside a tuple no other items, unless the schema says
 * so; a schema that names no type means the types that its keywords are about. What cannot be held throws.
 */
import type { Json } from "../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../json/kinds.ts";
import { readDecimal } from "./Decimal.ts";
import { accepts, type Dfa, DfaTooLarge, isEmpty, oneOf } from "./Dfa.ts";
import { dfaRule, Gbnf, literal, repeated } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import type { Part } from "./Keywords.ts";
import { numberDfa } from "./numberDfa.ts";
import { objectBody } from "./objectBody.ts";
import { SchemaError } from "./SchemaError.ts";
import type { SchemaRoot } from "./SchemaRoot.ts";
import { type Parts, type Shape, shapeOf, TYPES, type TypeName } from "./Shape.ts";
import { textBody, textDfa } from "./textBody.ts";

const DEPTH_MAX = 150;
/** Options of several choices, multiplied. */
const COMBINATIONS_MAX = 400;
/** Characters of the grammar; the engine takes half a million. */
const GRAMMAR_CHARS_MAX = 400_000;
/** Texts beyond this many are told apart by their characters, one after the other. */
const LITERALS_MAX = 6;
/** Rules that are looked at for a value that ends; a schema that takes more is believed. */
const PROOF_STEPS_MAX = 5_000;

export class SchemaCompiler {
  readonly gbnf: Gbnf;
  readonly root: SchemaRoot;
  readonly #rules = new Map<
    string,
    { readonly name: string; done: boolean; never: boolean; used: boolean }
  >();
  readonly #ids = new WeakMap<object, number>();
  readonly #finiteOnly: boolean;
  #idCount = 0;
  #depth = 0;
  #steps = 0;

  /** `finiteOnly`: a schema within itself allows no value there. What is left has a value that ends. */
  constructor(gbnf: Gbnf, root: SchemaRoot, finiteOnly = false) {
    this.gbnf = gbnf;
    this.root = root;
    this.#finiteOnly = finiteOnly;
  }

  /** The rule for values that fit all parts; null where none does. */
  rule(parts: Parts, hint: string): string | null {
    if (parts.every(({ json }) => json === true || (isJsonObject(json) && json.size === 0))) {
      return jsonRule(this.gbnf, "value");
    }
    const key = this.#keyOf(parts);
    const known = this.#rules.get(key);
    if (known !== undefined) {
      if (this.#finiteOnly && !known.done) return null;
      if (!known.done) known.used = true;
      return known.never ? null : known.name;
    }
    this.#steps += 1;
    if (this.#finiteOnly && this.#steps > PROOF_STEPS_MAX) return jsonRule(this.gbnf, "value");
    if (this.#depth > DEPTH_MAX) throw new SchemaError("schema", pathOf(parts), "is nested too deeply");
    if (this.gbnf.length > GRAMMAR_CHARS_MAX) throw new SchemaError("schema", pathOf(parts), "is too large");
    const entry = { name: this.gbnf.fresh(`s-${hint}`), done: false, never: false, used: false };
    this.#rules.set(key, entry);
    this.#depth += 1;
    const body = this.#body(parts, hint);
    this.#depth -= 1;
    entry.done = true;
    if (body === null) {
      if (entry.used) throw new SchemaError("$ref", pathOf(parts), "leads to a schema that allows no value");
      entry.never = true;
      this.gbnf.drop(entry.name);
      // Elsewhere, outside of what it is now within, it may have one.
      if (this.#finiteOnly) this.#rules.delete(key);
      return null;
    }
    if (entry.used) this.#proveFinite(parts, hint);
    this.gbnf.define(entry.name, body);
    return entry.name;
  }

  /** Throws for a schema each of whose values holds another of its own: no text would ever end. */
  #proveFinite(parts: Parts, hint: string): void {
    if (new SchemaCompiler(new Gbnf(), this.root, true).rule(parts, hint) !== null) return;
    throw new SchemaError("$ref", pathOf(parts), "leads to itself without end");
  }

  #keyOf(parts: Parts): string {
    const ids = parts.map(({ json }) => {
      if (json === null || typeof json !== "object") return String(json);
      let id = this.#ids.get(json);
      if (id === undefined) {
        id = this.#idCount++;
        this.#ids.set(json, id);
      }
      return id;
    });
    return [...new Set(ids)].sort().join();
  }

  #body(parts: Parts, hint: string): string | null {
    const shape = shapeOf(parts, this.root);
    if (shape.never) return null;
    if (shape.choices.length > 0) return this.#choices(shape, hint);
    if (shape.values !== null) return this.#values(shape, shape.values, hint, pathOf(parts));
    const types = shape.types ?? (shape.implied.size > 0 ? shape.implied : null);
    if (types === null) {
      // Only a remark such as an unknown format is left.
      return jsonRule(this.gbnf, "value");
    }
    const bodies = TYPES.filter((type) => types.has(type)).flatMap((type) => {
      const body = this.#typed(type, shape, hint, pathOf(parts));
      return body === null ? [] : [body];
    });
    return bodies.length === 0 ? null : bodies.join(" | ");
  }

  #choices(shape: Shape, hint: string): string | null {
    const count = shape.choices.reduce((product, { options }) => product * options.length, 1);
    const first = shape.choices[0];
    if (count > COMBINATIONS_MAX && first !== undefined) {
      throw new SchemaError(first.keyword, first.path, `has too many combinations (${count})`);
    }
    let combinations: Part[][] = [[]];
    for (const { options } of shape.choices) {
      combinations = combinations.flatMap((list) => options.map((option) => [...list, option]));
    }
    const names = new Set<string>();
    for (const options of combinations) {
      const name = this.rule([...shape.plain, ...options], hint);
      if (name !== null) names.add(name);
    }
    return names.size === 0 ? null : [...names].join(" | ");
  }

  #values(shape: Shape, values: readonly Json[], hint: string, path: string): string | null {
    const fit = values.filter((value) => this.#fits(shape, value, path));
    const texts = fit.filter((value) => typeof value === "string");
    const others = fit.filter((value) => typeof value !== "string").map(constant(this.gbnf));
    if (texts.length > LITERALS_MAX) others.push(dfaRule(this.gbnf, `s-${hint}-enum`, oneOf(texts), "json"));
    else others.push(...texts.map(constant(this.gbnf)));
    return others.length === 0 ? null : [...new Set(others)].join(" | ");
  }

  #fits(shape: Shape, value: Json, path: string): boolean {
    if (shape.types !== null && !shape.types.has(typeOf(value))) return false;
    if (typeof value === "string") return accepts(textDfa(shape), value);
    if (isJsonNumber(value)) {
      const decimal = readDecimal(value.raw);
      if (decimal === null) return true;
      const sign = decimal.negative ? "-" : "";
      const text = `${sign}${decimal.whole || "0"}${decimal.fraction === "" ? "" : `.${decimal.fraction}`}`;
      return accepts(this.#numberDfa(shape, path), text);
    }
    return true;
  }

  #typed(type: TypeName, shape: Shape, hint: string, path: string): string | null {
    switch (type) {
      case "null":
      case "boolean":
        return jsonRule(this.gbnf, type);
      case "number":
        return this.#number(shape, hint, path);
      case "string":
        return textBody(this.gbnf, shape, hint);
      case "array":
        return this.#array(shape, hint);
      case "object":
        return objectBody(this, shape, hint, path);
    }
  }

  #number(shape: Shape, hint: string, path: string): string | null {
    if (shape.min === null && shape.max === null && shape.multiples.length === 0) {
      return jsonRule(this.gbnf, shape.whole ? "integer" : "number");
    }
    const dfa = this.#numberDfa(shape, path);
    return isEmpty(dfa) ? null : dfaRule(this.gbnf, `s-${hint}-number`, dfa, "raw");
  }

  #numberDfa(shape: Shape, path: string): Dfa {
    try {
      return numberDfa({ ...shape, multiples: shape.multiples.map(({ value }) => value) });
    } catch (error) {
      if (!(error instanceof DfaTooLarge)) throw error;
      const multiple = shape.multiples[0];
      throw new SchemaError(
        multiple === undefined ? "minimum" : "multipleOf",
        multiple?.path ?? path,
        error.message,
      );
    }
  }

  #array(shape: Shape, hint: string): string | null {
    const { arrays, itemsMin } = shape;
    const prefixLength = Math.max(0, ...arrays.map(({ prefix }) => prefix.length));
    const isClosed =
      arrays.some(({ prefix, items }) => prefix.length > 0 && items === null) &&
      arrays.every(({ items }) => items === null);
    const itemParts = arrays.flatMap(({ items }) => items ?? []);
    const item = isClosed ? null : this.rule(itemParts, `${hint}-item`);
    let itemsMax = item === null ? Math.min(shape.itemsMax, prefixLength) : shape.itemsMax;
    const prefix: string[] = [];
    for (let index = 0; index < Math.min(prefixLength, itemsMax); index += 1) {
      const parts = arrays.flatMap((clause) => clause.prefix[index] ?? clause.items ?? []);
      const name = this.rule(parts, `${hint}-${index}`);
      if (name === null) {
        itemsMax = index;
        break;
      }
      prefix.push(name);
    }
    if (itemsMax < itemsMin) return null;
    return `"[" ${jsonRule(this.gbnf, "ws")} ${this.#items(prefix, item, itemsMin, itemsMax, hint)}"]"`;
  }

  /** Items and the white space behind them; "" where there are none. */
  #items(prefix: readonly string[], item: string | null, min: number, max: number, hint: string): string {
    const { gbnf } = this;
    if (max === 0) return "";
    const taken = Math.min(prefix.length, max);
    let inner = "";
    if (item !== null && max > taken) {
      const more = gbnf.rule(`s-${hint}-more`, `"," ws ${item}`);
      const skipped = Math.max(taken, 1);
      inner = max > skipped ? repeated(gbnf, more, Math.max(0, min - skipped), max - skipped) : "";
      if (taken === 0) inner = `${item} ${inner}`;
    }
    for (let index = taken - 1; index >= 0; index -= 1) {
      // What follows is optional from the item on that need not be there.
      const rest = index + 1 < min || inner === "" ? inner : gbnf.rule(`s-${hint}-rest`, `(${inner})?`);
      inner = `${index === 0 ? "" : '"," ws '}${prefix[index]} ${rest}`;
    }
    return min > 0 ? `${inner} ws ` : `(${inner} ws)? `;
  }
}

function pathOf(parts: Parts): string {
  return parts[0]?.path ?? "";
}

function typeOf(value: Json): TypeName {
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  if (isJsonArray(value)) return "array";
  return isJsonObject(value) ? "object" : "number";
}

/** One value, with white space where JSON has it. */
function constant(gbnf: Gbnf): (value: Json) => string {
  const write = (value: Json): string => {
    if (isJsonArray(value) || isJsonObject(value)) {
      const ws = jsonRule(gbnf, "ws");
      const [open, close] = isJsonArray(value) ? ["[", "]"] : ["{", "}"];
      const items = isJsonArray(value)
        ? value.map(write)
        : [...value].map(([key, item]) => `${literal(`${JSON.stringify(key)}:`)} ${ws} ${write(item)}`);
      return `${literal(open)} ${ws} ${items.join(` "," ${ws} `)} ${items.length > 0 ? ws : ""} ${literal(close)}`;
    }
    if (!isJsonNumber(value)) return literal(JSON.stringify(value));
    const plain = JSON.stringify(Number(value.raw));
    return plain === value.raw ? literal(plain) : `(${literal(value.raw)} | ${literal(plain)})`;
  };
  return write;
}
