/**
 * What real clients send back for a reply: from the `message` of a whole-body answer to the assistant message
 * of their next request. Written from what the clients were seen to do, never by handing our message back.
 * Some of them speak another protocol than chat completions; their habit is shown in this one's form.
 */
import type { WireCall, WireContent, WireMessage, WireReply, WireSchema, WireTool } from "./wire.ts";
import { parametersOf } from "./wire.ts";

export interface EchoClient {
  readonly name: string;
  readonly reasoning: "kept" | "dropped";
  /** The assistant message of the next request. */
  echo(reply: WireReply, tools: readonly WireTool[]): WireMessage;
  /** The tool message of the next request. */
  result(call: WireCall, text: string): WireMessage;
}

interface Habits {
  readonly reasoning: "kept" | "trimmed" | "kept-even-empty" | "dropped";
  /** `raw`: byte for byte; `compact`: parsed and written again; `schema`: that, with keys in schema order. */
  readonly args: "raw" | "compact" | "schema";
  /** What stands for content that is missing, or blank where `blank` says so. */
  readonly none: "" | null | "absent";
  readonly blank: "kept" | "none";
  readonly blocks?: "plain" | "cached";
  readonly results?: "string" | "array";
}

export const ECHO_CLIENTS: readonly EchoClient[] = [
  client("opencode", { reasoning: "kept", args: "compact", none: "", blank: "kept" }),
  client("qwen-code", {
    reasoning: "trimmed",
    args: "compact",
    none: "",
    blank: "kept",
    results: "array",
  }),
  client("pi", { reasoning: "kept", args: "compact", none: null, blank: "none" }),
  client("Cline", { reasoning: "kept", args: "compact", none: null, blank: "kept" }),
  client("AI SDK openai-compatible", { reasoning: "kept", args: "schema", none: null, blank: "kept" }),
  client("AI SDK openai", { reasoning: "dropped", args: "schema", none: null, blank: "kept" }),
  client("Continue", { reasoning: "dropped", args: "compact", none: "", blank: "kept" }),
  client("LangChain", { reasoning: "dropped", args: "compact", none: "", blank: "kept" }),
  client("Claude Code", { reasoning: "kept", args: "schema", none: "absent", blank: "none" }),
  client("Codex", { reasoning: "kept", args: "raw", none: "absent", blank: "kept" }),
  client("crush", { reasoning: "kept-even-empty", args: "raw", none: "absent", blank: "kept" }),
  client("goose", { reasoning: "kept", args: "compact", none: null, blank: "none" }),
  client("blocks", { reasoning: "kept", args: "compact", none: null, blank: "none", blocks: "plain" }),
  client("cached blocks", { reasoning: "kept", args: "raw", none: "", blank: "none", blocks: "cached" }),
  // The app sends the SDK's message object as it got it.
  {
    name: "openai SDK",
    reasoning: "kept",
    echo: (reply) => structuredClone(reply),
    result: (call, text) => ({ role: "tool", tool_call_id: call.id, content: text }),
  },
];

export function echoClient(name: string): EchoClient {
  const found = ECHO_CLIENTS.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no client ${name}`);
  return found;
}

function client(name: string, habits: Habits): EchoClient {
  return {
    name,
    reasoning: habits.reasoning === "dropped" ? "dropped" : "kept",
    echo: (reply, tools) => ({
      role: "assistant",
      ...contentOf(reply.content, habits),
      ...reasoningOf(reply.reasoning_content, habits),
      ...callsOf(reply.tool_calls, tools, habits),
    }),
    result: (call, text) => ({
      role: "tool",
      tool_call_id: call.id,
      content: habits.results === "array" ? [{ type: "text", text }] : text,
    }),
  };
}

function contentOf(content: string | null | undefined, habits: Habits): { content?: WireContent } {
  const blank = content === null || content === undefined || content.trim() === "";
  if (!blank || (content !== null && content !== undefined && content !== "" && habits.blank === "kept")) {
    return { content: blocked(content ?? "", habits) };
  }
  return habits.none === "absent" ? {} : { content: habits.none };
}

function blocked(text: string, habits: Habits): WireContent {
  if (habits.blocks === undefined) return text;
  if (habits.blocks === "plain") return [{ type: "text", text }];
  return [{ type: "text", text, cache_control: { type: "ephemeral" } }];
}

function reasoningOf(
  reasoning: string | null | undefined,
  { reasoning: habit }: Habits,
): { reasoning_content?: string } {
  if (habit === "dropped") return {};
  if (habit === "kept-even-empty") return { reasoning_content: reasoning ?? "" };
  if (reasoning === null || reasoning === undefined || reasoning === "") return {};
  return { reasoning_content: habit === "trimmed" ? reasoning.trim() : reasoning };
}

function callsOf(
  calls: readonly WireCall[] | undefined,
  tools: readonly WireTool[],
  { args }: Habits,
): { tool_calls?: readonly WireCall[] } {
  if (calls === undefined || calls.length === 0) return {};
  return {
    tool_calls: calls.map(({ id, function: { name, arguments: text } }) => ({
      id,
      type: "function",
      function: { name, arguments: args === "raw" ? text : rewritten(text, args, parametersOf(tools, name)) },
    })),
  };
}

/** Through JavaScript values and back, as these clients do: spaces, number spellings and escapes are lost. */
function rewritten(text: string, args: "compact" | "schema", schema: WireSchema | undefined): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return JSON.stringify(args === "schema" ? inSchemaOrder(value, schema) : value);
}

function inSchemaOrder(value: unknown, schema: WireSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => inSchemaOrder(item, schema?.items));
  if (typeof value !== "object" || value === null) return value;
  const fields = new Map<string, unknown>(Object.entries(value));
  const known = Object.keys(schema?.properties ?? {}).filter((key) => fields.has(key));
  const keys = [...known, ...[...fields.keys()].filter((key) => !known.includes(key))];
  return Object.fromEntries(
    keys.map((key) => [key, inSchemaOrder(fields.get(key), schema?.properties?.[key])]),
  );
}
