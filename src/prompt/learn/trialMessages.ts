/** What trial conversations are made of: those that a template is rendered with at load, to learn how it writes. */
import type { AssistantMessage, Message, PromptInput, Tool } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import { fromPlain } from "../../json/plainJson.ts";
import type { DataMask } from "../hostContext.ts";

/** The tool that trial replies call. */
export const TRIAL_TOOL: Tool = {
  name: "wtname",
  definition: toMap({
    type: "function",
    function: {
      name: "wtname",
      description: "wtdescription",
      parameters: {
        type: "object",
        properties: { wtkey: { type: "string", description: "wtproperty" } },
        required: ["wtkey"],
      },
    },
  }),
};

/** An assistant message; `argument` is the value of its one call's one argument. */
export function trialReply(
  content: string,
  more: { readonly reasoning?: string; readonly argument?: string } = {},
): AssistantMessage {
  return {
    role: "assistant",
    content,
    reasoning: more.reasoning ?? "",
    toolCalls:
      more.argument === undefined
        ? []
        : [{ id: "call_wt000001", name: "wtname", arguments: new Map([["wtkey", more.argument]]) }],
  };
}

export function trialResult(content: string): Message {
  return { role: "tool", content, toolCallId: "call_wt000001", name: "wtname" };
}

export function trialInput(messages: readonly Message[], tools: readonly Tool[]): PromptInput {
  return { messages, tools, kwargs: new Map<string, Json>([["enable_thinking", true]]) };
}

/** For trials alone: no text of theirs spells a special token, so nothing has to be masked. */
export const NO_MASK: DataMask = { text: (text) => text, word: (text) => text, echo: (text) => text };

function toMap(value: unknown): Tool["definition"] {
  const json = fromPlain(value);
  return json instanceof Map ? json : new Map();
}
