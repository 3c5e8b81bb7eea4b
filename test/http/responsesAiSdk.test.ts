/** The AI SDK's OpenAI provider, responses' way, through a tool loop that it runs itself: by reference and by echo. */
import { expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import type { AssistantMessage } from "../../src/chat/Message.ts";
import { type FakeServer, fakeServer } from "../support/FakeServer.ts";
import { listening } from "../support/httpClient.ts";

const call = (a: number): string =>
  `<tool_call>\n{"name": "add", "arguments": {"b": 2, "a": ${a}}}\n</tool_call>`;
const REPLIES = [
  `<think>\nadd\n</think>\n\n${call(1)}\n${call(3)}`,
  `<think>\nonce more\n</think>\n\nOnce more.\n\n${call(5)}`,
  "It is 15.",
];

const add = tool({
  description: "adds",
  inputSchema: jsonSchema<{ a: number; b: number }>({
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  }),
  execute: async ({ a, b }) => String(a + b),
});

/** What came back of each reply is what was warmed. */
function checkEchoes(server: FakeServer): void {
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

for (const store of [true, false]) {
  for (const stream of [true, false]) {
    test(`three steps, ${store ? "by reference" : "by echo"}, ${stream ? "streamed" : "whole"}`, async () => {
      const server = fakeServer({ apiKeys: ["secret"] });
      server.engine.script = ({ conversation }) => ({ text: REPLIES[conversation.turn - 1] ?? "" });
      await using target = listening(server.app);
      const handed = new Promise<void>((resolve) => {
        server.onJob = () => {
          if (server.jobs.length === 3) resolve();
        };
      });
      const options = {
        model: createOpenAI({ baseURL: `${target.url}/v1`, apiKey: "secret" }).responses("local"),
        instructions: "You add.",
        prompt: `What is the sum? ${"Think hard. ".repeat(20)}`,
        tools: { add },
        stopWhen: stepCountIs(5),
        maxRetries: 0,
        providerOptions: { openai: { store } },
      };
      const steps = stream ? await streamText(options).steps : (await generateText(options)).steps;
      await handed;
      expect(
        steps.map((step) => [step.reasoningText, step.text, step.toolCalls.length, step.finishReason]),
      ).toEqual([
        ["add", "", 2, "tool-calls"],
        ["once more", "Once more.", 1, "tool-calls"],
        [undefined, "It is 15.", 0, "stop"],
      ]);
      expect(steps[0]?.toolCalls[0]).toMatchObject({ toolName: "add", input: { a: 1, b: 2 } });
      expect(steps[0]?.usage.inputTokens).toBeGreaterThan(0);
      checkEchoes(server);
    });
  }
}

test("an object of a schema is held and read", async () => {
  const server = fakeServer();
  server.engine.script = () => ({ text: '{"title": "Sums"}' });
  await using target = listening(server.app);
  const { output } = await generateText({
    model: createOpenAI({ baseURL: `${target.url}/v1`, apiKey: "none" }).responses("local"),
    prompt: "Write a title.",
    output: Output.object({
      schema: jsonSchema<{ title: string }>({
        type: "object",
        properties: { title: { type: "string" } },
        required: ["title"],
      }),
    }),
  });
  expect(output).toEqual({ title: "Sums" });
  expect(server.engine.runs[0]?.spec.sampling?.grammar).toContain('"\\"title\\":"');
});

test("shows what is wrong", async () => {
  const server = fakeServer({ ready: { ctxTokens: 100 } });
  await using target = listening(server.app);
  const model = createOpenAI({ baseURL: `${target.url}/v1`, apiKey: "none" }).responses("local");
  const asked = generateText({ model, prompt: "x".repeat(200), maxRetries: 0 });
  await expect(asked).rejects.toThrow("prompt is too long: 206 tokens > 99 maximum");
});
