/** What `/completion` refuses, in llama-server's form. */
import { expect, test } from "bun:test";
import { get, json, postChat } from "../support/httpClient.ts";
import { BAD_COMPLETIONS } from "./badCompletions.ts";
import { onEachTarget } from "./targets.ts";

const path = "/completion";

onEachTarget("bad input to /completion", (open) => {
  test.each(BAD_COMPLETIONS)("%s is a 400", async (_, body, param, says) => {
    await using opened = open();
    const response = await postChat(opened.target, body, { path });
    const { error } = await json(response);
    expect([response.status, error.code, error.type, error.param]).toEqual([
      400,
      400,
      "invalid_request_error",
      param,
    ]);
    expect(error.message).toContain(says);
    expect(opened.server.engine.runs).toEqual([]);
    expect(opened.server.errors).toEqual([]);
  });

  test("an over-long prompt names both numbers, as llama-server does", async () => {
    await using opened = open({ ready: { ctxTokens: 100 } });
    const response = await postChat(opened.target, { prompt: "x".repeat(100) }, { path });
    expect([response.status, (await json(response)).error]).toMatchObject([
      400,
      { type: "exceed_context_size_error", n_prompt_tokens: 100, n_ctx: 100, param: "prompt" },
    ]);
    expect((await postChat(opened.target, { prompt: "x".repeat(99) }, { path })).status).toBe(200);
    const second = await postChat(opened.target, { prompt: ["x", "x".repeat(100)] }, { path });
    expect((await json(second)).error.param).toBe("prompt[1]");
    expect(opened.server.engine.runs).toHaveLength(1);
  });

  test("no UTF-8, another content type, another method, no key", async () => {
    await using opened = open({ apiKeys: ["one"] });
    const headers = { authorization: "Bearer one" };
    const send = (init: RequestInit): Promise<Response> =>
      opened.target.fetch(new Request(`${opened.target.url}${path}`, { method: "POST", ...init }));
    expect((await send({ headers, body: Uint8Array.of(0x22, 0xff) })).status).toBe(400);
    const type = { ...headers, "content-type": "multipart/form-data; boundary=x" };
    expect((await send({ headers: type, body: "x" })).status).toBe(415);
    const wrong = await get(opened.target, path);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    const keyless = await postChat(opened.target, { prompt: "x" }, { path });
    expect([keyless.status, (await json(keyless)).error]).toMatchObject([
      401,
      { code: 401, type: "authentication_error" },
    ]);
  });

  test("more prompts than there is room for", async () => {
    await using opened = open({ limits: { queueMax: 2 } });
    const response = await postChat(opened.target, { prompt: ["a", "b", "c"] }, { path });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "2"]);
    expect(opened.server.engine.runs).toEqual([]);
  });
});
