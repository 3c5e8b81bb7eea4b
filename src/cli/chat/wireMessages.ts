/** A chat as it goes over the wire, in OpenAI's form with `reasoning_content`. */

export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export type Message =
  | { readonly role: "system" | "user"; readonly content: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** A function as the request names it. */
export interface ToolSpec {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
}

/** What a reply took. Tokens and milliseconds; null where the server does not tell. */
export interface ReplyReport {
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  /** This server's own numbers. */
  readonly warmturn: { readonly resumed: number; readonly warmed: number; readonly prefilled: number } | null;
  /** From the request to the first piece of the reply, as the person sees it. */
  readonly firstTokenMs: number | null;
  readonly replyTokens: number | null;
  readonly tokensPerSecond: number | null;
}

export type Delta =
  | { readonly type: "reasoning" | "text"; readonly text: string }
  | { readonly type: "call"; readonly name: string }
  | { readonly type: "arguments"; readonly text: string };

export interface Reply {
  /** As a good client sends it back. Of a reply that did not end by itself without its calls. */
  readonly message: AssistantMessage;
  readonly finish: "stop" | "length" | "tool_calls" | "stopped" | "failed";
  /** Of `failed`: one sentence. */
  readonly why: string | null;
  readonly report: ReplyReport;
}
