/**
 * Tools with what a schema may leave out and some templates cannot do without: descriptions, the properties of an
 * object, what is in a list or an object of any keys, one type where there is a choice of two. For templates that fail on the tools as they were sent.
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
  if (whole.get("type") === "object")
    whole.set("additionalProperties", insideOf(whole, "additionalProperties"));
  if (whole.has("properties")) return completedObject(whole);
  if (whole.has("items") || whole.get("type") === "array") whole.set("items", insideOf(whole, "items"));
  return whole;
}

/** What is said of it, completed; of anything, nothing: one more would go on within itself. */
function insideOf(schema: JsonObject, keyword: string): Json {
  const said = schema.get(keyword);
  return isJsonObject(said) && said.size > 0 ? completedProperty(said) : (said ?? new Map());
}

function described(schema: JsonObject): Map<string, Json> {
  const whole = new Map(schema);
  if (typeof whole.get("description") !== "string") whole.set("description", "");
  return whole;
}
