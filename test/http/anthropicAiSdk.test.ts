/** The AI SDK's Anthropic provider through a tool loop that it runs itself; it re-serialises what it echoes. */
import { expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, Output, stepCountIs, streamText } from "ai";
import { fakeServer } from "../support/FakeServer.ts";
import { listening } from "../support/httpClient.ts";
import { checkEchoes, checkSteps, LOOP, loopServer } from "./aiSdkLoop.ts";

for (const stream of [true, false]) {
  test(`goes through three steps, ${stream ? "streamed" : "whole"}`, async () => {
    const { server, handed } = loopServer();
    await using target = listening(server.app);
    const options = {
      ...LOOP,
      model: createAnthropic({ baseURL: `${target.url}/v1`, apiKey: "secret" })("local"),
      // It caps what it does not know, with a warning.
      maxOutputTokens: 1000,
      stopWhen: stepCountIs(5),
      providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
    } as const;
    checkSteps(stream ? await streamText(options).steps : (await generateText(options)).steps);
    await handed;
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
