/** The port is open before the model is loaded: clients get a 503 they can wait for, and the docs. */
import { expect, test } from "bun:test";
import { StartError } from "../../src/base/StartError.ts";
import { readConfig } from "../../src/config/Config.ts";
import { LoadProgress } from "../../src/engine/LoadProgress.ts";
import { startServer } from "../../src/start/startServer.ts";
import { json, postChat } from "../support/httpClient.ts";
import { USER } from "./targets.ts";

test("while the model loads, and when it cannot be loaded", async () => {
  const listening = Promise.withResolvers<string>();
  const loading = Promise.withResolvers<never>();
  const silent = (): void => {};
  const debug = (fields: object): void => {
    if ("url" in fields && typeof fields.url === "string") listening.resolve(fields.url);
  };
  const config = readConfig(["-m", "some.gguf", "--port", "0"], {});
  const watch = {
    log: { debug, info: silent, warn: silent, error: silent },
    progress: new LoadProgress("some.gguf"),
    onCrash: silent,
  };
  const started = startServer(config, watch, () => loading.promise);
  const ended = started.catch((error: unknown) => error);
  const url = await listening.promise;

  const health = await fetch(`${url}/health`);
  expect([health.status, health.headers.get("retry-after"), await json(health)]).toMatchObject([
    503,
    "2",
    { status: "loading", error: { code: "model_loading" } },
  ]);
  const target = { name: "command", url, fetch, async [Symbol.asyncDispose]() {} };
  for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"]) {
    const answer = await postChat(target, { messages: USER }, { path });
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "2"]);
    await answer.text();
  }
  expect((await fetch(`${url}/docs`)).status).toBe(200);

  loading.reject(new StartError("It cannot be read."));
  expect(await ended).toMatchObject({ name: "StartError", message: "It cannot be read." });
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});
