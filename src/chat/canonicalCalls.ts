/** Tool calls in their one form: arguments parsed losslessly, keys in the tool schema's order and then as sent. */
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonObject } from "../json/kinds.ts";
import { type JsonBudget, parseJson } from "../json/parseJson.ts";
import { isBlank } from "./canonicalContent.ts";
import { arrayAt, invalid, kindOf, objectAt, textAt } from "./fields.ts";
import type { Tool, ToolCall } from "./Message.ts";
import { orderLike } from "./orderLike.ts";

/** Null, missing and empty `tool_calls` are the same. `budget`: of the arguments of all messages. */
export function canonicalCalls(
  calls: Json | undefined,
  tools: readonly Tool[],
  field: string,
  budget: JsonBudget,
): ToolCall[] {
  if (calls === undefined || calls === null) return [];
  return arrayAt(calls, field).map((item, index) => {
    const at = `${field}[${index}]`;
    const call = objectAt(item, at);
    const body = objectAt(call.get("function"), `${at}.function`);
    return functionCall(body, textAt(call.get("id"), `${at}.id`), tools, `${at}.function`, budget);
  });
}

/** `{name, arguments}`. */
export function functionCall(
  body: JsonObject,
  id: string,
  tools: readonly Tool[],
  at: string,
  budget: JsonBudget,
): ToolCall {
  const name = textAt(body.get("name"), `${at}.name`);
  const sent = sentArguments(body.get("arguments"), `${at}.arguments`);
  return { id, name, arguments: canonicalArguments(sent, name, tools, budget) };
}

/** Nothing, null and a blank string are no arguments, as clients that stream an argument-less call send them. */
function sentArguments(value: Json | undefined, field: string): JsonObject | string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string" || isJsonObject(value)) return value;
  throw invalid(field, `must be a string of JSON or an object, not ${kindOf(value)}.`);
}

/** What does not parse as a JSON object, or is beyond the budget, stays the string that was sent. */
export function canonicalArguments(
  sent: JsonObject | string,
  name: string,
  tools: readonly Tool[],
  budget?: JsonBudget,
): JsonObject | string {
  const value = typeof sent === "string" ? parsedObject(sent, budget) : sent;
  if (value === undefined) return sent;
  const ordered = orderLike(parametersOf(name, tools))(value);
  return isJsonObject(ordered) ? ordered : value;
}

function parsedObject(text: string, budget?: JsonBudget): JsonObject | undefined {
  if (isBlank(text)) return new Map();
  try {
    const value = parseJson(text, budget);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parametersOf(name: string, tools: readonly Tool[]): Json | undefined {
  const body = tools.find((tool) => tool.name === name)?.definition.get("function");
  return isJsonObject(body) ? body.get("parameters") : undefined;
}
