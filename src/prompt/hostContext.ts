/**
 * The host's side of a template: canonical messages in the shape that this template reads, and the variables
 * that it expects. A function of the request, the template and the fixed settings alone. All client data goes
 * through a mask on its way.
 */
import type { AssistantMessage, Message, PromptInput, Tool, ToolCall } from "../chat/Message.ts";
import { fromJson } from "../jinja/fromJson.ts";
import { strftime } from "../jinja/strftime.ts";
import { toJson } from "../jinja/toJson.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";
import { writeJson } from "../json/writeJson.ts";
import { arrangeMessages } from "./arrangeMessages.ts";
import type { TemplateCaps } from "./learn/TemplateCaps.ts";

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
  /** The clock; only its date is used. */
  readonly today?: () => Date;
  /** Spells calls for a template that prints none; strings in them are masked already. */
  readonly writeCalls?: (calls: readonly WrittenCall[]) => string;
}

export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

export function hostContext(
  input: PromptInput,
  addGenerationPrompt: boolean,
  caps: TemplateCaps,
  settings: HostSettings,
  mask: DataMask,
): JsonObject {
  const context = new Map<string, Json>(thinkingOf(input, caps));
  const sent = input.kwargs.get("reasoning_effort");
  const effort = typeof sent === "string" ? mask.word(nearestEffort(sent, caps.efforts)) : undefined;
  if (effort !== undefined) for (const name of EFFORT_NAMES) context.set(name, effort);
  for (const [name, value] of input.kwargs) context.set(name, masked(value, mask.word.bind(mask)));
  if (effort !== undefined) context.set("reasoning_effort", effort);
  context.set("bos_token", settings.bosText);
  context.set("eos_token", settings.eosText);
  context.set("messages", hostMessages(input.messages, caps, settings, mask));
  context.set("add_generation_prompt", addGenerationPrompt);
  const tools = input.tools.map((tool) => hostTool(tool, mask));
  if (tools.length > 0 || caps.noTools === "empty list") context.set("tools", tools);
  if (caps.variables === "functions") {
    context.set("functions", toJson(fromJson(tools), FUNCTIONS_LAYOUT));
    context.set("datetime", strftime("%b %d %Y", settings.today?.() ?? new Date()));
  }
  return context;
}

/** Other names that templates have for `reasoning_effort`. */
const EFFORT_NAMES = ["reasoning_strength", "thinking_effort"];

/** As firefunction's own code wrote them. */
const FUNCTIONS_LAYOUT = {
  ensureAscii: false,
  indent: "    ",
  itemSeparator: ",",
  keySeparator: ": ",
  sortKeys: false,
};

/** `enable_thinking` under the names that templates have for it; nothing where the request leaves it open. */
function thinkingOf(input: PromptInput, caps: TemplateCaps): [string, Json][] {
  const thinking = input.kwargs.get("enable_thinking");
  if (typeof thinking !== "boolean") return [];
  // True is what a request says that says nothing, unless it names an effort.
  const isOpen = thinking && input.kwargs.get("reasoning_effort") === undefined;
  const words = caps.thinkingNames.flatMap(({ name, on, off, ownDefault }): [string, Json][] =>
    isOpen && ownDefault ? [] : [[name, thinking ? on : off]],
  );
  return [["enable_thinking", thinking], ["thinking", thinking], ...words];
}

/** Efforts from the least on, under all names that are known. */
export const EFFORTS: readonly string[] = [
  "none",
  "no_think",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];

/** The effort that the template takes; a client's word that it refuses is no reason to refuse the request. */
function nearestEffort(effort: string, taken: readonly string[]): string {
  const wanted = EFFORTS.indexOf(effort);
  if (taken.length === 0 || taken.includes(effort) || wanted < 0) return effort;
  const far = (other: string): number => Math.abs(EFFORTS.indexOf(other) - wanted);
  return taken.reduce((best, other) => (far(other) < far(best) ? other : best));
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
  return arrangeMessages(messages, caps).map((message) => {
    switch (message.role) {
      case "assistant":
        return assistantContext(message, caps, settings, mask);
      case "tool":
        return new Map<string, Json>([
          ["role", "tool"],
          ["content", content(mask.text(message.content), caps)],
          ["tool_call_id", mask.word(callId(message.toolCallId, caps))],
          ["name", mask.word(message.name)],
        ]);
      default:
        return new Map<string, Json>([
          ["role", message.role],
          ["content", content(mask.text(message.content), caps)],
        ]);
    }
  });
}

function content(text: string, caps: TemplateCaps): Json {
  return caps.content === "text" ? text : [part("text", text)];
}

function part(type: "text" | "thinking", text: string): Json {
  return new Map([
    ["type", type],
    [type, text],
  ]);
}

function assistantContext(
  message: AssistantMessage,
  caps: TemplateCaps,
  settings: HostSettings,
  mask: DataMask,
): Json {
  const { reasoning, toolCalls } = message;
  const calls = toolCalls.length > 0;
  const written = calls && caps.calls === "written" ? writtenCalls(toolCalls, settings, mask) : undefined;
  const crowded = calls && reasoning !== "" && !caps.textBesideThinkingAndCalls;
  const text = mask.echo(crowded ? "" : message.content, settings.echoTags);
  const out = new Map<string, Json>([["role", "assistant"]]);
  if (caps.reasoningField === "block" && reasoning !== "") {
    const parts = [part("thinking", mask.text(reasoning))];
    if (text !== "") parts.push(part("text", text));
    out.set("content", parts);
  } else {
    const whole = written === undefined ? text : [text, written].filter((one) => one !== "").join("\n");
    out.set("content", whole === "" && calls ? caps.emptyContent : content(whole, caps));
    if (reasoning !== "" && caps.reasoningField !== "block")
      out.set(caps.reasoningField, mask.text(reasoning));
  }
  if (calls && written === undefined) {
    out.set(
      "tool_calls",
      toolCalls.map((call) => callContext(call, caps, mask)),
    );
  }
  return out;
}

/** Undefined where nobody knows how to spell them. */
function writtenCalls(
  calls: readonly ToolCall[],
  settings: HostSettings,
  mask: DataMask,
): string | undefined {
  return settings.writeCalls?.(
    calls.map((call) => ({
      id: mask.word(call.id),
      name: mask.word(call.name),
      arguments:
        typeof call.arguments === "string"
          ? new Map([["arguments", mask.text(call.arguments)]])
          : maskedObject(call.arguments, mask),
    })),
  );
}

function maskedObject(object: JsonObject, mask: DataMask): JsonObject {
  const text = mask.text.bind(mask);
  return new Map(
    [...object].map(([key, value]) => [mask.word(key), masked(value, text, mask.word.bind(mask))]),
  );
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
  return maskedObject(sent, mask);
}

/** A function without parameters takes none; templates that print them fail where they are missing. */
function hostTool({ definition }: Tool, mask: DataMask): Json {
  const body = definition.get("function");
  const isWhole = !isJsonObject(body) || (body.get("parameters") ?? null) !== null;
  const whole = isWhole
    ? definition
    : new Map([...definition, ["function", new Map([...body, ["parameters", NO_PARAMETERS]])]]);
  return masked(whole, mask.word.bind(mask));
}

const NO_PARAMETERS: Json = new Map<string, Json>([
  ["type", "object"],
  ["properties", new Map()],
]);

function masked(value: Json, text: (text: string) => string, key = text): Json {
  if (typeof value === "string") return text(value);
  if (isJsonArray(value)) return value.map((item) => masked(item, text, key));
  if (isJsonObject(value)) {
    return new Map([...value].map(([name, item]) => [key(name), masked(item, text, key)]));
  }
  return value;
}

/**
 * Derived from the id alone, so that it is the same in every turn. The last nine characters where what they leave
 * out tells no two ids apart (`call_` and zeros), else a hash.
 */
function callId(id: string, caps: TemplateCaps): string {
  if (caps.callIds === "as-sent" || /^[A-Za-z0-9]{9}$/.test(id)) return id;
  const bare = id.replace(/[^A-Za-z0-9]/g, "");
  if (bare.length >= 9 && /^[a-z]*0*$/.test(bare.slice(0, -9))) return bare.slice(-9);
  return Bun.hash.xxHash64(id).toString(36).padStart(9, "0").slice(-9);
}
