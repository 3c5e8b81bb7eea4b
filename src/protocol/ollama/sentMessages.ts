/**
 * Ollama's messages in the form of chat completions, so that one reader serves both. Calls have no ids there: the n-th
 * of a conversation has the n-th id, and so will the reply's when they come back. A picture is a part of its message.
 */
import { arrayAt, invalid, kindOf, objectAt } from "../../chat/fields.ts";
import { legacyCallId } from "../../chat/SentCalls.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonArray, isJsonObject } from "../../json/kinds.ts";

export interface SentMessages {
  readonly messages: readonly Json[];
  /** Calls that they hold. */
  readonly calls: number;
}

export function sentMessages(json: Json | undefined): SentMessages {
  let calls = 0;
  const messages = arrayAt(json, "messages").map((item, index) => {
    const at = `messages[${index}]`;
    const message = new Map(objectAt(item, at));
    const sent = message.get("tool_calls") ?? undefined;
    if (sent !== undefined) {
      const list = arrayAt(sent, `${at}.tool_calls`);
      message.set(
        "tool_calls",
        list.map((call, i) => {
          calls += 1;
          return withId(objectAt(call, `${at}.tool_calls[${i}]`), legacyCallId(calls));
        }),
      );
    }
    const tool = message.get("tool_name") ?? undefined;
    if (tool !== undefined && !message.has("name")) message.set("name", tool);
    return withPictures(message, at);
  });
  return { messages, calls };
}

function withId(call: JsonObject, id: string): JsonObject {
  const sent = call.get("id") ?? "";
  return sent === "" ? new Map([...call, ["id", id]]) : call;
}

/** Each is base64 there, and says nothing of its kind. */
export function withPictures(message: JsonObject, at: string): JsonObject {
  const images = message.get("images") ?? undefined;
  if (images === undefined) return message;
  if (!isJsonArray(images)) throw invalid(`${at}.images`, `must be an array, not ${kindOf(images)}.`);
  if (images.length === 0) return message;
  const text = message.get("content") ?? "";
  if (typeof text !== "string") {
    throw invalid(`${at}.content`, `must be a string, not ${kindOf(text)}.`);
  }
  const parts: Json[] = [
    new Map([
      ["type", "text"],
      ["text", text],
    ]),
    ...images.map((): Json => new Map([["type", "image"]])),
  ];
  return new Map<string, Json>([...message, ["content", parts]]);
}

/** What stands for no message: an empty list loads the model. */
export function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return true;
  return isJsonArray(value) && value.length === 0 && !isJsonObject(value);
}
