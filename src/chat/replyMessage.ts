/**
 * The one function that says what the client was given: the whole-body answer, the stream's end and the warm
 * pass are made of its result. It trims the edges of reasoning and text and emits no blank part, so that
 * clients that trim what they echo, or drop what is blank, come to the same message as those that don't.
 */
import { isPythonSpace } from "../base/whiteSpace.ts";
import { canonicalArguments } from "./canonicalCalls.ts";
import type { AssistantMessage, ToolCall } from "./Message.ts";

/** What a reply came to, untrimmed, as `chat/reply` parsed it out of the model's tokens. */
export interface ReplyParts {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    /** As the model wrote them. */
    readonly arguments: string;
  }[];
}

export function replyMessage(parts: ReplyParts): AssistantMessage {
  return {
    role: "assistant",
    content: trimEdges(parts.text),
    reasoning: trimEdges(parts.reasoning),
    toolCalls: parts.calls.map((call): ToolCall => {
      // Without tools the keys stay as sent: the order is the schema's only in prompts.
      return { id: call.id, name: call.name, arguments: canonicalArguments(call.arguments, call.name, []) };
    }),
  };
}

/** The text without white space at its ends. A stream must hold back what `isEdge` says until more follows. */
export function trimEdges(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isEdge(text.charCodeAt(start))) start += 1;
  while (end > start && isEdge(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * White space to any client's trim: Python's, which takes U+001C to U+001F and what Go's and Rust's take (U+0085), and
 * JavaScript's, which takes U+FEFF. Trimming the union leaves nothing that one of them would trim further.
 */
export function isEdge(code: number): boolean {
  return code === 0xfeff || isPythonSpace(code);
}
