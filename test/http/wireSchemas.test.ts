/** Every body and stream event is what the official SDKs' types say. */
import { beforeAll, describe, expect, test } from "bun:test";
import { fakeServer } from "../support/FakeServer.ts";
import { inProcess, json, type Loose, postChat, readSse, streamChat } from "../support/httpClient.ts";
import { type CheckWire, wireSchemas } from "../support/wireSchemas/wireSchemas.ts";
import { ADD, events, HI, message, post } from "./anthropicWire.ts";
import { ADD_TOOL, USER } from "./targets.ts";

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2.0}}\n</tool_call>';
const REPLIES = {
  text: "hello",
  nothing: " ",
  "reasoning and text": "<think>\nhm\n</think>\n\nhello",
  "reasoning, text and calls": `<think>\nhm\n</think>\n\nSure.\n\n${CALL}\n${CALL}`,
  "text behind a call": `${CALL}\nDone.`,
  "a call that is cut off": '<tool_call>\n{"name": "add", "arguments": {"a": 1',
};
const GENERATE_MS_MAX = 120_000;

let check: CheckWire;
beforeAll(async () => {
  check = await wireSchemas();
}, GENERATE_MS_MAX);

test("the schemas do refuse", () => {
  expect(() => check("message", { id: "msg_1" })).toThrow("must have required property 'content'");
  expect(() => check("messageEvent", { type: "content_block_start", index: 0 })).toThrow("no messageEvent");
  expect(() => check("completion", { id: "x", choices: [{}] })).toThrow("finish_reason");
});

describe.each(Object.entries(REPLIES))("%s", (_, text) => {
  for (const reason of ["stop", "length"] as const) {
    test(`of messages, ended by ${reason}`, async () => {
      const server = fakeServer();
      const target = inProcess(server.app);
      server.engine.script = () => ({ text, reason });
      check("message", await message(target, { tools: [ADD] }));
      for (const event of await events(target, { tools: [ADD] })) {
        if (event.type !== "ping") check("messageEvent", event);
      }
    });

    test(`of chat completions, ended by ${reason}`, async () => {
      const server = fakeServer();
      const target = inProcess(server.app);
      server.engine.script = () => ({ text, reason });
      const body = { messages: USER, tools: [ADD_TOOL], stream_options: { include_usage: true } };
      check("completion", await json(await postChat(target, body)));
      for (const chunk of await streamChat(target, body)) check("completionChunk", chunk);
    });
  }
});

test("text completions", async () => {
  const target = inProcess(fakeServer().app);
  const path = "/v1/completions";
  for (const more of [{}, { n: 2 }, { echo: true }, { logprobs: 2 }]) {
    const body = { prompt: "Once", ...more };
    check("textCompletion", await json(await postChat(target, body, { path })));
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
    const { data } = await readSse(await postChat(target, streamed, { path }));
    for (const chunk of data.slice(0, -1)) check("textChunk", JSON.parse(chunk));
  }
});

test("counts, errors and models", async () => {
  const server = fakeServer();
  const target = inProcess(server.app);
  const count = async (path: string, body: unknown): Promise<Loose> =>
    json(await post(target, body, { path }));
  check("messageCount", await count("/v1/messages/count_tokens", HI));
  check("messageError", await count("/v1/messages/count_tokens", {}));
  check("messageError", await count("/v1/messages", "{"));
  server.phase = "loading";
  check("messageError", await count("/v1/messages", HI));
  server.phase = "ready";
  server.engine.script = () => ({
    text: "x",
    fail: { code: "evaluate-failed", message: "The GPU fell off." },
  });
  check("messageError", (await events(target, {})).at(-1));
  const models = await json(await target.fetch(new Request(`${target.url}/v1/models`)));
  for (const model of models.data) check("model", model);
});
