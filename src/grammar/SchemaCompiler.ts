/**
 * JSON Schema to grammar rules. Keys come in the order of `properties`, then others. What is not said is read
 * as closed: beside `properties` there are no other keys, beside a tuple no other items, unless the schema says
 * so; a schema that names no type means the types that its keywords are about. What cannot be held throws.
 */
import type { Json } from "../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../json/kinds.ts";
import { readDecimal } from "./Decimal.ts";
import { accepts, type Dfa, isEmpty } from "./Dfa.ts";
import { dfaRule, Gbnf, RAW, repeated } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import { JSON_SPELLING } from "./jsonSpelling.ts";
import type { Part } from "./Keywords.ts";
import { numberDfa } from "./numberDfa.ts";
import { objectBody } from "./objectBody.ts";
import { SchemaError } from "./SchemaError.ts";
import type { SchemaRoot } from "./SchemaRoot.ts";
import { type Parts, type Shape, shapeOf, TYPES, type TypeName } from "./Shape.ts";
import type { Spelling } from "./Spelling.ts";
import { textBody, textDfa } from "./textBody.ts";
import { valuesBody, wordsBody } from "./valuesBody.ts";
import { beyondWork, DfaTooLarge, spend } from "./Work.ts";

const DEPTH_MAX = 150;
/** Options of several choices, multiplied. */
const COMBINATIONS_MAX = 400;
/** Characters of the grammar; the engine takes half a million. */
const GRAMMAR_CHARS_MAX = 400_000;
/** Rules that are looked at for a value that ends; a schema that takes more is believed. */
const PROOF_STEPS_MAX = 5_000;

export interface CompilerOptions {
  /** Keys of an object in any order, not the schema's. */
  readonly anyOrder?: boolean;
  /** A schema that cannot be held allows any value; those around it are held. `SchemaRoot.refused` tells which. */
  readonly lenient?: boolean;
  /** A schema within itself allows no value there. What is left has a value that ends. */
  readonly finiteOnly?: boolean;
  /** The grammar may be as large as it is already. */
  readonly unlimited?: boolean;
}

interface Entry {
  readonly name: string;
  done: boolean;
  never: boolean;
  used: boolean;
}

export class SchemaCompiler {
  readonly gbnf: Gbnf;
  readonly root: SchemaRoot;
  readonly options: CompilerOptions;
  readonly #rules = new Map<string, Entry>();
  readonly #ids = new WeakMap<object, number>();
  #idCount = 0;
  #depth = 0;
  #steps = 0;

  constructor(gbnf: Gbnf, root: SchemaRoot, options: CompilerOptions = {}) {
    this.gbnf = gbnf;
    this.root = root;
    this.options = options;
  }

  /** The rule for values that fit all parts; null where none does. */
  rule(parts: Parts, hint: string, spelling: Spelling = JSON_SPELLING): string | null {
    const { finiteOnly = false, lenient = false } = this.options;
    if (parts.every(({ json }) => json === true || (isJsonObject(json) && json.size === 0))) {
      const any = spelling.any(this.gbnf);
      if (any !== null) return any;
    }
    const key = `${spelling.name} ${this.#keyOf(parts)}`;
    const known = this.#rules.get(key);
    if (known !== undefined) {
      if (finiteOnly && !known.done) return null;
      if (!known.done) known.used = true;
      return known.never ? null : known.name;
    }
    this.#steps += 1;
    if (finiteOnly && this.#steps > PROOF_STEPS_MAX) return jsonRule(this.gbnf, "value");
    const entry: Entry = { name: this.gbnf.fresh(`s-${hint}`), done: false, never: false, used: false };
    this.#rules.set(key, entry);
    const depth = this.#depth;
    try {
      return this.#finish(entry, key, parts, hint, spelling);
    } catch (error) {
      this.#depth = depth;
      const refusal =
        error instanceof DfaTooLarge ? new SchemaError("schema", pathOf(parts), error.message) : error;
      const any = lenient ? beyondWork(() => spelling.any(this.gbnf)) : null;
      if (!(refusal instanceof SchemaError) || any === null) throw refusal;
      this.root.refuse(refusal);
      entry.done = true;
      return this.gbnf.define(entry.name, any);
    }
  }

  #finish(entry: Entry, key: string, parts: Parts, hint: string, spelling: Spelling): string | null {
    if (this.#depth > DEPTH_MAX) throw new SchemaError("schema", pathOf(parts), "is nested too deeply");
    if (this.gbnf.length > GRAMMAR_CHARS_MAX && this.options.unlimited !== true)
      throw new SchemaError("schema", pathOf(parts), "is too large");
    this.#depth += 1;
    const body = this.#body(parts, hint, spelling);
    this.#depth -= 1;
    entry.done = true;
    if (body === null) {
      if (entry.used) throw new SchemaError("$ref", pathOf(parts), "leads to a schema that allows no value");
      entry.never = true;
      this.gbnf.drop(entry.name);
      // Elsewhere, outside of what it is now within, it may have one.
      if (this.options.finiteOnly) this.#rules.delete(key);
      return null;
    }
    if (entry.used) this.#proveFinite(parts, hint);
    this.gbnf.define(entry.name, body);
    return entry.name;
  }

  /** Throws for a schema each of whose values holds another of its own: no text would ever end. */
  #proveFinite(parts: Parts, hint: string): void {
    if (new SchemaCompiler(new Gbnf(), this.root, { finiteOnly: true }).rule(parts, hint) !== null) return;
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

  #body(parts: Parts, hint: string, spelling: Spelling): string | null {
    const shape = shapeOf(parts, this.root);
    if (shape.never) return null;
    if (shape.choices.length > 0) return this.#choices(shape, hint, spelling);
    const path = pathOf(parts);
    if (shape.values !== null) {
      const { values } = shape;
      return budgeted("enum", path, () => {
        spend(2 * values.length);
        return valuesBody(this.gbnf, values.filter(this.#fitting(shape, path)), hint, spelling);
      });
    }
    const types = shape.types ?? (shape.implied.size > 0 ? shape.implied : null);
    if (types === null) {
      // Only a remark such as an unknown format is left.
      return spelling.any(this.gbnf);
    }
    const bodies = TYPES.filter((type) => types.has(type)).flatMap(
      (type) => this.#typed(type, shape, hint, path, spelling) ?? [],
    );
    return bodies.length === 0 ? null : bodies.join(" | ");
  }

  #choices(shape: Shape, hint: string, spelling: Spelling): string | null {
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
      const name = this.rule([...shape.plain, ...options], hint, spelling);
      if (name !== null) names.add(name);
    }
    return names.size === 0 ? null : [...names].join(" | ");
  }

  /** Whether a value of an enum is also what the other keywords allow; automata are made once for all of them. */
  #fitting(shape: Shape, path: string): (value: Json) => boolean {
    let text: Dfa | null = null;
    let number: Dfa | null = null;
    const isBounded = shape.whole || shape.min !== null || shape.max !== null || shape.multiples.length > 0;
    return (value) => {
      if (shape.types !== null && !shape.types.has(typeOf(value))) return false;
      if (typeof value === "string") {
        text ??= textDfa(shape);
        return accepts(text, value);
      }
      if (!isJsonNumber(value) || !isBounded) return true;
      const decimal = readDecimal(value.raw);
      if (decimal === null) return true;
      const sign = decimal.negative ? "-" : "";
      number ??= this.#numberDfa(shape, path);
      return accepts(
        number,
        `${sign}${decimal.whole || "0"}${decimal.fraction === "" ? "" : `.${decimal.fraction}`}`,
      );
    };
  }

  #typed(type: TypeName, shape: Shape, hint: string, path: string, spelling: Spelling): string | null {
    // A spelling of objects alone has no other value.
    if (type !== "object" && spelling.quotes.length === 0) return null;
    switch (type) {
      case "null":
      case "boolean":
        return wordsBody(this.gbnf, type, spelling);
      case "number":
        return this.#number(shape, hint, path);
      case "string":
        return textBody(this.gbnf, shape, hint, spelling);
      case "array":
        return this.#array(shape, hint, spelling);
      case "object":
        return budgeted("properties", path, () => objectBody(this, shape, hint, path, spelling));
    }
  }

  #number(shape: Shape, hint: string, path: string): string | null {
    if (shape.min === null && shape.max === null && shape.multiples.length === 0) {
      return jsonRule(this.gbnf, shape.whole ? "integer" : "number");
    }
    const dfa = this.#numberDfa(shape, path);
    return isEmpty(dfa) ? null : dfaRule(this.gbnf, `s-${hint}-number`, dfa, RAW);
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

  #array(shape: Shape, hint: string, spelling: Spelling): string | null {
    const { arrays, itemsMin } = shape;
    const prefixLength = Math.max(0, ...arrays.map(({ prefix }) => prefix.length));
    const isClosed =
      arrays.some(({ prefix, items }) => prefix.length > 0 && items === null) &&
      arrays.every(({ items }) => items === null);
    const itemParts = arrays.flatMap(({ items }) => items ?? []);
    const item = isClosed ? null : this.rule(itemParts, `${hint}-item`, spelling);
    let itemsMax = item === null ? Math.min(shape.itemsMax, prefixLength) : shape.itemsMax;
    const prefix: string[] = [];
    for (let index = 0; index < Math.min(prefixLength, itemsMax); index += 1) {
      const parts = arrays.flatMap((clause) => clause.prefix[index] ?? clause.items ?? []);
      const name = this.rule(parts, `${hint}-${index}`, spelling);
      if (name === null) {
        itemsMax = index;
        break;
      }
      prefix.push(spelling.item(name));
    }
    if (itemsMax < itemsMin) return null;
    const { open, close, comma } = spelling.array(this.gbnf);
    const around = item === null ? null : spelling.item(item);
    const inner = this.#items(prefix, around, itemsMin, itemsMax, hint, comma);
    if (inner === "") return spaced(open, close);
    return spaced(open, itemsMin > 0 ? inner : `(${inner})?`, close);
  }

  /** Items; "" where there are none. */
  #items(
    prefix: readonly string[],
    item: string | null,
    min: number,
    max: number,
    hint: string,
    comma: string,
  ): string {
    const { gbnf } = this;
    if (max === 0) return "";
    const taken = Math.min(prefix.length, max);
    let inner = "";
    if (item !== null && max > taken) {
      const more = gbnf.rule(`s-${hint}-more`, spaced(comma, item));
      const skipped = Math.max(taken, 1);
      inner = max > skipped ? repeated(gbnf, more, Math.max(0, min - skipped), max - skipped) : "";
      if (taken === 0) inner = spaced(item, inner);
    }
    for (let index = taken - 1; index >= 0; index -= 1) {
      // What follows is optional from the item on that need not be there.
      const rest = index + 1 < min || inner === "" ? inner : gbnf.rule(`s-${hint}-rest`, `(${inner})?`);
      inner = spaced(index === 0 ? "" : comma, prefix[index] ?? "", rest);
    }
    return inner;
  }
}

function spaced(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

/** Automata that are made of a whole schema's texts name no keyword themselves. */
function budgeted<T>(keyword: string, path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof DfaTooLarge) throw new SchemaError(keyword, `${path}/${keyword}`, error.message);
    throw error;
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
