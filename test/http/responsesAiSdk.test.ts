/** The AI SDK's OpenAI provider, responses' way, through a tool loop that it runs itself: by reference and by echo. */
import { expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, Output, stepCountIs, streamText } from "ai";
import { fakeServer } from "../support/FakeServer.ts";
import { listening } from "../support/httpClient.ts";
import { checkEchoes, checkSteps, LOOP, loopServer } from "./aiSdkLoop.ts";

for (const store of [true, false]) {
  for (const stream of [true, false]) {
    test(`three steps, ${store ? "by reference" : "by echo"}, ${stream ? "streamed" : "whole"}`, async () => {
      const { server, handed } = loopServer();
      await using target = listening(server.app);
      const options = {
        ...LOOP,
        model: createOpenAI({ baseURL: `${target.url}/v1`, apiKey: "secret" }).responses("local"),
        stopWhen: stepCountIs(5),
        providerOptions: { openai: { store } },
      };
      checkSteps(stream ? await streamText(options).steps : (await generateText(options)).steps);
      await handed;
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
  expect(server.engine.runs[0]?.spec.sampling?.grammar).toContain('"\\"title\\""');
});

test("shows what is wrong", async () => {
  const server = fakeServer({ ready: { ctxTokens: 100 } });
  await using target = listening(server.app);
  const model = createOpenAI({ baseURL: `${target.url}/v1`, apiKey: "none" }).responses("local");
  const asked = generateText({ model, prompt: "x".repeat(200), maxRetries: 0 });
  await expect(asked).rejects.toThrow("prompt is too long: 206 tokens > 99 maximum");
});
