/** Prompts for these tests: a special token opens each message, and each character is a token. */
import type { AssistantMessage, Message, PromptInput, Tool } from "../../../src/chat/Message.ts";
import type { ChunkRules, Plan } from "../../../src/plan/Plan.ts";
import { requestChunks } from "../../../src/plan/requestChunks.ts";

const openerOf = { system: 1, user: 2, assistant: 3, tool: 4 } as const;

const rules: ChunkRules = {
  openers: [[1], [2], [3], [4]],
  userOpeners: [[2]],
  chunkTokensMin: 8,
  chunkTokensMax: 32,
  tripTokensMin: 0,
};

export function promptOf(messages: readonly Message[], tools: readonly Tool[] = []): PromptInput {
  return { messages, tools, kwargs: new Map([["enable_thinking", true]]) };
}

export function planOf(prompt: PromptInput, seed = 7n): Plan {
  const texts = prompt.messages.map((message) => {
    const calls =
      message.role === "assistant" ? JSON.stringify(message.toolCalls.map((call) => call.id)) : "";
    return String.fromCharCode(openerOf[message.role]) + message.content + calls;
  });
  const head = String.fromCharCode(1) + prompt.tools.map((tool) => tool.name).join();
  const text = `${head}${texts.join("")}${String.fromCharCode(3)}`;
  return requestChunks(
    Int32Array.from(text, (char) => char.charCodeAt(0)),
    rules,
    seed,
  );
}

export const system = (content: string): Message => ({ role: "system", content });
export const user = (content: string): Message => ({ role: "user", content });
export function assistant(content: string, more: Partial<AssistantMessage> = {}): AssistantMessage {
  return { role: "assistant", content, reasoning: "", toolCalls: [], ...more };
}
export const result = (id: string, content: string): Message => {
  return { role: "tool", content, toolCallId: id, name: "f" };
};
