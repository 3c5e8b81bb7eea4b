/**
 * Arguments as a client in JavaScript sends them back after `JSON.parse` and `JSON.stringify`: `2.0` becomes
 * `2`, long integers lose digits, integer-like keys move to the front. The engine's own two functions are used,
 * because they are what the client runs.
 */
import type { JsonObject } from "../json/json.ts";
import { parseJson } from "../json/parseJson.ts";
import { writeJson } from "../json/writeJson.ts";
import type { AssistantMessage } from "./Message.ts";

export function javascriptForm(object: JsonObject): JsonObject {
  const rewritten = parseJson(JSON.stringify(JSON.parse(writeJson(object))));
  return rewritten instanceof Map ? rewritten : object;
}

/** The same message with every call's arguments in JavaScript's form; strings stay as sent. */
export function withJavascriptArguments(message: AssistantMessage): AssistantMessage {
  return {
    ...message,
    toolCalls: message.toolCalls.map((call) =>
      typeof call.arguments === "string" ? call : { ...call, arguments: javascriptForm(call.arguments) },
    ),
  };
}
