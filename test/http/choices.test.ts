/** Several replies to one request: one prompt, one conversation, seeds that count up, each choice by its index. */
import { expect, test } from "bun:test";
import { collect, json, type Loose, postChat, streamChat } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

const TEXTS = ["first", "the second", "3"];

onEachTarget("several choices", (open) => {
  test("whole: in their order, with their own seeds, and usage together", async () => {
    await using opened = open();
    const { engine, jobs, prompts } = opened.server;
    engine.script = ({ sampling }) => ({ text: TEXTS[(sampling?.seed ?? 0) - 7] ?? "" });
    const body = await json(await postChat(opened.target, { messages: USER, n: 3, seed: 7 }));
    expect(body.choices.map((one: Loose) => [one.index, one.message.content, one.finish_reason])).toEqual(
      TEXTS.map((text, index) => [index, text, "stop"]),
    );
    expect(prompts).toHaveLength(1);
    const [first, ...others] = engine.runs.map(({ spec }) => spec);
    for (const spec of others) {
      expect(spec).toMatchObject({ plan: first?.plan, conversation: first?.conversation });
    }
    const promptTokens = first?.plan.tokens.length ?? 0;
    const completion = TEXTS.join("").length;
    expect(body.usage).toMatchObject({
      prompt_tokens: promptTokens,
      completion_tokens: completion,
      total_tokens: promptTokens + completion,
    });
    expect(body.choices.map((one: Loose) => "warmturn" in one)).toEqual([false, true, true]);
    // The first is what a client goes on from.
    await Bun.sleep(0);
    expect(jobs).toHaveLength(1);
    expect(jobs[0]).toMatchObject({ reply: { content: "first" }, conversation: { turn: 1 } });
  });

  test("streamed: the same choices, one finish each, and one usage at the end", async () => {
    await using opened = open();
    opened.server.engine.script = ({ sampling }) => ({ text: TEXTS[(sampling?.seed ?? 0) - 7] ?? "" });
    const body = { messages: USER, n: 3, seed: 7, stream_options: { include_usage: true } };
    const chunks = await streamChat(opened.target, body);
    for (const [index, text] of TEXTS.entries()) {
      const own = chunks.filter((chunk) => chunk.choices[0]?.index === index);
      expect(collect(own)).toMatchObject({ role: "assistant", content: text, finishes: ["stop"] });
      expect(own.at(-1)).toMatchObject({ warmturn: {}, timings: {} });
    }
    expect(chunks.filter((chunk) => "usage" in chunk)).toEqual([chunks.at(-1) as object]);
    expect(chunks.at(-1)?.usage.completion_tokens).toBe(TEXTS.join("").length);
  });

  test("one that is refused refuses all, with a status, and ends the others", async () => {
    await using opened = open();
    const { engine } = opened.server;
    engine.script = ({ sampling }) =>
      sampling?.seed === 9
        ? { refuse: { code: "queue-full", message: "full" } }
        : { text: "never sent", hold: "decode" };
    for (const stream of [false, true]) {
      const response = await postChat(opened.target, { messages: USER, n: 3, seed: 7, stream });
      expect(response.status).toBe(429);
    }
    expect(engine.runs.map(({ isCancelled, spec }) => isCancelled || spec.sampling?.seed === 9)).toEqual(
      Array(6).fill(true),
    );
  });

  test("one that fails ends the stream with one error", async () => {
    await using opened = open();
    opened.server.engine.script = ({ sampling }) =>
      sampling?.seed === 8
        ? { text: "x", fail: { code: "evaluate-failed", message: "broken" } }
        : { text: "never sent", hold: "decode" };
    const whole = await postChat(opened.target, { messages: USER, n: 2, seed: 7 });
    expect(whole.status).toBe(500);
    await expect(streamChat(opened.target, { messages: USER, n: 2, seed: 7 })).rejects.toThrow("broken");
    for (const run of opened.server.engine.runs.filter(({ spec }) => spec.sampling?.seed === 7)) {
      await run.cancelled;
    }
  });

  test("more than the queue holds is a 429", async () => {
    await using opened = open({ limits: { queueMax: 4 } });
    const refused = await postChat(opened.target, { messages: USER, n: 5 });
    expect(refused.status).toBe(429);
    expect(opened.server.engine.runs).toHaveLength(0);
    expect((await postChat(opened.target, { messages: USER, n: 4 })).status).toBe(200);
  });

  test("a client that leaves ends them all", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "x", hold: "decode" });
    const controller = new AbortController();
    const started = [opened.server.engine.nextRun()];
    const response = postChat(
      opened.target,
      { messages: USER, n: 3, stream: true },
      { signal: controller.signal },
    );
    await Promise.all(started);
    await response;
    controller.abort();
    await Promise.all(opened.server.engine.runs.map((run) => run.cancelled));
    expect(opened.server.engine.runs).toHaveLength(3);
    expect(opened.server.jobs).toHaveLength(0);
  });
});
