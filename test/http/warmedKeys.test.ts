/** What is warmed for a key's client is found by that client's next request, and by nobody else's. */
import { expect, test } from "bun:test";
import type { PromptInput } from "../../src/chat/Message.ts";
import { planJob } from "../../src/warm/planJob.ts";
import { postChat } from "../support/httpClient.ts";
import { onEachTarget } from "./targets.ts";

const RULES = { openers: [], userOpeners: [], chunkTokensMin: 32, chunkTokensMax: 64, tripTokensMin: 0 };
/** As the fake server renders. */
const renderer = {
  tokens: ({ messages }: PromptInput) => ({
    tokens: new Int32Array(
      new TextEncoder().encode(messages.map(({ role, content }) => `<${role}>${content}`).join("")),
    ),
  }),
  rawTokens: (): Int32Array => {
    throw new Error("all prompts here have messages");
  },
};

onEachTarget("warmed keys", (open) => {
  test("the next request's keys begin with those that were warmed for its tenant", async () => {
    await using opened = open({ apiKeys: ["key-one", "key-two"] });
    const { engine, jobs } = opened.server;
    engine.script = () => ({ text: "y".repeat(150) });
    const asked = [{ role: "user", content: "x".repeat(150) }];
    const echoed = [
      ...asked,
      { role: "assistant", content: "y".repeat(150) },
      { role: "user", content: "z" },
    ];
    for (const key of ["key-one", "key-two"]) {
      const headers = { authorization: `Bearer ${key}` };
      await (await postChat(opened.target, { messages: asked }, { headers })).text();
      while (jobs.length === 0) await Bun.sleep(0);
      await (await postChat(opened.target, { messages: echoed }, { headers })).text();
      while (jobs.length === 1) await Bun.sleep(0);
      const [job] = jobs.splice(0);
      if (job === undefined) throw new Error("no job");
      const warmed = planJob(job, renderer, RULES).runs[0];
      const next = engine.runs.at(-1)?.spec;
      const keys = [...(warmed?.plan.keys ?? [])];
      // 6 + 150 of the first message, 11 + 150 of the reply, and the next one's opener.
      expect(keys).toHaveLength(5);
      expect([...(next?.plan.keys.slice(0, keys.length) ?? [])]).toEqual(keys);
      expect(warmed?.tenant).toBe(next?.tenant ?? "none");
      expect(warmed?.conversation.id).toBe(next?.conversation.id ?? "none");
    }
    const [one, two] = [engine.runs[0]?.spec.plan.keys, engine.runs[2]?.spec.plan.keys];
    expect(two).toHaveLength(one?.length ?? 0);
    for (const key of one ?? []) expect(two?.includes(key)).toBe(false);
  });
});
