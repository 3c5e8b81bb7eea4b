import { expect, test } from "bun:test";
import { get, json, postChat } from "../support/httpClient.ts";
import { BAD_BODIES } from "./badBodies.ts";
import { onEachTarget, USER } from "./targets.ts";

onEachTarget("bad input", (open) => {
  test.each(BAD_BODIES)("$name is a 400 in OpenAI's form", async ({ body, field, says }) => {
    await using opened = open();
    const response = await postChat(opened.target, body);
    const { error } = await json(response);
    expect([response.status, error.type, error.param]).toEqual([400, "invalid_request_error", field]);
    expect(error.message).toContain(says);
    expect(error.message).not.toContain("    at ");
    expect(opened.server.engine.runs).toEqual([]);
    expect(opened.server.errors).toEqual([]);
  });

  test("what is empty, unknown or absurd and still means something is answered", async () => {
    await using opened = open();
    const call = { id: "1", type: "function", function: { name: "add", arguments: "{" } };
    const called = [
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "1" },
    ];
    for (const body of [
      { messages: [{ role: "user", content: "" }] },
      { messages: [{ role: "user", content: [] }] },
      { messages: [{ role: "system", content: "x" }] },
      { messages: [...USER, ...called, ...USER, ...called] },
      { messages: USER, tools: [], stop: [], logit_bias: {}, metadata: 5, store: "x", user: [] },
      { messages: USER, tools: null, tool_choice: null, stop: null, n: null, max_tokens: null, stream: null },
      { messages: USER, max_tokens: 1e15, seed: 1e30 },
      '\ufeff{"messages":[],"messages":[{"role":"user","content":"\\ud800\\u0000"}],"__proto__":{"n":2}}',
    ]) {
      expect([body, (await postChat(opened.target, body)).status]).toEqual([body, 200]);
    }
    expect(opened.server.errors).toEqual([]);
  });

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

  test("an empty prompt is refused before the engine sees it", async () => {
    await using opened = open({ rendersNothing: true });
    const response = await postChat(opened.target, { messages: USER });
    expect([response.status, (await json(response)).error.code]).toEqual([400, "template_refused"]);
    expect(opened.server.engine.runs).toEqual([]);
  });

  test("what the engine refuses is a status, streamed or not", async () => {
    await using opened = open();
    for (const stream of [true, false]) {
      opened.server.engine.script = () => ({
        refuse: { code: "grammar-invalid", message: "The grammar does not parse." },
      });
      const bad = await postChat(opened.target, { messages: USER, stream, grammar: "no" });
      expect(bad.status).toBe(400);
      expect((await json(bad)).error.code).toBe("invalid_grammar");
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

  test("content types: JSON comes as JSON; what any page may post unasked is not taken", async () => {
    await using opened = open();
    const post = (type: string): Promise<Response> =>
      postChat(opened.target, { messages: USER }, { headers: { "content-type": type } });
    for (const type of ["application/json; charset=utf-8", "application/vnd.api+json", "text/json"]) {
      expect((await post(type)).status).toBe(200);
    }
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const response = await post(type);
      const { error } = await json(response);
      expect([response.status, error.code]).toEqual([415, "unsupported_media_type"]);
      expect(error.message).toContain('"content-type: application/json"');
    }
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
