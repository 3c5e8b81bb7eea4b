import { expect, test } from "bun:test";
import OpenAI from "openai";
import { fakeServer } from "../support/FakeServer.ts";
import { listening } from "../support/httpClient.ts";

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[];

const TOOLS: OpenAI.Chat.Completions.ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: "add",
      parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
    },
  },
];

for (const stream of [true, false]) {
  test(`the openai package completes a tool loop, ${stream ? "streamed" : "whole"}`, async () => {
    const server = fakeServer({ apiKeys: ["secret"] });
    await using target = listening(server.app);
    server.engine.script = ({ conversation }) => ({
      text:
        conversation.turn === 1
          ? '<think>\nadd\n</think>\n\n<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
          : "It is 3.",
    });
    const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "secret", maxRetries: 0 });
    const messages: Messages = [{ role: "user", content: `What is 1 + 2? ${"Think hard. ".repeat(20)}` }];
    const ask = async (): Promise<OpenAI.Chat.Completions.ChatCompletionMessage> => {
      const body = { model: "local", messages, tools: TOOLS };
      if (!stream) {
        const [choice] = (await client.chat.completions.create(body)).choices;
        if (choice === undefined) throw new Error("no choice");
        return choice.message;
      }
      return await client.chat.completions.stream(body).finalMessage();
    };
    const first = await ask();
    const call = first.tool_calls?.[0];
    if (call?.type !== "function") throw new Error("no call");
    expect(JSON.parse(call.function.arguments)).toEqual({ a: 1, b: 2 });
    messages.push(first, { role: "tool", tool_call_id: call.id, content: "3" });
    const second = await ask();
    expect(second.content).toBe("It is 3.");
    const [a, b] = server.engine.runs.map((run) => run.spec.conversation);
    expect(b).toEqual({ id: a?.id ?? "", turn: 2 });
  });
}

test("the openai package shows what is wrong", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "none", maxRetries: 0 });
  const failed = async (): Promise<unknown> =>
    await client.chat.completions.create({ model: "local", messages: [] });
  await expect(failed()).rejects.toThrow("400 messages: must hold at least one message.");
  server.engine.script = () => ({
    text: "x",
    fail: { code: "out-of-memory", message: "No memory is left." },
  });
  const stream = await client.chat.completions.create({
    model: "local",
    messages: [{ role: "user", content: "x" }],
    stream: true,
  });
  const read = async (): Promise<void> => {
    for await (const _ of stream) {
    }
  };
  await expect(read()).rejects.toThrow("No memory is left.");
  const models = await client.models.list();
  expect(models.data.map((model) => model.id)).toEqual(["fake-model"]);
});
