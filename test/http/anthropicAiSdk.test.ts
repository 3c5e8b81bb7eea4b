/** The AI SDK's Anthropic provider through a tool loop that it runs itself; it re-serialises what it echoes. */
import { expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
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

function scripted(): FakeServer {
  const server = fakeServer({ apiKeys: ["secret"] });
  server.engine.script = ({ conversation }) => ({ text: REPLIES[conversation.turn - 1] ?? "" });
  return server;
}

/** What came back of each reply is what was warmed. */
function checkEchoes(server: FakeServer): void {
  expect(server.engine.runs.map((run) => run.spec.conversation.turn)).toEqual([1, 2, 3]);
  expect(server.jobs.length).toBe(3);
  for (const { prompt, reply } of server.jobs.slice(0, 2)) {
    const next = server.prompts.find((one) => one.messages.length > prompt.messages.length);
    const echo = next?.messages[prompt.messages.length] as AssistantMessage;
    expect([echo.content, echo.reasoning]).toEqual([reply.content, reply.reasoning]);
    expect(echo.toolCalls.map(({ id }) => id)).toEqual(reply.toolCalls.map(({ id }) => id));
    server.prompts.splice(0, server.prompts.indexOf(next ?? prompt));
  }
}

for (const stream of [true, false]) {
  test(`goes through three steps, ${stream ? "streamed" : "whole"}`, async () => {
    const server = scripted();
    await using target = listening(server.app);
    const handed = new Promise<void>((resolve) => {
      server.onJob = () => {
        if (server.jobs.length === 3) resolve();
      };
    });
    const options = {
      model: createAnthropic({ baseURL: `${target.url}/v1`, apiKey: "secret" })("local"),
      instructions: "You add.",
      prompt: `What is the sum? ${"Think hard. ".repeat(20)}`,
      tools: { add },
      // It caps what it does not know, with a warning.
      maxOutputTokens: 1000,
      stopWhen: stepCountIs(5),
      maxRetries: 0,
      providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
    } as const;
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

for (const structuredOutputMode of ["outputFormat", "jsonTool"] as const) {
  test(`gives an object by ${structuredOutputMode}`, async () => {
    const server = fakeServer();
    await using target = listening(server.app);
    const args = '{"city": "Oslo"}';
    server.engine.script = ({ sampling }) => ({
      text: sampling?.grammar?.includes("<tool_call>")
        ? `<tool_call>\n{"name": "json", "arguments": ${args}}\n</tool_call>`
        : args,
    });
    const schema = jsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    });
    const { output } = await generateText({
      model: createAnthropic({ baseURL: `${target.url}/v1`, apiKey: "none" })("local"),
      prompt: "Which city?",
      maxOutputTokens: 100,
      maxRetries: 0,
      output: Output.object({ schema }),
      providerOptions: { anthropic: { structuredOutputMode } },
    });
    expect(output).toEqual({ city: "Oslo" });
    expect(server.engine.runs[0]?.spec.sampling?.grammar).toContain("city");
  });
}

test("shows what is wrong", async () => {
  const server = fakeServer({ ready: { ctxTokens: 100 } });
  await using target = listening(server.app);
  const model = createAnthropic({ baseURL: `${target.url}/v1`, apiKey: "none" })("local");
  const asked = generateText({ model, prompt: "x".repeat(200), maxOutputTokens: 9, maxRetries: 0 });
  await expect(asked).rejects.toThrow("prompt is too long: 206 tokens > 99 maximum");
});
