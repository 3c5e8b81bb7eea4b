/**
 * What is remembered of a conversation's last prompt, to tell later what has changed in it: its tokens, and hashes of
 * what it was made of. No text of it.
 */
import type { Message, PromptInput } from "../chat/Message.ts";
import type { Json } from "../json/json.ts";
import { writeJson } from "../json/writeJson.ts";

export interface PromptShape {
  readonly tokens: Int32Array;
  /** By name, in the request's order. */
  readonly tools: ReadonlyMap<string, bigint>;
  /** Of `chat_template_kwargs`, by name. */
  readonly options: ReadonlyMap<string, bigint>;
  readonly messages: readonly MessageShape[];
}

export interface MessageShape {
  readonly role: Message["role"];
  /** Of all but its reasoning. */
  readonly content: bigint;
  readonly reasoning: bigint;
}

const NOTHING = { tools: new Map(), options: new Map(), messages: [] } as const;

/** `prompt`: null where there are no messages. */
export function shapeOf(tokens: Int32Array, prompt: PromptInput | null): PromptShape {
  if (prompt === null) return { tokens, ...NOTHING };
  return {
    tokens,
    tools: new Map(prompt.tools.map(({ name, definition }) => [name, hash(definition)])),
    options: new Map([...prompt.kwargs].map(([name, value]) => [name, hash(value)])),
    messages: prompt.messages.map(messageShape),
  };
}

export function messageShape(message: Message): MessageShape {
  if (message.role !== "assistant")
    return { role: message.role, content: Bun.hash.xxHash64(message.content), reasoning: 0n };
  const calls = message.toolCalls.map(({ name, arguments: args }) => [
    name,
    typeof args === "string" ? args : writeJson(args),
  ]);
  return {
    role: "assistant",
    content: Bun.hash.xxHash64(JSON.stringify([message.content, calls])),
    reasoning: message.reasoning === "" ? 0n : Bun.hash.xxHash64(message.reasoning),
  };
}

function hash(value: Json): bigint {
  return Bun.hash.xxHash64(writeJson(value));
}
