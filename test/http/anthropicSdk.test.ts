import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { fakeServer } from "../support/FakeServer.ts";
import { listening } from "../support/httpClient.ts";

const TOOLS: Anthropic.Tool[] = [
  {
    name: "add",
    input_schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  },
];
const CALL = (a: number): string =>
  `<tool_call>\n{"name": "add", "arguments": {"b": 2, "a": ${a}}}\n</tool_call>`;
const REPLIES = [`<think>\nadd\n</think>\n\n${CALL(1)}\n${CALL(3)}`, `Once more.\n\n${CALL(5)}`, "It is 15."];

for (const stream of [true, false]) {
  test(`@anthropic-ai/sdk goes through a tool loop of three turns, ${stream ? "streamed" : "whole"}`, async () => {
    const server = fakeServer({ apiKeys: ["secret"] });
    await using target = listening(server.app);
    server.engine.script = ({ conversation }) => ({ text: REPLIES[conversation.turn - 1] ?? "" });
    const client = new Anthropic({ baseURL: target.url, apiKey: "secret", maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [
      { role: "user", content: `What is 1 + 2 + 3 + 2 + 5 + 2? ${"Think hard. ".repeat(20)}` },
    ];
    const body = {
      model: "local",
      max_tokens: 1000,
      tools: TOOLS,
      messages,
      system: "You add.",
      thinking: { type: "enabled", budget_tokens: 1024 },
    } as const;
    const ask = async (): Promise<Anthropic.Message> =>
      stream
        ? await client.messages.stream({ ...body, messages: [...messages] }).finalMessage()
        : await client.messages.create({ ...body, messages: [...messages] });
    const replies: Anthropic.Message[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const reply = await ask();
      replies.push(reply);
      messages.push({ role: "assistant", content: reply.content });
      const results = reply.content.flatMap((block): Anthropic.ToolResultBlockParam[] => {
        if (block.type !== "tool_use") return [];
        const { a, b } = block.input as { a: number; b: number };
        return [{ type: "tool_result", tool_use_id: block.id, content: String(a + b) }];
      });
      if (reply.stop_reason !== "tool_use") break;
      messages.push({ role: "user", content: results.reverse() });
    }
    expect(replies.map((reply) => reply.content.map((block) => block.type))).toEqual([
      ["thinking", "tool_use", "tool_use"],
      ["text", "tool_use"],
      ["text"],
    ]);
    expect(replies.map((reply) => reply.stop_reason)).toEqual(["tool_use", "tool_use", "end_turn"]);
    expect(replies[0]?.content[1]).toMatchObject({ type: "tool_use", name: "add", input: { a: 1, b: 2 } });
    expect(replies[2]?.content[0]).toMatchObject({ type: "text", text: "It is 15." });
    // One conversation, and what came back of each reply is what was warmed.
    expect(server.engine.runs.map((run) => run.spec.conversation.turn)).toEqual([1, 2, 3]);
    for (const [turn, job] of server.jobs.entries()) {
      const next = server.prompts[turn + 1];
      if (next === undefined) continue;
      const sent = next.messages[job.prompt.messages.length];
      expect(sent).toMatchObject({ content: job.reply.content, reasoning: job.reply.reasoning });
      const results = next.messages.slice(job.prompt.messages.length + 1);
      expect(results.map((result) => (result.role === "tool" ? result.content : ""))).toEqual(
        turn === 0 ? ["3", "5"] : ["7"],
      );
    }
    expect(server.jobs[1]?.habits.reasoning).toBe("kept");
  });
}

test("@anthropic-ai/sdk shows what is wrong, before the first byte and after it", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  const client = new Anthropic({ baseURL: target.url, apiKey: "none", maxRetries: 0 });
  const body = { model: "local", max_tokens: 9, messages: [] as Anthropic.MessageParam[] };
  const failed = async (): Promise<unknown> => {
    try {
      return await client.messages.create(body);
    } catch (error) {
      return error;
    }
  };
  const bad = await failed();
  if (!(bad instanceof Anthropic.BadRequestError)) throw new Error("no BadRequestError");
  expect([bad.status, bad.type, bad.message]).toEqual([
    400,
    "invalid_request_error",
    expect.stringContaining("messages: must hold at least one message."),
  ] as never);
  expect(bad.requestID).toStartWith("req_");
  body.messages.push({ role: "user", content: "x" });
  server.engine.script = () => ({
    text: "x",
    fail: { code: "out-of-memory", message: "No memory is left." },
  });
  const stream = client.messages.stream(body);
  await expect(stream.finalMessage()).rejects.toThrow("No memory is left.");
});

test("@anthropic-ai/sdk counts tokens and lists models", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  const client = new Anthropic({ baseURL: target.url, apiKey: "none", maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "hi" }];
  const counted = await client.messages.countTokens({ model: "local", messages, system: "s", tools: TOOLS });
  expect(counted.input_tokens).toBe("<system>s<user>hi".length);
  const models = await client.models.list();
  expect(models.data.map((model) => model.id)).toEqual(["fake-model"]);
});

test("breaking a stream of @anthropic-ai/sdk ends the run, and nothing is warmed", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  server.engine.script = () => ({ text: "hello", hold: "decode" });
  const client = new Anthropic({ baseURL: target.url, apiKey: "none", maxRetries: 0 });
  const started = server.engine.nextRun();
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "hi" }];
  const stream = await client.messages.create({ model: "local", max_tokens: 9, messages, stream: true });
  for await (const event of stream) if (event.type === "content_block_delta") break;
  const run = await started;
  await run.cancelled;
  expect(server.jobs).toEqual([]);
});
