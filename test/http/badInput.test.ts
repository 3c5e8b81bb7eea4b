import { expect, test } from "bun:test";
import { get, json, postChat } from "../support/httpClient.ts";
import { ADD_TOOL, onEachTarget, USER } from "./targets.ts";

/** Body, field that is named (`param`), what the message says. */
const CASES: readonly (readonly [string, unknown, string | null, string])[] = [
  ["no body", "", null, "body is empty"],
  ["no JSON", "{", null, "not valid JSON"],
  ["text behind", "{} x", null, "not valid JSON"],
  ["no object", "[]", "body", "must be an object, not an array"],
  ["no messages", {}, "messages", "must be an array"],
  ["messages of the wrong type", { messages: "hi" }, "messages", "must be an array, not a string"],
  ["empty messages", { messages: [] }, "messages", "at least one message"],
  ["an unknown role", { messages: [{ role: "robot", content: "x" }] }, "messages[0].role", ""],
  ["a message that is none", { messages: [1] }, "messages[0]", "must be an object"],
  [
    "a tool result without its call",
    { messages: [...USER, { role: "tool", tool_call_id: "no", content: "x" }] },
    "messages[1].tool_call_id",
    "",
  ],
  [
    "an image",
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] }] },
    "messages[0].content[0]",
    "",
  ],
  ["several replies", { messages: USER, n: 2 }, "n", "must be 1"],
  [
    "a temperature in words",
    { messages: USER, temperature: "hot" },
    "temperature",
    "must be a number, not a string",
  ],
  ["top_p above 1", { messages: USER, top_p: 1.5 }, "top_p", "from 0 to 1, not 1.5"],
  ["top_k with a fraction", { messages: USER, top_k: 1.5 }, "top_k", "whole number"],
  ["max_tokens below -1", { messages: USER, max_tokens: -2 }, "max_tokens", "at least -1"],
  [
    "an endless number",
    '{"messages":[{"role":"user","content":"x"}],"temperature":1e999}',
    "temperature",
    "",
  ],
  ["stream in words", { messages: USER, stream: "yes" }, "stream", "must be true or false"],
  ["stop of numbers", { messages: USER, stop: ["a", 1] }, "stop[1]", "must be a string"],
  ["too many stops", { messages: USER, stop: Array(17).fill("x") }, "stop", "at most 16"],
  ["a bias for no token", { messages: USER, logit_bias: { 256: 1 } }, "logit_bias[256]", "from 0 to 255"],
  ["a bias for a word", { messages: USER, logit_bias: { yes: 1 } }, "logit_bias[yes]", "token id"],
  ["tools of the wrong type", { messages: USER, tools: {} }, "tools", "must be an array"],
  [
    "a tool without a name",
    { messages: USER, tools: [{ type: "function", function: {} }] },
    "tools[0].function.name",
    "",
  ],
  ["an unknown choice", { messages: USER, tool_choice: "maybe" }, "tool_choice", "required"],
  [
    "a forced call without tools",
    { messages: USER, tool_choice: "required" },
    "tool_choice",
    "`tools` is empty",
  ],
  [
    "a forced call of an unknown tool",
    { messages: USER, tools: [ADD_TOOL], tool_choice: { type: "function", function: { name: "sub" } } },
    "tool_choice.function.name",
    "not among the tools: add",
  ],
  [
    "a grammar and a forced call",
    { messages: USER, tools: [ADD_TOOL], tool_choice: "required", grammar: "root ::= [a]" },
    "grammar",
    "cannot be combined",
  ],
  [
    "a schema",
    { messages: USER, response_format: { type: "json_schema" } },
    "response_format.type",
    "grammar",
  ],
  [
    "kwargs of the wrong type",
    { messages: USER, chat_template_kwargs: 1 },
    "chat_template_kwargs",
    "must be an object",
  ],
  [
    "thinking in words",
    { messages: USER, chat_template_kwargs: { enable_thinking: "no" } },
    "chat_template_kwargs.enable_thinking",
    "must be true or false",
  ],
  ["a model that is no name", { messages: USER, model: 5 }, "model", "must be a string"],
];

onEachTarget("bad input", (open) => {
  test.each(CASES.map(([name, body, field, says]) => ({ name, body, field, says })))(
    "$name is a 400 in OpenAI's form",
    async ({ body, field, says }) => {
      await using opened = open();
      const response = await postChat(opened.target, body);
      const { error } = await json(response);
      expect([response.status, error.type, error.param]).toEqual([400, "invalid_request_error", field]);
      expect(error.message).toContain(says);
      expect(error.message).not.toContain("    at ");
      expect(opened.server.engine.runs).toEqual([]);
      expect(opened.server.errors).toEqual([]);
    },
  );

  test("JSON that is too deep", async () => {
    await using opened = open();
    const response = await postChat(opened.target, `{"messages":${"[".repeat(100_000)}`);
    expect(response.status).toBe(400);
  });

  test("bytes that are no UTF-8", async () => {
    await using opened = open();
    const request = new Request(`${opened.target.url}/v1/chat/completions`, {
      method: "POST",
      body: Uint8Array.of(0x22, 0xff, 0x22),
    });
    expect((await opened.target.fetch(request)).status).toBe(400);
  });

  test("an over-long prompt names both numbers", async () => {
    await using opened = open({ ready: { ctxTokens: 100 } });
    const response = await postChat(opened.target, {
      messages: [{ role: "user", content: "x".repeat(200) }],
    });
    const { error } = await json(response);
    expect(response.status).toBe(400);
    expect(error).toMatchObject({ code: "context_length_exceeded", type: "invalid_request_error" });
    expect(error.message).toContain("prompt is too long: 206 tokens > 99 maximum");
  });

  test("what the engine refuses is a status, streamed or not", async () => {
    await using opened = open();
    for (const stream of [true, false]) {
      opened.server.engine.script = () => ({
        refuse: { code: "grammar-invalid", message: "The grammar does not parse." },
      });
      const bad = await postChat(opened.target, { messages: USER, stream, grammar: "no" });
      expect([bad.status, (await json(bad)).error.code]).toEqual([400, "invalid_grammar"]);
      opened.server.engine.script = () => ({ refuse: { code: "queue-full", message: "The queue is full." } });
      const full = await postChat(opened.target, { messages: USER, stream });
      expect([full.status, full.headers.get("retry-after")]).toEqual([429, "2"]);
    }
    expect(opened.server.jobs).toEqual([]);
  });

  test("a body above the limit, with and without its length", async () => {
    await using opened = open({ limits: { bodyBytesMax: 1000 } });
    const big = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(2000) }] });
    const named = await postChat(opened.target, big);
    expect([named.status, (await json(named)).error.code]).toEqual([413, "request_too_large"]);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(big));
        controller.close();
      },
    });
    const request = new Request(`${opened.target.url}/v1/chat/completions`, { method: "POST", body: stream });
    expect((await opened.target.fetch(request)).status).toBe(413);
  });

  test("content types: what clients mean is taken, what is something else is not", async () => {
    await using opened = open();
    const post = (type: string): Promise<Response> =>
      postChat(opened.target, { messages: USER }, { headers: { "content-type": type } });
    for (const type of [
      "application/json; charset=utf-8",
      "text/plain",
      "application/x-www-form-urlencoded",
    ]) {
      expect((await post(type)).status).toBe(200);
    }
    const response = await post("multipart/form-data; boundary=x");
    expect([response.status, (await json(response)).error.code]).toEqual([415, "unsupported_media_type"]);
    const bare = new Request(`${opened.target.url}/v1/chat/completions`, {
      method: "POST",
      body: new TextEncoder().encode(JSON.stringify({ messages: USER })),
    });
    expect((await opened.target.fetch(bare)).status).toBe(200);
  });

  test("foreign paths and methods answer in JSON", async () => {
    await using opened = open();
    const missing = await get(opened.target, "/v1/nothing");
    expect([missing.status, (await json(missing)).error.code]).toEqual([404, "not_found"]);
    const wrong = await get(opened.target, "/v1/chat/completions");
    expect([wrong.status, (await json(wrong)).error.code, wrong.headers.get("allow")]).toEqual([
      405,
      "method_not_allowed",
      "POST",
    ]);
  });
});
