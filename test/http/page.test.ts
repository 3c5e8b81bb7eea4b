/** The page and what it asks for: one file that may load nothing foreign, and each key's own turns. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { get, json, type Loose, postChat } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

const PAGE_BYTES_MAX = 150 * 1024;
const SECRET = "zebra-4711";

const keyed = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

onEachTarget("the page", (open) => {
  test("is one file without a foreign address, served without a key and while the model loads", async () => {
    await using opened = open({ apiKeys: ["one"] });
    opened.server.phase = "loading";
    const answer = await get(opened.target, "/");
    const html = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"]);
    expect(Buffer.byteLength(html)).toBeLessThan(PAGE_BYTES_MAX);
    expect(html).not.toMatch(/https?:|\/\/[a-z]|@import|url\(|<script[^>]*src=|<link[^>]*stylesheet/i);
    const head = await get(opened.target, "/", { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(Buffer.byteLength(html))]);
    expect(await head.text()).toBe("");
  });

  test("may run only its own script, and ask only its own server", async () => {
    await using opened = open();
    const answer = await get(opened.target, "/");
    const html = await answer.text();
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")[0]).toBe("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toContain("unsafe");
    for (const [, , text = ""] of html.matchAll(/<(script|style)[^>]*>([\s\S]*?)<\/\1>/g)) {
      expect(policy).toContain(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    }
    expect(html).not.toMatch(/ on[a-z]+=| style=/);
  });

  test("is told each turn's tokens, and none of its text", async () => {
    await using opened = open();
    await postChat(opened.target, { messages: [{ role: "user", content: SECRET }] });
    const text = await (await get(opened.target, "/warmturn/live")).text();
    expect(text).not.toContain(SECRET);
    const { turns, running, waiting } = JSON.parse(text);
    expect([running, waiting, turns.length]).toEqual([0, 0, 1]);
    const [{ id, conversation, end, prompt, resumed, prefilled }] = turns;
    expect({ id, conversation, end }).toEqual({ id: 1, conversation: 1, end: "done" });
    expect(resumed + prefilled).toBe(prompt);
  });

  test("a key is told its own turns, counts and conversations alone", async () => {
    await using opened = open({ apiKeys: ["mine", "other"], ready: { lanes: 2 } });
    const live = async (key: string): Promise<Loose> =>
      await json(await get(opened.target, "/warmturn/live", { headers: keyed(key) }));
    for (const content of ["a", "b", "c"]) {
      const messages = [{ role: "user", content }];
      await (await postChat(opened.target, { messages }, { headers: keyed("mine") })).text();
    }
    expect((await live("mine")).turns.map(({ id }: Loose) => id)).toEqual([3, 2, 1]);
    const { turns, totals, memory, lanes } = await live("other");
    expect([turns, totals]).toEqual([[], { resumed: 0, prefilled: 0, generated: 0 }]);
    expect(memory.process).toBe(null);
    expect(lanes.map(({ own }: Loose) => own)).toEqual([null, null]);
    await (await postChat(opened.target, { messages: USER }, { headers: keyed("other") })).text();
    expect((await live("other")).turns).toMatchObject([{ id: 1, conversation: 1 }]);
    expect((await get(opened.target, "/warmturn/live")).status).toBe(401);
  });

  test("of another key's request that runs no more is told than that a lane is busy", async () => {
    await using opened = open({ apiKeys: ["mine", "other"], ready: { lanes: 2 } });
    const { engine } = opened.server;
    engine.script = () => ({ text: "abc", hold: "decode" });
    const started = engine.nextRun();
    const answer = postChat(opened.target, { messages: USER }, { headers: keyed("mine") });
    const run = await started;
    await run.held;
    const lanes = async (key: string): Promise<Loose> =>
      (await json(await get(opened.target, "/warmturn/live", { headers: keyed(key) }))).lanes;
    expect((await lanes("other"))[0]).toEqual({ busy: true, own: null });
    expect((await lanes("mine"))[0]).toMatchObject({ busy: true, own: { conversation: null } });
    run.release();
    await answer;
  });

  test("the live view is off where /slots is", async () => {
    await using opened = open({ endpoints: { slots: false, metrics: false } });
    const answer = await get(opened.target, "/warmturn/live");
    expect([answer.status, (await json(answer)).error.message]).toEqual([
      501,
      "The live view is off. Start the server without `--no-slots`.",
    ]);
  });
});
