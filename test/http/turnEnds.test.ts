/** Where a turn begins and ends: the longest prompt, a reply that was overtaken, and no idle in between. */
import { expect, test } from "bun:test";
import { json, postChat, readSse } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

onEachTarget("a turn", (open) => {
  test("the longest prompt leaves room for one token", async () => {
    const messages = [{ role: "user", content: "x".repeat(200) }];
    for (const [ctxTokens, status] of [
      [206, 400],
      [207, 200],
    ] as const) {
      await using opened = open({ ready: { ctxTokens } });
      expect((await postChat(opened.target, { messages })).status).toBe(status);
    }
  });

  test("a reply whose conversation has moved on is not warmed", async () => {
    await using opened = open();
    const { engine, jobs } = opened.server;
    engine.script = () => ({ text: "slow", hold: "decode" });
    const messages = [{ role: "user", content: "x".repeat(200) }];
    const started = engine.nextRun();
    const first = postChat(opened.target, { messages });
    const run = await started;
    await run.held;
    engine.script = () => ({ text: "quick" });
    await json(await postChat(opened.target, { messages }));
    while (jobs.length === 0) await Bun.sleep(0);
    run.release();
    await json(await first);
    while (!opened.server.isIdle()) await Bun.sleep(0);
    expect(jobs.map(({ conversation, reply }) => [conversation.turn, reply.content])).toEqual([[2, "quick"]]);
  });

  for (const stream of [true, false]) {
    test(`is not idle between its last token and its job, ${stream ? "streamed" : "whole"}`, async () => {
      await using opened = open();
      const { server, target } = opened;
      const handed = new Promise<boolean>((resolve) => {
        server.onJob = () => resolve(server.isIdle());
      });
      const response = await postChat(target, { messages: USER, stream });
      if (stream) await readSse(response);
      else await response.json();
      expect(await handed).toBe(false);
      while (!server.isIdle()) await Bun.sleep(0);
    });
  }
});
