/** Every way in which a client may echo one reply: all combinations of the habits that design.md lists. */
import type { WireMessage, WireReply, WireTool } from "../clients/wire.ts";
import { parametersOf } from "../clients/wire.ts";
import { argumentText } from "./argumentText.ts";

export interface Habit {
  readonly name: string;
  readonly message: WireMessage;
}

type Change = (message: WireMessage, tools: readonly WireTool[]) => WireMessage;

const CHANGES: readonly { readonly name: string; readonly change: Change }[] = [
  { name: "reasoning dropped", change: dropReasoning },
  { name: "arguments re-serialised", change: (message) => withArguments(message, reserialised) },
  {
    name: "keys re-ordered",
    change: (message, tools) =>
      withArguments(message, (text, tool) => argumentText(text, parametersOf(tools, tool)) ?? text),
  },
  { name: "blank text dropped", change: dropBlank },
  { name: "edges trimmed", change: trimEdges },
  { name: "content as array", change: asArray },
];

/** Equal messages once only. The first is the reply as it was sent. */
export function habitsOf(reply: WireReply, tools: readonly WireTool[]): readonly Habit[] {
  const seen = new Map<string, Habit>();
  for (let set = 0; set < 1 << CHANGES.length; set++) {
    let message: WireMessage = reply;
    const names: string[] = [];
    CHANGES.forEach(({ name, change }, bit) => {
      if ((set & (1 << bit)) === 0) return;
      message = change(message, tools);
      names.push(name);
    });
    const key = JSON.stringify(message);
    if (!seen.has(key)) seen.set(key, { name: names.join(", ") || "as sent", message });
  }
  return [...seen.values()];
}

function dropReasoning({ reasoning_content: _, ...message }: WireMessage): WireMessage {
  return message;
}

function dropBlank(message: WireMessage): WireMessage {
  if (typeof message.content !== "string" || message.content.trim() !== "") return message;
  return { ...message, content: null };
}

function trimEdges(message: WireMessage): WireMessage {
  const trimmed = { ...message };
  if (typeof message.content === "string") Object.assign(trimmed, { content: message.content.trim() });
  if (typeof message.reasoning_content === "string") {
    Object.assign(trimmed, { reasoning_content: message.reasoning_content.trim() });
  }
  return trimmed;
}

function asArray(message: WireMessage): WireMessage {
  if (typeof message.content !== "string") return message;
  return { ...message, content: [{ type: "text", text: message.content }] };
}

function withArguments(message: WireMessage, change: (text: string, tool: string) => string): WireMessage {
  if (message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: change(call.function.arguments, call.function.name) },
  }));
  return { ...message, tool_calls: calls };
}

/** As JavaScript writes it: numbers lose their spelling, integer-like keys come first. */
function reserialised(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
