/** Messages as OpenAI's protocol has them, as far as the page writes and reads them. */

export interface Call {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export type Message =
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }
  | AssistantMessage;

/** As it came, so that the next turn's prompt begins as the server has foreseen. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly Call[];
}

/** What the reply's last event says that it took. */
export interface Told {
  readonly resumed: number;
  readonly warmed: number;
  readonly prefilled: number;
  readonly why: string;
}
