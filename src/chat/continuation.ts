/**
 * Whether a request asks to go on with its last message, an assistant's: clients that end their messages with
 * one want no new message behind it (Anthropic's prefill; llama-server does the same).
 */
import { invalid } from "./fields.ts";
import type { AssistantMessage, PromptInput, Turn } from "./Message.ts";

/** Which part of the last message the reply goes on with. */
export type ContinuedPart = "text" | "reasoning";

export interface Continuation {
  readonly part: ContinuedPart;
  readonly last: AssistantMessage;
  /** The request without that message: what the reply, put together with it, is an answer to. */
  readonly history: PromptInput;
}

/** Null where the reply is a message of its own. Throws AppError where the client asks for what cannot be. */
export function continuationOf({
  prompt,
  continueLast,
}: Pick<Turn, "prompt" | "continueLast">): Continuation | null {
  const last = prompt.messages.at(-1);
  if (continueLast === false) return null;
  if (last?.role !== "assistant") {
    if (continueLast !== true) return null;
    throw invalid("continue_final_message", "needs an assistant message at the end of `messages`.");
  }
  if (last.toolCalls.length > 0) {
    if (continueLast !== true) return null;
    throw invalid("continue_final_message", "cannot go on with a message that has tool calls.");
  }
  if (prompt.messages.at(-2)?.role === "assistant") {
    throw invalid("messages", "end with two assistant messages; only one can be continued.");
  }
  if (last.content === "" && last.reasoning === "") return null;
  const history = { ...prompt, messages: prompt.messages.slice(0, -1) };
  return { part: last.content === "" ? "reasoning" : "text", last, history };
}

/** How a request's prompt ends. */
export function endOfPrompt(continuation: Continuation | null): {
  readonly addGenerationPrompt: boolean;
  readonly continues?: ContinuedPart;
} {
  if (continuation === null) return { addGenerationPrompt: true };
  return { addGenerationPrompt: false, continues: continuation.part };
}

/** The whole message that the client has once `reply` has gone on from `last`. */
export function continuedMessage({ last, part }: Continuation, reply: AssistantMessage): AssistantMessage {
  const reasoning = part === "reasoning" ? last.reasoning + reply.reasoning : last.reasoning;
  return { ...reply, reasoning, content: last.content + reply.content };
}
