import { expect, test } from "bun:test";
import { blockedReader } from "../support/blockedReader.ts";
import type { FakeRun } from "../support/FakeEngine.ts";
import { fakeServer } from "../support/FakeServer.ts";
import { get, inProcess, json, listening, postChat, readSse } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

/** A run that nobody cancels must fail its test, not hang it. */
const CANCEL_MS_MAX = 3_000;

async function isCancelled(run: FakeRun): Promise<boolean> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, CANCEL_MS_MAX));
  await Promise.race([run.cancelled, late]);
  const cancelled = run.isCancelled;
  run.cancel();
  return cancelled;
}

/** The same question by each protocol. */
const ASKS = [
  { path: "/v1/chat/completions", body: { messages: USER } },
  { path: "/v1/messages", body: { max_tokens: 64, messages: USER } },
  { path: "/v1/responses", body: { input: "hi" } },
] as const;
const HOLDS = ["queue", "prefill", "decode"] as const;
const CASES = ASKS.flatMap((ask) =>
  HOLDS.flatMap((hold) => [true, false].map((stream) => ({ ...ask, hold, stream }))),
);

onEachTarget("a client that leaves", (open) => {
  for (const { path, body, hold, stream } of CASES) {
    test(`${path} in ${hold}, ${stream ? "streamed" : "whole"}: the run ends, nothing is warmed`, async () => {
      await using opened = open();
      const { engine, jobs } = opened.server;
      engine.script = () => ({ text: "hello", hold });
      const started = engine.nextRun();
      const leaving = new AbortController();
      const options = { path, signal: leaving.signal };
      const answer = postChat(opened.target, { ...body, stream }, options).then(
        async (response) => await response.text(),
        () => "left",
      );
      const run = await started;
      await run.held;
      leaving.abort();
      expect(await isCancelled(run)).toBe(true);
      await answer.catch(() => {});
      while (run.terminal === undefined) await Bun.sleep(0);
      expect(run.terminal.type).toBe("aborted");
      expect(jobs).toEqual([]);
      expect(engine.pending).toBe(0);
      expect(await json(await get(opened.target, "/health"))).toEqual({ status: "ok", warm: "idle" });
    });
  }

  test("a resend does not wait behind its dead twin", async () => {
    await using opened = open({ limits: { queueMax: 1 } });
    const { engine } = opened.server;
    engine.script = () => ({ text: "x", hold: "prefill" });
    const started = engine.nextRun();
    const leaving = new AbortController();
    const first = postChat(opened.target, { messages: USER }, { signal: leaving.signal }).catch(() => {});
    const run = await started;
    leaving.abort();
    expect(await isCancelled(run)).toBe(true);
    await first;
    while (engine.pending > 0) await Bun.sleep(0);
    engine.script = () => ({ text: "x" });
    expect((await postChat(opened.target, { messages: USER })).status).toBe(200);
  });
});

test("a client that leaves at the very end: what was not sent whole is not warmed", async () => {
  const server = fakeServer();
  const target = inProcess(server.app);
  const response = await postChat(target, { messages: USER, stream: true });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes('"finish_reason":"stop"')) text += decoder.decode((await reader?.read())?.value);
  await reader?.cancel();
  await new Promise((resolve) => setImmediate(resolve));
  expect(server.jobs).toEqual([]);
  expect(await json(await get(target, "/health"))).toEqual({ status: "ok", warm: "idle" });
});

for (const stream of [true, false]) {
  test(`the answer's last byte is gone before the reply is warmed, ${stream ? "streamed" : "whole"}`, async () => {
    const server = fakeServer();
    await using target = listening(server.app);
    using reader = await blockedReader();
    const seen = new Promise<boolean>((resolve) => {
      server.onJob = () => resolve(reader.seenEnd());
    });
    reader.post(`${target.url}/v1/chat/completions`, JSON.stringify({ messages: USER, stream }));
    expect(await seen).toBe(true);
  });
}

onEachTarget("the warm pass", (open) => {
  for (const stream of [true, false]) {
    test(`gets the reply after the answer has left, ${stream ? "streamed" : "whole"}`, async () => {
      await using opened = open();
      const { server, target } = opened;
      server.engine.script = () => ({ text: "<think>hm</think> hello \n" });
      const handed = new Promise<void>((resolve) => {
        server.onJob = () => setImmediate(resolve);
      });
      const response = await postChat(target, { messages: USER, stream });
      if (stream) {
        const { data } = await readSse(response);
        expect(data.at(-1)).toBe("[DONE]");
      } else await response.json();
      await handed;
      expect(server.jobs.length).toBe(1);
      expect(server.jobs[0]).toMatchObject({
        conversation: { turn: 1 },
        reply: { role: "assistant", content: "hello", reasoning: "hm", toolCalls: [] },
        habits: { reasoning: "unknown" },
      });
      expect(server.jobs[0]?.prompt).toBe(server.prompts[0] as never);
      const { warm } = await json(await get(target, "/health"));
      expect(warm).toBe("idle");
    });
  }

  test("gets nothing of an answer that was only prefilled", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "", reason: "prefilled" });
    const body = await json(await postChat(opened.target, { messages: USER, max_tokens: 0 }));
    expect(body.choices[0].finish_reason).toBe("length");
    expect(opened.server.engine.runs[0]?.spec.maxTokens).toBe(0);
    expect(opened.server.jobs).toEqual([]);
  });

  test("gets a reply that a stop string ended", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "one STOP two" });
    const handed = new Promise<void>((resolve) => {
      opened.server.onJob = () => resolve();
    });
    await postChat(opened.target, { messages: USER, stop: "STOP" }).then((response) => response.json());
    await handed;
    expect(opened.server.jobs[0]?.reply.content).toBe("one");
  });
});
