/**
 * Tools with what a schema may leave out and some templates cannot do without: descriptions, the properties of an
 * object, one type where there is a choice of two. For templates that fail on the tools as they were sent.
 */
import type { Tool } from "../chat/Message.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";

export function completedTools(tools: readonly Tool[]): readonly Tool[] {
  return tools.map(({ name, definition }) => {
    const body = definition.get("function");
    if (!isJsonObject(body)) return { name, definition };
    const whole = described(body);
    whole.set("parameters", completedObject(body.get("parameters") ?? null));
    return { name, definition: new Map([...definition, ["function", whole]]) };
  });
}

function completedObject(schema: Json): JsonObject {
  const whole = isJsonObject(schema) ? new Map(schema) : new Map<string, Json>();
  if (typeof whole.get("type") !== "string") whole.set("type", "object");
  const properties = whole.get("properties");
  const each = isJsonObject(properties) ? [...properties] : [];
  whole.set("properties", new Map(each.map(([key, property]) => [key, completedProperty(property)])));
  return whole;
}

/** `true` is a schema that takes all. */
function completedProperty(schema: Json): JsonObject {
  const whole = described(isJsonObject(schema) ? schema : new Map());
  const type = whole.get("type");
  if (isJsonArray(type)) whole.set("type", type.find((one) => one !== "null") ?? "null");
  if (whole.has("properties")) return completedObject(whole);
  const items = whole.get("items");
  if (items !== undefined) whole.set("items", completedProperty(items));
  return whole;
}

function described(schema: JsonObject): Map<string, Json> {
  const whole = new Map(schema);
  if (typeof whole.get("description") !== "string") whole.set("description", "");
  return whole;
}
