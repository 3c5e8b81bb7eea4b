/**
 * Object keys in a JSON Schema's order, then as sent: clients that re-order what they echo come to the same
 * text. Only `properties`, `items` and local `$ref`s are followed; what a schema does not describe stays as is.
 */
import type { Json } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";

/** Returns a function that re-orders values. It allocates only the objects that it re-orders. */
export function orderLike(schema: Json | undefined): (value: Json) => Json {
  return (value) => ordered(value, schema, schema);
}

function ordered(value: Json, schema: Json | undefined, root: Json | undefined): Json {
  const local = resolved(schema, root);
  if (!isJsonObject(local)) return value;
  if (isJsonArray(value)) {
    const items = local.get("items");
    return isJsonObject(items) ? value.map((item) => ordered(item, items, root)) : value;
  }
  const properties = local.get("properties");
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const out = new Map<string, Json>();
  for (const key of properties.keys()) {
    const item = value.get(key);
    if (item !== undefined) out.set(key, ordered(item, properties.get(key), root));
  }
  for (const [key, item] of value) if (!out.has(key)) out.set(key, item);
  return out;
}

/** Follows `{"$ref": "#/$defs/Name"}`; one step only, so that a circle of refs ends. */
function resolved(schema: Json | undefined, root: Json | undefined): Json | undefined {
  const ref = isJsonObject(schema) ? schema.get("$ref") : undefined;
  if (typeof ref !== "string" || !ref.startsWith("#/")) return schema;
  let at: Json | undefined = root;
  for (const step of ref.slice(2).split("/")) at = isJsonObject(at) ? at.get(step) : undefined;
  return at;
}
