import { expect, test } from "bun:test";
import { FAKE_MODEL } from "../support/FakeServer.ts";
import { get, json, postChat } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

onEachTarget("server", (open) => {
  test("models, in both list shapes", async () => {
    await using opened = open();
    for (const path of ["/v1/models", "/models"]) {
      const body = await json(await get(opened.target, path));
      expect(body).toMatchObject({
        object: "list",
        has_more: false,
        first_id: FAKE_MODEL,
        last_id: FAKE_MODEL,
        data: [
          {
            id: FAKE_MODEL,
            object: "model",
            type: "model",
            display_name: FAKE_MODEL,
            owned_by: "warmturn",
            meta: { n_vocab: 256, n_ctx: 4096, n_ctx_train: 8192, n_embd: 64, n_params: 500, size: 1000 },
          },
        ],
      });
    }
    expect((await get(opened.target, `/v1/models/${FAKE_MODEL}`)).status).toBe(200);
    const other = await get(opened.target, "/v1/models/other");
    expect([other.status, (await json(other)).error.code]).toEqual([404, "model_not_found"]);
  });

  test("--strict-model", async () => {
    await using opened = open({ strict: true });
    expect((await postChat(opened.target, { model: FAKE_MODEL, messages: USER })).status).toBe(200);
    const other = await postChat(opened.target, { model: "gpt", messages: USER });
    expect([other.status, (await json(other)).error.code]).toEqual([404, "model_not_found"]);
    const unnamed = await postChat(opened.target, { messages: USER });
    expect([unnamed.status, (await json(unnamed)).model]).toEqual([200, FAKE_MODEL]);
  });

  test("health", async () => {
    await using opened = open();
    const health = async (): Promise<unknown> => {
      const response = await get(opened.target, "/health");
      return [response.status, await json(response)];
    };
    expect(await health()).toEqual([200, { status: "ok", warm: "idle" }]);
    opened.server.engine.warm = "working";
    expect(await health()).toEqual([200, { status: "ok", warm: "working" }]);
    opened.server.phase = "loading";
    const error = { code: "model_loading", message: "The model is still loading." };
    expect(await health()).toMatchObject([503, { status: "loading", error }]);
    expect((await get(opened.target, "/health", { method: "HEAD" })).status).toBe(503);
  });

  test("HEAD wherever GET is, without the body", async () => {
    await using opened = open();
    for (const [path, status] of [
      ["/health", 200],
      ["/v1/models", 200],
      ["/v1/models/other", 404],
      ["/docs", 200],
      ["/", 200],
      ["/api/hello", 200],
      ["/nothing", 404],
      ["/v1/chat/completions", 405],
    ] as const) {
      const response = await get(opened.target, path, { method: "HEAD" });
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get("x-request-id")).toStartWith("req_");
      expect(await response.text()).toBe("");
    }
  });

  test("a foreign method is told the right ones, a foreign path that there is nothing", async () => {
    await using opened = open();
    for (const [method, path, allow] of [
      ["POST", "/health", "GET, HEAD"],
      ["DELETE", "/v1/models/x", "GET, HEAD"],
      ["PUT", "/v1/responses/x", "GET, HEAD, DELETE"],
      ["GET", "/v1/chat/completions", "POST"],
      ["POST", "/", "GET, HEAD"],
      ["GET", "/api/hello", "HEAD"],
    ] as const) {
      const response = await get(opened.target, path, { method });
      expect([path, response.status, response.headers.get("allow")]).toEqual([path, 405, allow]);
      expect((await json(response)).error.code).toBe("method_not_allowed");
    }
    const foreign = await get(opened.target, "/v1/nothing/x");
    expect([foreign.status, (await json(foreign)).error.message]).toEqual([
      404,
      "There is nothing at /v1/nothing/x.",
    ]);
  });

  test("while loading and while closing", async () => {
    await using opened = open();
    for (const [phase, code] of [
      ["loading", "model_loading"],
      ["closing", "shutting_down"],
    ] as const) {
      opened.server.phase = phase;
      const response = await postChat(opened.target, { messages: USER });
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
      expect((await json(response)).error.code).toBe(code);
    }
  });

  test("API keys: bearer or x-api-key, each a tenant of its own", async () => {
    await using opened = open({ apiKeys: ["one", "two"] });
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await postChat(opened.target, { messages: USER }, { headers })).status;
    const refused = await postChat(opened.target, { messages: USER });
    expect([refused.status, (await json(refused)).error.code]).toEqual([401, "invalid_api_key"]);
    expect(await status({ authorization: "Bearer three" })).toBe(401);
    expect(await status({ authorization: "Basic one" })).toBe(401);
    expect(await status({ authorization: "Bearer one" })).toBe(200);
    expect(await status({ "x-api-key": "one" })).toBe(200);
    expect(await status({ authorization: "bearer two" })).toBe(200);
    expect(await status({ authorization: "Bearer none", "x-api-key": "two" })).toBe(200);
    const { runs } = opened.server.engine;
    expect(runs[0]?.spec.tenant).toBe(runs[1]?.spec.tenant ?? "");
    expect(runs[2]?.spec.tenant).not.toBe(runs[0]?.spec.tenant ?? "");
    expect(runs[2]?.spec.conversation.id).not.toBe(runs[0]?.spec.conversation.id ?? "");
    expect(runs[3]?.spec.tenant).toBe(runs[2]?.spec.tenant ?? "");
    expect(runs.some((run) => run.spec.tenant.includes("one"))).toBe(false);
    expect((await get(opened.target, "/v1/models")).status).toBe(401);
    expect((await get(opened.target, "/health")).status).toBe(200);
  });

  test("the log tells keys by name, and never a key", async () => {
    await using opened = open({ apiKeys: ["s3cret", "other"] });
    const { server, target } = opened;
    await postChat(target, { messages: USER }, { headers: { authorization: "Bearer s3cret" } });
    await postChat(target, { messages: USER }, { headers: { "x-api-key": "unknown-one" } });
    await get(target, "/v1/models");
    expect(server.lines.map((line) => "key" in line && line.key)).toEqual(["name-of-s3cret", false, false]);
    const logged = JSON.stringify([server.lines, server.notes, server.errors]);
    expect(logged.replaceAll("name-of-s3cret", "")).not.toContain("s3cret");
    expect(logged).not.toContain("unknown-one");
  });

  test("request ids are in the headers and in the log", async () => {
    await using opened = open();
    const own = { "x-request-id": "mine-1" };
    const paths = ["/health", "/v1/models", "/nothing", "/v1/messages"];
    for (const path of paths) {
      const response = await get(opened.target, path, { headers: own });
      expect([response.headers.get("x-request-id"), response.headers.get("request-id")]).toEqual([
        "mine-1",
        "mine-1",
      ]);
    }
    const stream = await postChat(opened.target, { messages: USER, stream: true }, { headers: own });
    expect(stream.headers.get("x-request-id")).toBe("mine-1");
    await stream.text();
    // That of /health is for debugging.
    expect(opened.server.lines).toMatchObject(paths.map(() => ({ id: "mine-1" })));
  });

  test("request ids that are not sane are replaced", async () => {
    await using opened = open();
    const id = async (sent?: string): Promise<string | null> =>
      (
        await get(opened.target, "/health", sent === undefined ? {} : { headers: { "x-request-id": sent } })
      ).headers.get("x-request-id");
    expect(await id("abc-1")).toBe("abc-1");
    expect(await id("x".repeat(200))).toStartWith("req_");
    expect(await id()).toStartWith("req_");
    expect((await get(opened.target, "/nothing")).headers.get("x-request-id")).toStartWith("req_");
  });

  test("above the queue's limit it is a 429", async () => {
    await using opened = open({ limits: { queueMax: 1 } });
    const { engine } = opened.server;
    engine.script = () => ({ text: "x", hold: "prefill" });
    const started = engine.nextRun();
    const first = postChat(opened.target, { messages: USER });
    const run = await started;
    const second = await postChat(opened.target, { messages: USER });
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "2"]);
    run.release();
    expect((await first).status).toBe(200);
  });
});
