/**
 * Messages and turns in their one canonical form (ARCHITECTURE.md, "Invariants": Purity). Every protocol is an adapter to and from
 * these; the request path and the warm path render nothing else. Plain data: crosses to a Worker by clone.
 */

import type { Json, JsonObject } from "../json/json.ts";
import type { RunWishes, Sampling } from "../run/RunSpec.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /**
   * Parsed losslessly, keys in the tool schema's order and then as sent. Where the text did not parse as a
   * JSON object, the string as sent.
   */
  readonly arguments: JsonObject | string;
}

export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: string;
  /** Set where the client sent it in one message with tool results that stand in front of it here. */
  readonly besideResult?: true;
}

export interface AssistantMessage {
  readonly role: "assistant";
  /** "" when there is none: null, missing, "" and blank are the same. */
  readonly content: string;
  /** "" when there is none. */
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly content: string;
  readonly toolCallId: string;
  /** Name of the tool that was called, found by the id. */
  readonly name: string;
}

/** `developer` is `system` here. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface Tool {
  readonly name: string;
  /** The tool as the client wrote it: `{type: "function", function: {name, description, parameters}}`. */
  readonly definition: JsonObject;
}

/**
 * What may be called; it changes no token of the prompt, whose tools are always all of the request's. `allowed`:
 * the names of those that may be; missing: all.
 */
export type ToolChoice =
  | { readonly type: "auto"; readonly allowed?: readonly string[] }
  | { readonly type: "none" }
  | { readonly type: "required"; readonly allowed?: readonly string[] }
  | { readonly type: "named"; readonly name: string };

/** All that a template is given, but for the clock's date. */
export interface PromptInput {
  readonly messages: readonly Message[];
  /** All of the request's, whatever its `tool_choice`. */
  readonly tools: readonly Tool[];
  /** `chat_template_kwargs`, with `enable_thinking` always set (true by default). */
  readonly kwargs: ReadonlyMap<string, Json>;
}

/** What the reply's text has to be: JSON of this schema. A call may take its place where tools are free to be called. */
export interface TextSchema {
  readonly schema: Json;
  /** Every keyword has to be held. */
  readonly strict: boolean;
  /** The request's field that holds the schema, for errors. */
  readonly field: string;
}

/** One request, whatever protocol it came by. */
export interface Turn {
  readonly prompt: PromptInput;
  /**
   * Whether the reply goes on with the last message, an assistant's. Missing: it does where that message has no
   * calls.
   */
  readonly continueLast?: boolean;
  readonly toolChoice: ToolChoice;
  /** Whether a forced reply may hold several calls. */
  readonly parallelCalls: boolean;
  readonly textSchema?: TextSchema;
  readonly sampling: Sampling;
  /** Tokens of reasoning at most; missing: as the server is set. */
  readonly reasoningBudget?: number;
  /** Tokens to generate at most; Infinity where the request names none. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** What is used and told; nothing of it changes a bit of the reply. */
  readonly wishes?: RunWishes;
}
