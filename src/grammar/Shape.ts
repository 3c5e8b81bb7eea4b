/**
 * What a set of schemas that must all hold says, put together: `$ref` and `allOf` followed, bounds narrowed,
 * object and array clauses side by side. `anyOf` and `oneOf` stay as choices.
 */
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../json/kinds.ts";
import { compareDecimals, type Decimal, readDecimal } from "./Decimal.ts";
import { Keywords, type Part } from "./Keywords.ts";
import type { Bound } from "./numberDfa.ts";
import { SchemaError } from "./SchemaError.ts";
import type { SchemaRoot } from "./SchemaRoot.ts";

/** Values of one enum. */
export const ENUM_VALUES_MAX = 20_000;

export type Parts = readonly Part[];

export const TYPES = ["null", "boolean", "object", "array", "number", "string"] as const;
export type TypeName = (typeof TYPES)[number];

/** One schema's say on objects; each clause judges every key for itself. */
export interface ObjectClause {
  readonly properties: ReadonlyMap<string, Part>;
  readonly patterns: readonly { readonly pattern: string; readonly part: Part }[];
  /** Null where it says nothing of other keys. */
  readonly additional: Part | null;
  readonly at: string;
}

export interface ArrayClause {
  readonly prefix: readonly Part[];
  readonly items: Part | null;
}

export interface Choice {
  readonly keyword: "anyOf" | "oneOf";
  readonly options: readonly Part[];
  readonly path: string;
}

export interface Texts {
  readonly pattern: string;
  readonly keyword: "pattern" | "format";
  readonly path: string;
}

export interface Shape {
  /** What was read, without references and choices: with one option of each choice it is read again. */
  readonly plain: Part[];
  /** No value fits. */
  never: boolean;
  /** Null: any. */
  types: Set<TypeName> | null;
  /** Types that keywords are about, for a schema that names none. */
  readonly implied: Set<TypeName>;
  values: readonly Json[] | null;
  whole: boolean;
  min: Bound | null;
  max: Bound | null;
  readonly multiples: { readonly value: Decimal; readonly path: string }[];
  readonly texts: Texts[];
  lengthMin: number;
  lengthMax: number;
  readonly objects: ObjectClause[];
  readonly required: Set<string>;
  readonly names: Part[];
  propertiesMin: number;
  propertiesMax: number;
  readonly arrays: ArrayClause[];
  itemsMin: number;
  itemsMax: number;
  readonly choices: Choice[];
}

export function shapeOf(parts: Parts, root: SchemaRoot): Shape {
  const reader = new ShapeReader(root);
  for (const part of parts) reader.add(part);
  return reader.shape;
}

/** Never held, whatever else a schema says. */
const REFUSED: readonly string[] = [
  "not",
  "if",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "$dynamicRef",
  "$recursiveRef",
];

class ShapeReader {
  readonly shape: Shape = {
    plain: [],
    never: false,
    types: null,
    implied: new Set(),
    values: null,
    whole: false,
    min: null,
    max: null,
    multiples: [],
    texts: [],
    lengthMin: 0,
    lengthMax: Number.POSITIVE_INFINITY,
    objects: [],
    required: new Set(),
    names: [],
    propertiesMin: 0,
    propertiesMax: Number.POSITIVE_INFINITY,
    arrays: [],
    itemsMin: 0,
    itemsMax: Number.POSITIVE_INFINITY,
    choices: [],
  };
  readonly #root: SchemaRoot;
  readonly #seen = new Set<Json>();

  constructor(root: SchemaRoot) {
    this.#root = root;
  }

  add({ json, path }: Part): void {
    if (json === true) return;
    if (json === false) {
      this.shape.never = true;
      return;
    }
    if (!isJsonObject(json)) throw new SchemaError("schema", path, "must be an object, true or false");
    if (this.#seen.has(json)) return;
    this.#seen.add(json);
    const clause = new Keywords(json, path);
    if (this.#isNothing(clause)) return;
    this.#references(clause);
    const plain = withoutApplicators(json);
    if (plain.size > 0) this.shape.plain.push({ json: plain, path });
    this.#types(clause);
    this.#numbers(clause);
    this.#strings(clause);
    this.#objects(clause);
    this.#arrays(clause);
  }

  /** `{"not": {}}`, as generators write "never"; other negations are refused. */
  #isNothing(at: Keywords): boolean {
    const not = at.get("not");
    if (not === true || (not !== undefined && isJsonObject(not) && not.size === 0)) {
      this.shape.never = true;
      return true;
    }
    for (const keyword of REFUSED) {
      const value = at.get(keyword);
      if (value === undefined) continue;
      if (keyword === "if" && at.get("then") === undefined && at.get("else") === undefined) continue;
      if (isJsonObject(value) && value.size === 0 && keyword.startsWith("depend")) continue;
      throw new SchemaError(keyword, at.pathOf(keyword), "cannot be held by a grammar");
    }
    return false;
  }

  #references(at: Keywords): void {
    const ref = at.get("$ref");
    if (ref !== undefined) this.add(this.#root.resolve(ref, at.pathOf("$ref")));
    for (const part of at.list("allOf") ?? []) this.add(part);
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const options = at.list(keyword);
      if (options !== undefined) this.shape.choices.push({ keyword, options, path: at.pathOf(keyword) });
    }
  }

  #types(at: Keywords): void {
    const type = at.get("type");
    if (type !== undefined) {
      const names = isJsonArray(type) ? type : [type];
      const types = new Set<TypeName>();
      let numbers = false;
      for (const name of names) {
        const known = TYPES.find((one) => one === name);
        if (known !== undefined) types.add(known);
        else if (name !== "integer") throw new SchemaError("type", at.pathOf("type"), "names no JSON type");
        numbers ||= name === "number";
      }
      if (names.includes("integer")) {
        types.add("number");
        this.shape.whole ||= !numbers;
      }
      if (at.get("nullable") === true) types.add("null");
      this.#narrow(types);
    }
    const values = at.get("enum");
    if (values !== undefined) {
      if (!isJsonArray(values)) throw new SchemaError("enum", at.pathOf("enum"), "must be a list");
      if (values.length > ENUM_VALUES_MAX) {
        throw new SchemaError(
          "enum",
          at.pathOf("enum"),
          `has ${values.length} values, more than ${ENUM_VALUES_MAX}`,
        );
      }
      this.#values(at.get("nullable") === true ? [...values, null] : values);
    }
    const constant = at.raw("const");
    if (constant !== undefined) this.#values([constant]);
  }

  #narrow(types: ReadonlySet<TypeName>): void {
    const { shape } = this;
    shape.types =
      shape.types === null ? new Set(types) : new Set([...shape.types].filter((one) => types.has(one)));
  }

  #values(values: readonly Json[]): void {
    const { shape } = this;
    const before = shape.values;
    if (before === null) {
      shape.values = values;
      return;
    }
    const wanted = new Set(values.map(identity));
    shape.values = before.filter((one) => wanted.has(identity(one)));
  }

  #numbers(at: Keywords): void {
    const { shape } = this;
    for (const side of [1, -1] as const) {
      const [plain, strict] = side === 1 ? ["minimum", "exclusiveMinimum"] : ["maximum", "exclusiveMaximum"];
      const value = at.decimal(plain);
      // Draft 4 has a boolean beside the bound.
      const isDraft4 = typeof at.get(strict) === "boolean";
      const bounds: Bound[] = [];
      if (value !== undefined) bounds.push({ value, exclusive: at.get(strict) === true });
      const exclusive = isDraft4 ? undefined : at.decimal(strict);
      if (exclusive !== undefined) bounds.push({ value: exclusive, exclusive: true });
      for (const bound of bounds) {
        shape.implied.add("number");
        if (side === 1) shape.min = tighter(shape.min, bound, 1);
        else shape.max = tighter(shape.max, bound, -1);
      }
    }
    const multiple = at.decimal("multipleOf");
    if (multiple !== undefined) {
      shape.implied.add("number");
      shape.multiples.push({ value: multiple, path: at.pathOf("multipleOf") });
    }
  }

  #strings(at: Keywords): void {
    const { shape } = this;
    const pattern = at.get("pattern");
    if (pattern !== undefined) {
      if (typeof pattern !== "string")
        throw new SchemaError("pattern", at.pathOf("pattern"), "must be a string");
      shape.texts.push({ pattern, keyword: "pattern", path: at.pathOf("pattern") });
      shape.implied.add("string");
    }
    const format = at.get("format");
    if (typeof format === "string")
      shape.texts.push({ pattern: format, keyword: "format", path: at.pathOf("format") });
    const min = at.count("minLength");
    const max = at.count("maxLength");
    if (min !== undefined || max !== undefined) shape.implied.add("string");
    shape.lengthMin = Math.max(shape.lengthMin, min ?? 0);
    shape.lengthMax = Math.min(shape.lengthMax, max ?? Number.POSITIVE_INFINITY);
  }

  #objects(at: Keywords): void {
    const { shape } = this;
    const properties = at.map("properties");
    const patterns = at.map("patternProperties");
    const additional = at.part("additionalProperties") ?? at.part("unevaluatedProperties") ?? null;
    if (properties !== undefined || patterns !== undefined || additional !== null) {
      shape.objects.push({
        properties: properties ?? new Map(),
        patterns: [...(patterns ?? [])].map(([pattern, part]) => ({ pattern, part })),
        additional,
        at: at.path,
      });
      shape.implied.add("object");
    }
    const required = at.get("required");
    if (isJsonArray(required)) {
      for (const name of required) if (typeof name === "string") shape.required.add(name);
      shape.implied.add("object");
    }
    const names = at.part("propertyNames");
    if (names !== undefined) shape.names.push(names);
    const min = at.count("minProperties");
    const max = at.count("maxProperties");
    if (names !== undefined || min !== undefined || max !== undefined) shape.implied.add("object");
    shape.propertiesMin = Math.max(shape.propertiesMin, min ?? 0);
    shape.propertiesMax = Math.min(shape.propertiesMax, max ?? Number.POSITIVE_INFINITY);
  }

  #arrays(at: Keywords): void {
    const { shape } = this;
    const items = at.get("items");
    const isTuple = isJsonArray(items);
    const prefix = at.list("prefixItems") ?? (isTuple ? at.list("items") : undefined);
    const rest =
      (isTuple ? at.part("additionalItems") : at.part("items")) ?? at.part("unevaluatedItems") ?? null;
    if (prefix !== undefined || rest !== null) {
      shape.arrays.push({ prefix: prefix ?? [], items: rest });
      shape.implied.add("array");
    }
    const min = at.count("minItems");
    const max = at.count("maxItems");
    if (min !== undefined || max !== undefined) shape.implied.add("array");
    shape.itemsMin = Math.max(shape.itemsMin, min ?? 0);
    shape.itemsMax = Math.min(shape.itemsMax, max ?? Number.POSITIVE_INFINITY);
    for (const keyword of ["uniqueItems", "contains"]) {
      const value = at.get(keyword);
      if (value === undefined || value === false) continue;
      shape.implied.add("array");
      this.#root.relax(keyword, at.pathOf(keyword));
    }
  }
}

const APPLICATORS: ReadonlySet<string> = new Set(["$ref", "allOf", "anyOf", "oneOf"]);
/** Say nothing of a value; without them schemas that are the same become one rule. */
const REMARKS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$comment",
  "$schema",
  "$defs",
  "definitions",
]);
const stripped = new WeakMap<JsonObject, JsonObject>();

/** The same object for the same schema, so that rules can be told apart by identity. */
function withoutApplicators(json: JsonObject): JsonObject {
  let plain = stripped.get(json);
  if (plain === undefined) {
    plain = new Map([...json].filter(([key]) => !APPLICATORS.has(key) && !REMARKS.has(key)));
    stripped.set(json, plain);
    stripped.set(plain, plain);
  }
  return plain;
}

function tighter(before: Bound | null, bound: Bound, side: 1 | -1): Bound {
  if (before === null) return bound;
  const order = compareDecimals(bound.value, before.value) * side;
  return order > 0 || (order === 0 && bound.exclusive) ? bound : before;
}

/** The same text for the same value, however its numbers are written and its keys are ordered. */
function identity(value: Json): string {
  if (isJsonNumber(value)) {
    const decimal = readDecimal(value.raw);
    return decimal === null
      ? value.raw
      : `${decimal.negative ? "-" : ""}${decimal.whole}.${decimal.fraction}`;
  }
  if (isJsonArray(value)) return `[${value.map(identity).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const pairs = [...value].map(([key, item]) => `${JSON.stringify(key)}:${identity(item)}`);
  return `{${pairs.sort().join()}}`;
}
