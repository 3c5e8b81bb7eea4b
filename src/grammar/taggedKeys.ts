/**
 * The keys of an object schema for calls that are not written as JSON: what each value is, so that a format of
 * its own can be spelt for it.
 */
import type { Json } from "../json/json.ts";
import type { Gbnf } from "./Gbnf.ts";
import { SchemaCompiler } from "./SchemaCompiler.ts";
import { SchemaError } from "./SchemaError.ts";
import { SchemaRoot } from "./SchemaRoot.ts";
import { type Parts, shapeOf, TYPES, type TypeName } from "./Shape.ts";

export interface TaggedKey {
  readonly name: string;
  readonly required: boolean;
  /** Types that the value may be of. */
  readonly types: ReadonlySet<TypeName>;
  /** The texts that a string may be; null for any. */
  readonly texts: readonly string[] | null;
  /** Rule of the value as JSON. */
  readonly json: string;
}

export interface TaggedKeys {
  readonly keys: readonly TaggedKey[];
  /** The schema allows other keys, too. */
  readonly open: boolean;
}

/** Throws SchemaError. */
export function taggedKeys(schema: Json, gbnf: Gbnf): TaggedKeys {
  const root = new SchemaRoot(schema);
  const compiler = new SchemaCompiler(gbnf, root);
  const shape = shapeOf([{ json: schema, path: "" }], root);
  if (shape.choices.length > 0) throw new SchemaError("anyOf", "", "at the root has no single list of keys");
  const keys: TaggedKey[] = [];
  const names = new Set(shape.objects.flatMap(({ properties }) => [...properties.keys()]));
  for (const name of names) {
    const parts = shape.objects.flatMap(
      ({ properties, additional }) => properties.get(name) ?? additional ?? [],
    );
    const json = compiler.rule(parts, name.replace(/[^a-zA-Z0-9]/g, "") || "key");
    if (json === null) continue;
    const texts = textsOf(parts, root);
    keys.push({ name, required: shape.required.has(name), types: typesOf(parts, root), texts, json });
  }
  const speaks = shape.objects.some(({ additional }) => additional !== null && additional.json !== false);
  return { keys, open: speaks || names.size === 0 };
}

function typesOf(parts: Parts, root: SchemaRoot, depth = 0): Set<TypeName> {
  const shape = shapeOf(parts, root);
  const own = shape.values === null ? shape.types : new Set(shape.values.map(typeOfValue));
  if (shape.choices.length === 0 || own !== null || depth > 20) {
    return own ?? (shape.implied.size > 0 ? shape.implied : new Set(TYPES));
  }
  return new Set(
    shape.choices.flatMap(({ options }) =>
      options.flatMap((option) => [...typesOf([option], root, depth + 1)]),
    ),
  );
}

function textsOf(parts: Parts, root: SchemaRoot): readonly string[] | null {
  const { values } = shapeOf(parts, root);
  return values === null ? null : values.filter((value) => typeof value === "string");
}

function typeOfValue(value: Json): TypeName {
  if (value === null) return "null";
  if (typeof value === "string" || typeof value === "boolean") return typeof value as TypeName;
  if (Array.isArray(value)) return "array";
  return value instanceof Map ? "object" : "number";
}
