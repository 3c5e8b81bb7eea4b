/** A hub on a bad day: dropped, slow, out of order; what is taken up again, and what is given up. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { sha256 } from "../../support/FakeHub.ts";
import { PullRig } from "../../support/PullRig.ts";

const REPO = "owner/Model-GGUF";
const NAME = "m-Q4_K_M.gguf";
/** More than one piece of a connection. */
const SIZE = 300_000;
const AT_40 = SIZE * 0.4;

const parts = (rig: PullRig): readonly string[] => rig.files().filter((path) => path.includes("/.parts/"));

describe("a bad day", () => {
  test("a connection dropped at 40 % is taken up there", async () => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    const { model } = await rig.pull(REPO);
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
    expect(rig.hub.ranges).toEqual([undefined, `bytes=${AT_40}-`]);
    expect(rig.hub.seen.at(-1)?.ifRange).toMatch(/^"[0-9a-f]+"$/);
    expect(rig.waits).toEqual([1000]);
    expect(rig.notes).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+ broke the connection \(.+\); trying again in 1 s$/),
    ]);
  });

  test("what a broken run left is taken up by the next one", async () => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    expect((await rig.refused(REPO, { triesMax: 1 })).message).toEndWith(
      "run the same command again to go on from there.",
    );
    expect(rig.files()).toEqual(
      [sha256(bytes)].flatMap((hash) => [`${REPO}/.parts/${hash}.json`, `${REPO}/.parts/${hash}.part`]),
    );
    expect(rig.cache.unfinished()).toMatchObject([{ model: `hf:${REPO}:Q4_K_M`, bytes: AT_40, size: SIZE }]);
    const { model } = await rig.pull(REPO);
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
    expect(rig.hub.ranges.at(-1)).toBe(`bytes=${AT_40}-`);
    expect(rig.begun.at(-1)).toBe(`${NAME} ${AT_40}/${SIZE}`);
    expect(parts(rig)).toEqual([]);
  });

  test("tries that bring nothing end; ones that bring something go on", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push(...Array.from({ length: 8 }, () => ({ kind: "drop", at: 20_000 }) as const));
    await rig.pull(REPO);
    expect(rig.waits).toEqual(Array.from({ length: 8 }, () => 1000));
    rig.hub.add("m-Q8_0.gguf", SIZE);
    rig.hub.fileFaults.push(...Array.from({ length: 9 }, () => ({ kind: "status", status: 503 }) as const));
    rig.waits.length = 0;
    expect(await rig.refused(`${REPO}:Q8_0`)).toMatchObject({ code: "broken" });
    expect(rig.waits).toEqual([1000, 2000, 4000, 8000]);
  });

  test("429 waits as long as it is asked to", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, 1000);
    rig.hub.listFaults.push({ kind: "status", status: 429, headers: { "retry-after": "7" } });
    const ratelimit = '"resolvers";r=0;t=55';
    rig.hub.fileFaults.push({ kind: "status", status: 429, headers: { ratelimit } });
    await rig.pull(REPO);
    expect(rig.waits).toEqual([7000, 55_000]);
    expect(rig.notes[0]).toEndWith("allows no more requests for now; trying again in 7 s");
  });

  test("429 for longer than five minutes is said at once", async () => {
    await using rig = await PullRig.start();
    rig.hub.listFaults.push({ kind: "status", status: 429, headers: { "retry-after": "3600" } });
    const { code, message } = await rig.refused(REPO);
    expect([code, rig.waits]).toEqual(["rate-limited", []]);
    expect(message).toEndWith("try again later, or set HF_TOKEN: the limit is higher with one.");
  });

  test("a server that stands still is given up, and asked again", async () => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    rig.hub.listFaults.push({ kind: "hold", at: 0 });
    rig.hub.fileFaults.push({ kind: "hold", at: 0 }, { kind: "hold", at: AT_40 });
    const { model } = await rig.pull(REPO, { answerMsMax: 200, stallMsMax: 200, triesMax: 50 });
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
    expect(rig.hub.ranges).toContain(`bytes=${AT_40}-`);
    expect(
      rig.notes.filter((note) => /sent nothing|does not answer/.test(note)).length,
    ).toBeGreaterThanOrEqual(3);
  });

  test("a slow server is waited for, as long as something comes", async () => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "pieces", count: 8 });
    const pause = 30;
    const slow = rig.hub.received.bind(rig.hub);
    rig.hub.received = (got) => void setTimeout(() => slow(got), pause);
    const started = performance.now();
    // Longer than any pause, and shorter than all of them together.
    const { model } = await rig.pull(REPO, { stallMsMax: 6 * pause, triesMax: 1 });
    expect(performance.now() - started).toBeGreaterThan(7 * pause);
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
    expect([rig.notes, rig.hub.ranges]).toEqual([[], [undefined]]);
  });

  test("an address that has become too old is asked for again", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "status", status: 403 });
    expect((await rig.pull(REPO)).fetched).toBe(true);
    expect(rig.notes).toEqual([
      expect.stringContaining(`does not send ${REPO}/${NAME} (status 403); trying again`),
    ]);
  });

  test("nobody listens", async () => {
    await using rig = await PullRig.start();
    await rig.hub[Symbol.asyncDispose]();
    const { code, message } = await rig.refused(REPO);
    expect([code, rig.waits, rig.files()]).toEqual(["unreachable", [], []]);
    expect(message).toMatch(/^127\.0\.0\.1:\d+ cannot be reached \(.+\); check the network, or HF_ENDPOINT/);
  });

  test("redirects that never end, and a list that is none", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, 1000);
    rig.hub.fileFaults.push({ kind: "loop" });
    expect((await rig.refused(REPO)).message).toContain("redirects more than 10 times");
    const html = Bun.serve({ port: 0, fetch: () => new Response("<html>") });
    try {
      const endpoint = html.url.href.replace(/\/$/, "");
      expect((await rig.refused(REPO, { endpoint })).message).toContain("gives no list of files");
    } finally {
      await html.stop(true);
    }
  });

  test.each([
    ["no hash", { type: "file", path: NAME, size: SIZE }],
    ["a path that leaves its folder", { type: "file", path: `../${NAME}`, size: SIZE, oid: "a".repeat(40) }],
  ])("models that are listed with %s are not taken for none", async (_, entry) => {
    await using rig = await PullRig.start();
    const list = Bun.serve({ port: 0, fetch: () => Response.json([entry]) });
    try {
      const endpoint = list.url.href.replace(/\/$/, "");
      const { code, message } = await rig.refused(REPO, { endpoint });
      expect([code, message]).toEqual([
        "not-a-hub",
        expect.stringContaining(`lists "${entry.path}" of ${REPO} without a size and hash`),
      ]);
      expect(rig.files()).toEqual([]);
    } finally {
      await list.stop(true);
    }
  });
});
