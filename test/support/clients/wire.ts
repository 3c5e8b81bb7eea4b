/** What goes over the wire of `/v1/chat/completions`, as far as tests write or read it. */

export interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface WireText {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: { readonly type: "ephemeral" };
}

export type WireContent = string | null | readonly WireText[];

export interface WireMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: WireContent;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

/** A JSON Schema, as far as clients look into one. */
export interface WireSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, WireSchema>>;
  readonly items?: WireSchema;
  readonly [keyword: string]: unknown;
}

export interface WireTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: WireSchema;
  };
}

export interface WireRequest {
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
}

/** The `message` of a whole-body answer. */
export interface WireReply {
  readonly role: "assistant";
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly WireCall[];
}

/** Parameters of the tool of that name. */
export function parametersOf(tools: readonly WireTool[], name: string): WireSchema | undefined {
  return tools.find((tool) => tool.function.name === name)?.function.parameters;
}
