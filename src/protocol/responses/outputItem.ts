/** The kinds of output items: what each looks like with some of its text, and which events tell of it. */
import { isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";
import { writeJson } from "../../json/writeJson.ts";
import { sealReasoning } from "./sealedReasoning.ts";
import type { ClientTool } from "./tools.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

export interface OutputItem {
  readonly id: string;
  readonly type: "reasoning" | "message" | "function_call" | "custom_tool_call";
  readonly status: ItemStatus;
  readonly [field: string]: unknown;
}

/** Without its place and number. */
export interface PartialEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** `logprobs`: of the tokens that wrote the text, where they are asked for; of messages alone. */
export interface ItemKind {
  item(text: string, status: ItemStatus, logprobs: readonly object[]): OutputItem;
  /** Between `output_item.added` and the first text. */
  opening(): readonly PartialEvent[];
  growing(text: string, logprobs: readonly object[]): readonly PartialEvent[];
  /** Between the last text and `output_item.done`. */
  closing(text: string, logprobs: readonly object[]): readonly PartialEvent[];
}

/** The whole text stands in the summary: it is what clients read and send back. */
export function reasoningItem(id: string, seals: boolean): ItemKind {
  const part = (text: string) => ({ type: "summary_text", text });
  const at = { summary_index: 0 };
  return {
    item: (text, status) => ({
      id,
      type: "reasoning",
      summary: text === "" ? [] : [part(text)],
      encrypted_content: seals && text !== "" ? sealReasoning(text) : null,
      status,
    }),
    opening: () => [{ type: "response.reasoning_summary_part.added", ...at, part: part("") }],
    growing: (delta) => [{ type: "response.reasoning_summary_text.delta", ...at, delta }],
    closing: (text) => [
      { type: "response.reasoning_summary_text.done", ...at, text },
      { type: "response.reasoning_summary_part.done", ...at, part: part(text) },
    ],
  };
}

export function messageItem(id: string): ItemKind {
  const part = (text: string, logprobs: readonly object[]) => ({
    type: "output_text",
    text,
    annotations: [],
    logprobs,
  });
  const at = { content_index: 0 };
  return {
    item: (text, status, logprobs) => ({
      id,
      type: "message",
      role: "assistant",
      content: text === "" ? [] : [part(text, logprobs)],
      status,
    }),
    opening: () => [{ type: "response.content_part.added", ...at, part: part("", []) }],
    growing: (delta, logprobs) => [{ type: "response.output_text.delta", ...at, delta, logprobs }],
    closing: (text, logprobs) => [
      { type: "response.output_text.done", ...at, text, logprobs },
      { type: "response.content_part.done", ...at, part: part(text, logprobs) },
    ],
  };
}

export function callItem(id: string, callId: string, tool: ClientTool): ItemKind {
  return tool.kind === "custom" ? customCall(id, callId, tool) : functionCall(id, callId, tool);
}

/** A client finds its tool by both: it gets the name back in the parts that it sent. */
function nameOf({ name, namespace }: ClientTool) {
  return namespace === null ? { name } : { name, namespace };
}

function functionCall(id: string, callId: string, tool: ClientTool): ItemKind {
  return {
    item: (text, status) => ({
      id,
      type: "function_call",
      call_id: callId,
      ...nameOf(tool),
      arguments: text,
      status,
    }),
    opening: () => [],
    growing: (delta) => [{ type: "response.function_call_arguments.delta", delta }],
    closing: (text) => [{ type: "response.function_call_arguments.done", name: tool.name, arguments: text }],
  };
}

/** The model writes it as JSON around one string; it is taken out of it when it is whole. */
function customCall(id: string, callId: string, tool: ClientTool): ItemKind {
  return {
    item: (text, status) => ({
      id,
      type: "custom_tool_call",
      call_id: callId,
      ...nameOf(tool),
      input: inputOf(text),
      status,
    }),
    opening: () => [],
    growing: () => [],
    closing: (text) => {
      const input = inputOf(text);
      const delta = { type: "response.custom_tool_call_input.delta", delta: input };
      return [...(input === "" ? [] : [delta]), { type: "response.custom_tool_call_input.done", input }];
    },
  };
}

function inputOf(text: string): string {
  try {
    const value = parseJson(text);
    const input = isJsonObject(value) ? value.get("input") : undefined;
    return typeof input === "string" ? input : writeJson(value, "compact");
  } catch {
    return text;
  }
}
