/**
 * The host's side of a template: canonical messages in the shape that this template reads, and the variables
 * that it expects. A function of the request, the template and the fixed settings alone. All client data goes
 * through a mask on its way.
 */
import type { AssistantMessage, Message, PromptInput, Tool, ToolCall } from "../chat/messages.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";
import { writeJson } from "../json/writeJson.ts";

/** What load-time probes found a template to read; see `probeCaps`. */
export interface TemplateCaps {
  readonly arguments: "object" | "string";
  /** Whether arguments that are no JSON object may be handed over as the string they are. */
  readonly rawArguments: boolean;
  /** What stands for "no text" beside calls. */
  readonly emptyContent: "" | null;
  /** Whether the template has a system role; else system text goes in front of the first user message. */
  readonly systemRole: boolean;
  readonly callIds: "as-sent" | "nine-alphanumerics";
  /** Under which name it reads reasoning. */
  readonly reasoningField: "reasoning_content" | "thinking" | "reasoning";
  /** An empty list is not the same as none to many templates; a few fail without one. */
  readonly noTools: "omitted" | "empty list";
  /** gpt-oss raises where a message has text and thinking and calls. */
  readonly textBesideThinkingAndCalls: boolean;
}

/** How client data is made safe; `Mask` is the real one. */
export interface DataMask {
  text(text: string): string;
  word(text: string): string;
  echo(text: string, kept: ReadonlySet<string>): string;
}

export interface HostSettings {
  readonly bosText: string;
  readonly eosText: string;
  /** Tags that assistant text keeps. */
  readonly echoTags: ReadonlySet<string>;
}

export function hostContext(
  input: PromptInput,
  addGenerationPrompt: boolean,
  caps: TemplateCaps,
  settings: HostSettings,
  mask: DataMask,
): JsonObject {
  const thinking = input.kwargs.get("enable_thinking") ?? true;
  const context = new Map<string, Json>([
    ["enable_thinking", thinking],
    ["thinking", thinking],
  ]);
  for (const [name, value] of input.kwargs) context.set(name, masked(value, mask.word.bind(mask)));
  context.set("bos_token", settings.bosText);
  context.set("eos_token", settings.eosText);
  context.set("messages", hostMessages(input.messages, caps, settings, mask));
  context.set("add_generation_prompt", addGenerationPrompt);
  if (input.tools.length > 0 || caps.noTools === "empty list") {
    context.set(
      "tools",
      input.tools.map((tool) => hostTool(tool, mask)),
    );
  }
  return context;
}

/** All strings of an input that may reach its render, for choosing a mask. */
export function* stringsOf(input: PromptInput): Generator<string> {
  for (const message of input.messages) {
    yield message.content;
    if (message.role === "tool") yield `${message.name} ${message.toolCallId}`;
    if (message.role !== "assistant") continue;
    yield message.reasoning;
    for (const call of message.toolCalls) {
      yield `${call.name} ${call.id}`;
      yield* jsonStrings(call.arguments);
    }
  }
  for (const tool of input.tools) yield* jsonStrings(tool.definition);
  yield* jsonStrings(input.kwargs);
}

function* jsonStrings(value: Json): Generator<string> {
  if (typeof value === "string") yield value;
  else if (isJsonArray(value)) for (const item of value) yield* jsonStrings(item);
  else if (isJsonObject(value)) {
    for (const [key, item] of value) {
      yield key;
      yield* jsonStrings(item);
    }
  }
}

function hostMessages(
  messages: readonly Message[],
  caps: TemplateCaps,
  settings: HostSettings,
  mask: DataMask,
): Json[] {
  const ordered = caps.systemRole ? messages : withoutSystemRole(messages);
  return ordered.map((message) => {
    switch (message.role) {
      case "assistant":
        return assistantContext(message, caps, settings, mask);
      case "tool":
        return new Map<string, Json>([
          ["role", "tool"],
          ["content", mask.text(message.content)],
          ["tool_call_id", mask.word(callId(message.toolCallId, caps))],
          ["name", mask.word(message.name)],
        ]);
      default:
        return new Map<string, Json>([
          ["role", message.role],
          ["content", mask.text(message.content)],
        ]);
    }
  });
}

/** System text in front of the next user message's. */
function withoutSystemRole(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  let pending: string[] = [];
  for (const message of messages) {
    if (message.role === "system") {
      if (message.content !== "") pending.push(message.content);
    } else if (message.role === "user" && pending.length > 0) {
      out.push({ role: "user", content: [...pending, message.content].join("\n\n") });
      pending = [];
    } else out.push(message);
  }
  if (pending.length > 0) out.push({ role: "user", content: pending.join("\n\n") });
  return out;
}

function assistantContext(
  message: AssistantMessage,
  caps: TemplateCaps,
  settings: HostSettings,
  mask: DataMask,
): Json {
  const calls = message.toolCalls.length > 0;
  const crowded = calls && message.reasoning !== "" && !caps.textBesideThinkingAndCalls;
  const text = crowded ? "" : message.content;
  const out = new Map<string, Json>([
    ["role", "assistant"],
    ["content", text === "" && calls ? caps.emptyContent : mask.echo(text, settings.echoTags)],
  ]);
  if (message.reasoning !== "") out.set(caps.reasoningField, mask.text(message.reasoning));
  if (calls)
    out.set(
      "tool_calls",
      message.toolCalls.map((call) => callContext(call, caps, mask)),
    );
  return out;
}

function callContext(call: ToolCall, caps: TemplateCaps, mask: DataMask): Json {
  const body = new Map<string, Json>([
    ["name", mask.word(call.name)],
    ["arguments", argumentsContext(call.arguments, caps, mask)],
  ]);
  return new Map<string, Json>([
    ["id", mask.word(callId(call.id, caps))],
    ["type", "function"],
    ["function", body],
  ]);
}

function argumentsContext(sent: JsonObject | string, caps: TemplateCaps, mask: DataMask): Json {
  if (typeof sent === "string") {
    // A template that must have an object would fail on every turn after one malformed call.
    return caps.rawArguments ? mask.text(sent) : new Map([["arguments", mask.text(sent)]]);
  }
  if (caps.arguments === "string") return mask.text(writeJson(sent));
  return masked(sent, mask.text.bind(mask), mask.word.bind(mask));
}

function hostTool(tool: Tool, mask: DataMask): Json {
  return masked(tool.definition, mask.word.bind(mask));
}

function masked(value: Json, text: (text: string) => string, key = text): Json {
  if (typeof value === "string") return text(value);
  if (isJsonArray(value)) return value.map((item) => masked(item, text, key));
  if (isJsonObject(value)) {
    return new Map([...value].map(([name, item]) => [key(name), masked(item, text, key)]));
  }
  return value;
}

/** Derived from the id alone, so that it is the same in every turn. */
function callId(id: string, caps: TemplateCaps): string {
  if (caps.callIds === "as-sent" || /^[A-Za-z0-9]{9}$/.test(id)) return id;
  return Bun.hash.xxHash64(id).toString(36).padStart(9, "0").slice(-9);
}
