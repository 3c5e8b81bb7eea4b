/** The tool loop that the AI SDK runs itself in three steps: what the model says, and what has to come of it. */
import { expect } from "bun:test";
import { jsonSchema, type StepResult, type ToolSet, tool } from "ai";
import type { AssistantMessage } from "../../src/chat/Message.ts";
import { type FakeServer, fakeServer } from "../support/FakeServer.ts";

const call = (a: number): string =>
  `<tool_call>\n{"name": "add", "arguments": {"b": 2, "a": ${a}}}\n</tool_call>`;
const REPLIES = [
  `<think>\nadd\n</think>\n\n${call(1)}\n${call(3)}`,
  `<think>\nonce more\n</think>\n\nOnce more.\n\n${call(5)}`,
  "It is 15.",
];

/** What each provider is asked with, beside its model. */
export const LOOP = {
  instructions: "You add.",
  prompt: `What is the sum? ${"Think hard. ".repeat(20)}`,
  tools: {
    add: tool({
      description: "adds",
      inputSchema: jsonSchema<{ a: number; b: number }>({
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      }),
      execute: async ({ a, b }) => String(a + b),
    }),
  },
  maxRetries: 0,
} as const;

/** A server that plays the loop; `handed` resolves when all three replies are with the warm pass. */
export function loopServer(): { readonly server: FakeServer; readonly handed: Promise<void> } {
  const server = fakeServer({ apiKeys: ["secret"] });
  server.engine.script = ({ conversation }) => ({ text: REPLIES[conversation.turn - 1] ?? "" });
  const handed = new Promise<void>((resolve) => {
    server.onJob = () => {
      if (server.jobs.length === 3) resolve();
    };
  });
  return { server, handed };
}

export function checkSteps(steps: readonly StepResult<ToolSet>[]): void {
  expect(
    steps.map((step) => [step.reasoningText, step.text, step.toolCalls.length, step.finishReason]),
  ).toEqual([
    ["add", "", 2, "tool-calls"],
    ["once more", "Once more.", 1, "tool-calls"],
    [undefined, "It is 15.", 0, "stop"],
  ]);
  expect(steps[0]?.toolCalls[0]).toMatchObject({ toolName: "add", input: { a: 1, b: 2 } });
  expect(steps[0]?.usage.inputTokens).toBeGreaterThan(0);
}

/** What came back of each reply is what was warmed. */
export function checkEchoes(server: FakeServer): void {
  expect(server.engine.runs.map((run) => run.spec.conversation.turn)).toEqual([1, 2, 3]);
  expect(server.jobs.length).toBe(3);
  for (const [turn, { prompt, reply }] of server.jobs.slice(0, 2).entries()) {
    const next = server.prompts[turn + 1];
    expect(next?.messages.slice(0, prompt.messages.length)).toEqual([...prompt.messages]);
    const echo = next?.messages[prompt.messages.length] as AssistantMessage;
    expect([echo.content, echo.reasoning]).toEqual([reply.content, reply.reasoning]);
    expect(echo.toolCalls.map(({ id }) => id)).toEqual(reply.toolCalls.map(({ id }) => id));
  }
}
