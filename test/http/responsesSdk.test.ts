/** The openai package's Responses API through tool loops, in each way of telling what was said before. */
import { expect, test } from "bun:test";
import OpenAI from "openai";
import type { AssistantMessage } from "../../src/chat/Message.ts";
import { type FakeServer, fakeServer } from "../support/FakeServer.ts";
import { listening } from "../support/httpClient.ts";

type Response = OpenAI.Responses.Response;
type Item = OpenAI.Responses.ResponseInputItem;

const TOOLS: OpenAI.Responses.Tool[] = [
  {
    type: "function",
    name: "add",
    parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
    strict: null,
  },
];
const CALL = (a: number): string =>
  `<tool_call>\n{"name": "add", "arguments": {"b": 2, "a": ${a}}}\n</tool_call>`;
const REPLIES = [
  `<think>\nadd\n</think>\n\n${CALL(1)}\n${CALL(3)}`,
  `<think>\nonce more\n</think>\n\nOnce more.\n\n${CALL(5)}`,
  "It is 15.",
];
const ASK: Item = { role: "user", content: `What is 1 + 2 + 3 + 2 + 5 + 2? ${"Think hard. ".repeat(20)}` };

/** What a client sends behind a response, beside the outputs of its calls. */
const WAYS: Record<string, (said: Item[], reply: Response) => { input: Item[]; previous?: string }> = {
  "items echoed": (said, reply) => ({ input: [...said, ...(reply.output as Item[])] }),
  "items echoed, not stored": (said, reply) => ({ input: [...said, ...(reply.output as Item[])] }),
  "references, calls inline": (said, reply) => ({
    input: [
      ...said,
      ...reply.output.map((item): Item => {
        // As the AI SDK: what it knows the arguments of it writes itself.
        if (item.type !== "function_call") return { type: "item_reference", id: item.id ?? "" };
        const { a, b } = JSON.parse(item.arguments);
        return {
          type: "function_call",
          call_id: item.call_id,
          name: item.name,
          arguments: JSON.stringify({ a, b }),
        };
      }),
    ],
  }),
  previous_response_id: (_, reply) => ({ input: [], previous: reply.id }),
};

async function ask(
  client: OpenAI,
  body: OpenAI.Responses.ResponseCreateParams,
  stream: boolean,
): Promise<Response> {
  const { stream: _, ...rest } = body;
  if (stream) return await client.responses.stream(rest).finalResponse();
  return await client.responses.create({ ...rest, stream: false });
}

/** What a call fails with: the SDK's promises are none of the language's. */
async function failure(call: () => PromiseLike<unknown>): Promise<string> {
  try {
    await call();
  } catch (error) {
    return String(error);
  }
  throw new Error("it did not fail");
}

function outputsOf(reply: Response): Item[] {
  return reply.output.flatMap((item): Item[] => {
    if (item.type !== "function_call") return [];
    const { a, b } = JSON.parse(item.arguments);
    return [{ type: "function_call_output", call_id: item.call_id, output: String(a + b) }];
  });
}

/** One conversation, and what came back of each reply is what was warmed. */
function checkEchoes(server: FakeServer): void {
  expect(server.engine.runs.map((run) => run.spec.conversation.turn)).toEqual([1, 2, 3]);
  expect(server.jobs.length).toBeGreaterThanOrEqual(2);
  for (const [turn, { prompt, reply }] of server.jobs.slice(0, 2).entries()) {
    const next = server.prompts[turn + 1];
    expect(next?.messages.slice(0, prompt.messages.length)).toEqual([...prompt.messages]);
    const echo = next?.messages[prompt.messages.length] as AssistantMessage;
    expect([echo.content, echo.reasoning]).toEqual([reply.content, reply.reasoning]);
    expect(echo.toolCalls.map(({ id }) => id)).toEqual(reply.toolCalls.map(({ id }) => id));
    const results = next?.messages.slice(prompt.messages.length + 1) ?? [];
    expect(results.map(({ content }) => content)).toEqual(turn === 0 ? ["3", "5"] : ["7"]);
  }
  expect(server.jobs[1]?.habits.reasoning).toBe("kept");
}

for (const [name, way] of Object.entries(WAYS)) {
  for (const stream of [true, false]) {
    test(`three turns, ${name}, ${stream ? "streamed" : "whole"}`, async () => {
      const server = fakeServer({ apiKeys: ["secret"] });
      await using target = listening(server.app);
      server.engine.script = ({ conversation }) => ({ text: REPLIES[conversation.turn - 1] ?? "" });
      const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "secret", maxRetries: 0 });
      const store = !name.endsWith("not stored");
      const include: OpenAI.Responses.ResponseIncludable[] = store ? [] : ["reasoning.encrypted_content"];
      const body = { model: "local", tools: TOOLS, instructions: "You add.", store, include };
      const replies: Response[] = [];
      let input: Item[] = [ASK];
      let previous: string | undefined;
      for (let turn = 0; turn < 3; turn += 1) {
        const reply = await ask(client, { ...body, input, previous_response_id: previous ?? null }, stream);
        replies.push(reply);
        const next = way(input, reply);
        input = [...next.input, ...outputsOf(reply).reverse()];
        previous = next.previous;
      }
      expect(replies.map(({ output }) => output.map(({ type }) => type))).toEqual([
        ["reasoning", "function_call", "function_call"],
        ["reasoning", "message", "function_call"],
        ["message"],
      ]);
      expect(replies.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
      expect(replies[2]?.output_text).toBe("It is 15.");
      const [thought] = replies[0]?.output ?? [];
      if (thought?.type !== "reasoning") throw new Error("no reasoning");
      expect(thought.summary).toEqual([{ type: "summary_text", text: "add" }]);
      if (store) expect(thought.encrypted_content).toBeNull();
      else expect(thought.encrypted_content).toBeString();
      checkEchoes(server);
      const id = replies[1]?.id ?? "";
      if (!store) return expect(await failure(() => client.responses.retrieve(id))).toContain("404");
      const ids = ({ output }: Response) => output.map((item) => [item.type, item.id]);
      expect(ids(await client.responses.retrieve(id))).toEqual(replies.slice(1, 2).flatMap(ids));
      await client.responses.delete(id);
      expect(await failure(() => client.responses.retrieve(id))).toContain("404");
    });
  }
}

test("the openai package shows what is wrong, before the first byte and after it", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "none", maxRetries: 0 });
  const create = (body: object) =>
    failure(() => client.responses.create({ model: "local", input: "x", ...body }));
  expect(await create({ input: [] })).toContain("400 input: must hold at least one item.");
  expect(await create({ previous_response_id: "resp_none" })).toContain(
    '404 previous_response_id: response "resp_none" is not stored here',
  );
  server.engine.script = () => ({
    text: "x",
    fail: { code: "out-of-memory", message: "No memory is left." },
  });
  expect(await create({})).toContain("No memory is left.");
  const failed = await client.responses.stream({ model: "local", input: "x" }).finalResponse();
  expect([failed.status, failed.error]).toEqual([
    "failed",
    { code: "server_error", message: "No memory is left." },
  ]);
});

test("breaking a stream of the openai package ends the run, and nothing is warmed or stored", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  server.engine.script = () => ({ text: "hello", hold: "decode" });
  const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "none", maxRetries: 0 });
  const started = server.engine.nextRun();
  const stream = await client.responses.create({ model: "local", input: "hi", stream: true });
  let id = "";
  for await (const event of stream) {
    if (event.type === "response.created") id = event.response.id;
    if (event.type === "response.output_text.delta") break;
  }
  const run = await started;
  await run.cancelled;
  expect(server.jobs).toEqual([]);
  expect(await failure(() => client.responses.retrieve(id))).toContain("404");
});
