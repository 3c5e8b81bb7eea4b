/**
 * The canonical form of messages and tools (ARCHITECTURE.md, "Invariants": Purity): whatever a client's library does to what it
 * echoes (blocks or strings, null or "", re-serialised or re-ordered arguments, `cache_control`), the same
 * conversation gives the same messages, and so the same tokens. It trims nothing; `replyMessage` does.
 *
 * `canonicalMessages` reads a request's raw messages; `canonicalForm` puts messages that are in our own types
 * already (the history and the reply that the warm pass renders) into the very same form.
 */
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonObject } from "../json/kinds.ts";
import { jsonBudget } from "../json/parseJson.ts";
import { canonicalArguments, canonicalCalls, functionCall } from "./canonicalCalls.ts";
import { canonicalContent, isBlank, type Note } from "./canonicalContent.ts";
import { arrayAt, invalid, kindOf, objectAt, textAt } from "./fields.ts";
import type { AssistantMessage, Message, Tool, ToolCall, ToolMessage } from "./Message.ts";
import { resultsInCallOrder } from "./resultsInCallOrder.ts";
import { SentCalls } from "./SentCalls.ts";

/** Most messages in one request. */
export const MESSAGES_MAX = 20_000;
/** Most tools in one request. */
export const TOOLS_MAX = 1_024;

/** Reads OpenAI chat messages. `path` is the field's name in errors. Throws AppError("invalid-request"). */
export function canonicalMessages(
  json: Json | undefined,
  tools: readonly Tool[],
  path = "messages",
  note: Note = () => {},
): Message[] {
  const raw = arrayAt(json, path);
  if (raw.length === 0) throw invalid(path, "must hold at least one message.");
  if (raw.length > MESSAGES_MAX) {
    throw invalid(path, `holds ${raw.length} messages; at most ${MESSAGES_MAX} are allowed.`);
  }
  const calls = new SentCalls(note);
  const messages = raw.map((item, index) => {
    const at = `${path}[${index}]`;
    const message = oneMessage(objectAt(item, at), tools, calls, at);
    if (message.role === "assistant") calls.add(message.toolCalls, at);
    return message;
  });
  return resultsInCallOrder(messages);
}

/** The same form for messages in our own types: blank is none, arguments parsed and in schema order. */
export function canonicalForm(messages: readonly Message[], tools: readonly Tool[]): Message[] {
  const budget = jsonBudget();
  return messages.map((message) => {
    const content = isBlank(message.content) ? "" : message.content;
    if (message.role !== "assistant") return { ...message, content };
    return {
      ...message,
      content,
      reasoning: isBlank(message.reasoning) ? "" : message.reasoning,
      toolCalls: message.toolCalls.map((call) => ({
        ...call,
        arguments: canonicalArguments(call.arguments, call.name, tools, budget),
      })),
    };
  });
}

/** Reads OpenAI tools; null and [] are the same. `cache_control` is dropped, the rest stays as written. */
export function canonicalTools(json: Json, path = "tools"): Tool[] {
  if (json === null) return [];
  const raw = arrayAt(json, path);
  if (raw.length > TOOLS_MAX) {
    throw invalid(path, `holds ${raw.length} tools; at most ${TOOLS_MAX} are allowed.`);
  }
  const names = new Set<string>();
  return raw.map((item, index) => {
    const at = `${path}[${index}]`;
    const tool = objectAt(item, at);
    const type = tool.get("type");
    if (type !== "function") {
      throw invalid(
        `${at}.type`,
        `must be "function", not ${typeof type === "string" ? `"${type}"` : kindOf(type)}.`,
      );
    }
    const body = objectAt(tool.get("function"), `${at}.function`);
    const name = textAt(body.get("name"), `${at}.function.name`);
    // A call could mean either of two tools of one name, and the schema decides the order of its keys.
    if (names.has(name)) throw invalid(`${at}.function.name`, `"${name}" names another tool already.`);
    names.add(name);
    const description = body.get("description") ?? undefined;
    if (description !== undefined && typeof description !== "string") {
      throw invalid(`${at}.function.description`, `must be a string, not ${kindOf(description)}.`);
    }
    const parameters = body.get("parameters");
    if (parameters !== undefined && parameters !== null) objectAt(parameters, `${at}.function.parameters`);
    return { name, definition: withoutCacheControl(tool) };
  });
}

/** Only where a client puts it: on the tool and on its function; a schema may well describe such a property. */
function withoutCacheControl(tool: JsonObject): JsonObject {
  const out = new Map<string, Json>();
  for (const [key, value] of tool) {
    if (key === "cache_control") continue;
    if (key === "function" && isJsonObject(value)) {
      out.set(key, new Map([...value].filter(([name]) => name !== "cache_control")));
    } else out.set(key, value);
  }
  return out;
}

function oneMessage(raw: JsonObject, tools: readonly Tool[], calls: SentCalls, at: string): Message {
  const role = raw.get("role");
  switch (role) {
    case "system":
    case "developer":
      return {
        role: "system",
        content: canonicalContent(raw.get("content"), "system", `${at}.content`, calls.note).text,
      };
    case "user":
      return {
        role,
        content: canonicalContent(raw.get("content"), "user", `${at}.content`, calls.note).text,
      };
    case "assistant":
      return assistantMessage(raw, tools, calls, at);
    case "tool":
    case "function":
      return toolMessage(raw, calls, at);
    default:
      throw invalid(
        `${at}.role`,
        `must be one of system, developer, user, assistant, tool, function; not ${
          typeof role === "string" ? `"${role}"` : kindOf(role)
        }.`,
      );
  }
}

function assistantMessage(
  raw: JsonObject,
  tools: readonly Tool[],
  calls: SentCalls,
  at: string,
): AssistantMessage {
  const content = canonicalContent(raw.get("content"), "assistant", `${at}.content`, calls.note);
  return {
    role: "assistant",
    content: content.text,
    reasoning: sentReasoning(raw, at) ?? content.reasoning,
    toolCalls: sentCalls(raw, tools, calls, at),
  };
}

/** `function_call` is the one call of the time before tools; it had no id. */
function sentCalls(raw: JsonObject, tools: readonly Tool[], calls: SentCalls, at: string): ToolCall[] {
  const legacy = raw.get("function_call") ?? undefined;
  const sent = raw.get("tool_calls") ?? undefined;
  if (legacy === undefined || sent !== undefined) {
    return canonicalCalls(sent, tools, `${at}.tool_calls`, calls.budget);
  }
  const called = objectAt(legacy, `${at}.function_call`);
  return [functionCall(called, calls.nextLegacyId(), tools, `${at}.function_call`, calls.budget)];
}

/** The names under which clients send reasoning back. */
const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text", "thinking"] as const;

/** The first field that holds any; a client that fills two of them sends the same text in both. */
function sentReasoning(raw: JsonObject, at: string): string | undefined {
  for (const field of REASONING_FIELDS) {
    const value = raw.get(field);
    if (typeof value === "string" && !isBlank(value)) return value;
    // Objects under the other names are settings of other servers, hence unknown fields.
    if (field === "reasoning_content" && value !== undefined && value !== null && typeof value !== "string") {
      throw invalid(`${at}.${field}`, `must be a string, not ${kindOf(value)}.`);
    }
  }
  return undefined;
}

/** Of the `function` role, which knew no ids, too. */
function toolMessage(raw: JsonObject, calls: SentCalls, at: string): ToolMessage {
  const name = optionalText(raw.get("name"), `${at}.name`);
  const sent = optionalText(raw.get("tool_call_id"), `${at}.tool_call_id`);
  const { id: toolCallId, name: called } = calls.answer(sent, name, `${at}.tool_call_id`);
  const { text } = canonicalContent(raw.get("content"), "tool", `${at}.content`, calls.note);
  return { role: "tool", content: text, toolCallId, name: called };
}

function optionalText(value: Json | undefined, field: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return textAt(value, field);
}
