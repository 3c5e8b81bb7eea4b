/** What the loop promises of requests: order, chunks, one end each, limits, errors. */
import { describe, expect, test } from "bun:test";
import { DeviceError } from "../../../src/run/Device.ts";
import type { EngineEvent } from "../../../src/run/EngineEvent.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness, GREEDY } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const plan = (salt: number, length = 100) => makePlan("dense", prompt(words(salt, length), user(salt, 20)));

function types(events: readonly EngineEvent[]): string[] {
  return events.map((event) => event.type);
}

describe("one end for each run", () => {
  test("an accepted run ends in exactly one terminal event, its last", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const id = engine.submit(plan(1), { maxTokens: 3 });
    engine.drain();
    const seen = types(engine.of(id));
    expect(seen[0]).toBe("accepted");
    expect(seen.filter((type) => type === "tokens")).toHaveLength(3);
    expect(seen.at(-1)).toBe("done");
    expect(engine.terminal(id)).toMatchObject({ reason: "length" });
  });

  test("a prompt that fills the context is refused once, with both numbers", () => {
    const engine = new EngineHarness({ memory: "dense", ctxTokens: 64 });
    const tooLong = plan(1);
    const id = engine.submit(tooLong);
    engine.drain();
    expect(engine.of(id)).toHaveLength(1);
    expect(engine.of(id)[0]).toMatchObject({ type: "refused", code: "prompt-too-long" });
    expect(JSON.stringify(engine.of(id))).toContain(`${tooLong.tokens.length} tokens`);
    expect(JSON.stringify(engine.of(id))).toContain("64");
    expect(engine.device.log).toEqual([]);
  });

  test("the longest prompt leaves room for one token; no prompt at all is refused", () => {
    const tokens = plan(1).tokens.length;
    const tight = new EngineHarness({ memory: "dense", ctxTokens: tokens });
    expect(tight.of(tight.submit(plan(1)))).toMatchObject([{ type: "refused", code: "prompt-too-long" }]);
    const roomy = new EngineHarness({ memory: "dense", ctxTokens: tokens + 1 });
    expect(roomy.run(plan(1))).toMatchObject({ predictedTokens: 1 });
    expect(roomy.of(roomy.submit(makePlan("dense", [])))).toMatchObject([{ type: "refused" }]);
  });

  test("prefill is told as it goes: where it began, and each chunk", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const id = engine.submit(plan(1));
    engine.drain();
    const total = plan(1).tokens.length;
    const told = engine.of(id).flatMap((event) => (event.type === "prefill" ? [event] : []));
    expect(told.map(({ evaluated }) => evaluated)).toEqual([0, ...plan(1).cuts, total]);
    expect(told.every((event) => event.resumed === 0 && event.total === total)).toBe(true);
  });

  test("a grammar that does not parse and a full queue are refusals; nothing is left open", () => {
    const engine = new EngineHarness({ memory: "dense", queueMax: 1 });
    const bad = engine.submit(plan(1), { sampling: { ...GREEDY, grammar: "invalid" } });
    const good = engine.submit(plan(2));
    const third = engine.submit(plan(3));
    engine.drain();
    expect(engine.of(bad)[0]).toMatchObject({ type: "refused", code: "grammar-invalid" });
    expect(types(engine.of(third))).toEqual(["refused"]);
    expect(engine.of(third)[0]).toMatchObject({ code: "queue-full" });
    expect(engine.terminal(good).type).toBe("done");
    expect(engine.device.samplersOpen).toBe(0);
  });

  test("a grammar's dead end fails the run, and the loop lives on", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const id = engine.submit(plan(1), { sampling: { ...GREEDY, grammar: "dead-end:3" } });
    engine.drain();
    expect(engine.terminal(id)).toMatchObject({ type: "failed", code: "grammar-dead-end" });
    expect(engine.tokens(id)).toHaveLength(2);
    expect(engine.run(plan(2)).predictedTokens).toBe(8);
  });

  test("an end-of-generation token stops, and is not a token of the reply", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const id = engine.submit(plan(4), { maxTokens: 500, sampling: { ...GREEDY, ignoreEos: false } });
    engine.drain();
    expect(engine.terminal(id)).toMatchObject({ type: "done", reason: "stop" });
    expect(engine.tokens(id).some((token) => engine.device.isEnd(token))).toBe(false);
    expect(engine.report(id).predictedTokens).toBe(engine.tokens(id).length);
  });

  test("a reply that reaches the context's end finishes with length", () => {
    const engine = new EngineHarness({ memory: "dense", ctxTokens: 140 });
    const id = engine.submit(plan(1), { maxTokens: 1000 });
    engine.drain();
    expect(engine.terminal(id)).toMatchObject({ type: "done", reason: "length" });
    expect(plan(1).tokens.length + engine.tokens(id).length).toBe(140);
  });

  test("no tokens wanted: done after prefill", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const id = engine.submit(plan(1), { maxTokens: 0 });
    engine.drain();
    expect(engine.terminal(id)).toMatchObject({ type: "done", reason: "prefilled" });
    expect(engine.report(id).prefilledTokens).toBe(plan(1).tokens.length);
  });

  test("close ends everything once and refuses what comes after", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const running = engine.submit(plan(1));
    const waiting = engine.submit(plan(2), { conversation: "d" });
    const warm = engine.warm(plan(3), { conversation: "e" });
    engine.loop.step();
    engine.loop.handle({ type: "close" });
    const late = engine.submit(plan(4));
    expect(engine.loop.step()).toBe(false);
    expect(engine.terminal(running)).toMatchObject({ type: "failed", code: "closing" });
    expect(engine.terminal(waiting)).toMatchObject({ type: "failed", code: "closing" });
    expect(engine.terminal(warm).type).toBe("aborted");
    expect(engine.of(late)).toMatchObject([{ type: "refused", code: "closing" }]);
    expect(engine.device.samplersOpen).toBe(0);
  });
});

describe("cancel", () => {
  test.each([0, 1, 3, 7, 9])(
    "after %d steps ends within that step, and keeps what was prefilled",
    (steps) => {
      const engine = new EngineHarness({ memory: "hybrid" });
      const long = makePlan("hybrid", prompt(words(1, 120), user(2, 20)));
      const id = engine.submit(long, { maxTokens: 50 });
      for (let i = 0; i < steps; i++) engine.loop.step();
      const work = engine.device.log.length;
      engine.loop.handle({ type: "cancel", id });
      expect(engine.terminal(id).type).toBe("aborted");
      expect(engine.loop.step()).toBe(false);
      expect(engine.device.log).toHaveLength(work);
      expect(engine.device.samplersOpen).toBe(0);
      const report = engine.report(id);
      const again = engine.run(long, { turn: 2 });
      if (report.prefilledTokens < long.tokens.length)
        expect(again.resumedTokens).toBe(report.prefilledTokens);
      else expect(again.resumedTokens).toBe(long.cuts.at(-1) ?? 0);
      expect(coldRun("hybrid", long).end).toMatchObject({ report: { logitsHash: again.logitsHash } });
    },
  );

  test("in the queue and of an unknown run", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const first = engine.submit(plan(1));
    const second = engine.submit(plan(2), { conversation: "d" });
    engine.loop.step();
    engine.loop.handle({ type: "cancel", id: second });
    engine.loop.handle({ type: "cancel", id: 99 });
    engine.drain();
    expect(engine.terminal(second)).toMatchObject({
      type: "aborted",
      report: { prefilledTokens: 0, sequence: -1 },
    });
    expect(engine.terminal(first).type).toBe("done");
  });
});

describe("order", () => {
  test("prefill is exactly the plan's chunks, one sequence a call", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const chunks = plan(1);
    engine.run(chunks, { maxTokens: 1 });
    const ends = [...chunks.cuts, chunks.tokens.length];
    const want = ends.map((end, i) => `prefill 0 @${ends[i - 1] ?? 0} +${end - (ends[i - 1] ?? 0)}`);
    expect(engine.device.log.filter((line) => line.startsWith("prefill"))).toEqual(want);
  });

  test("first come, first served, into free lanes", () => {
    const engine = new EngineHarness({ memory: "dense", lanes: 2 });
    const ids = [1, 2, 3, 4].map((salt) =>
      engine.submit(plan(salt), { conversation: `c${salt}`, maxTokens: 40 }),
    );
    engine.drain();
    const firstTokens = engine.events.flatMap((event) => (event.type === "tokens" ? [event.id] : []));
    expect([...new Set(firstTokens)]).toEqual(ids);
    expect(ids.map((id) => engine.report(id).sequence)).toEqual([0, 1, 0, 1]);
  });

  test("a decode step of all streams lies between two prefill chunks", () => {
    const engine = new EngineHarness({ memory: "dense", lanes: 3 });
    engine.submit(plan(1, 20), { conversation: "a", maxTokens: 400 });
    engine.submit(plan(2, 20), { conversation: "b", maxTokens: 400 });
    for (let i = 0; i < 12; i++) engine.loop.step();
    const from = engine.device.log.length;
    engine.submit(plan(3, 300), { conversation: "c", maxTokens: 1 });
    for (let i = 0; i < 16; i++) engine.loop.step();
    const work = engine.device.log.slice(from).filter((line) => /^(prefill|decode)/.test(line));
    const steps = work.map((line) => line.split(" ")[0]);
    expect(steps.filter((step) => step === "prefill").length).toBeGreaterThan(6);
    expect(steps.join(" ")).not.toContain("prefill prefill");
    for (const line of work.filter((step) => step.startsWith("decode")))
      expect(line).toMatch(/^decode 0@\d+ 1@\d+$/);
  });

  test("with exact decode each lane decodes alone, and replies are the cold ones", () => {
    for (const exactDecode of [true, false]) {
      const engine = new EngineHarness({ memory: "dense", lanes: 2, exactDecode });
      const a = engine.submit(plan(1), { conversation: "a", maxTokens: 20 });
      const b = engine.submit(plan(2), { conversation: "b", maxTokens: 20 });
      engine.drain();
      const together = engine.device.log.some((line) => /^decode \d+@\d+ \d+@/.test(line));
      expect(together).toBe(!exactDecode);
      for (const [id, salt] of [
        [a, 1],
        [b, 2],
      ] as const) {
        const cold = coldRun("dense", plan(salt), { maxTokens: 20 });
        expect(engine.tokens(id).join() === cold.tokens.join()).toBe(exactDecode);
      }
    }
  });

  test("two prompts with one head: the second waits for the first's prefill and shares it", () => {
    const engine = new EngineHarness({ memory: "dense", lanes: 2, exactDecode: true });
    const head = words(1, 200);
    const a = engine.submit(makePlan("dense", prompt(head, user(2, 30))), { conversation: "a" });
    const b = engine.submit(makePlan("dense", prompt(head, user(3, 30))), { conversation: "b" });
    engine.drain();
    expect(engine.report(a).resumedTokens).toBe(0);
    expect(engine.report(b).resumedTokens).toBeGreaterThanOrEqual(192);
    expect(engine.report(b).source).toBe("fork");
  });
});

describe("device errors", () => {
  test.each<MemoryKind>(["dense", "hybrid", "recurrent", "window"])(
    "%s: fail the run and clear its sequence, or cost a kept state",
    (memory) => {
      for (let at = 0; ; at++) {
        let calls = 0;
        const engine = new EngineHarness({
          memory,
          fault: (op) => {
            if (op !== "clear" && op !== "truncate" && calls++ === at)
              throw new DeviceError("out-of-memory", "no room");
          },
        });
        const longer = makePlan(memory, prompt(words(1, 100), user(2, 30)));
        const id = engine.submit(longer, { maxTokens: 12 });
        engine.drain();
        const end = engine.terminal(id);
        if (end.type === "failed") {
          expect(end).toMatchObject({ code: "out-of-memory", message: "no room" });
          expect(engine.device.log.at(-1)).toBe("clear 0");
        }
        // The fault lies behind this run.
        if (calls <= at) return;
        const again = engine.run(longer, { turn: 2, maxTokens: 12 });
        expect(coldRun(memory, longer, { maxTokens: 12 }).end).toMatchObject({
          report: { logitsHash: again.logitsHash },
        });
      }
    },
  );

  test("an error in a decode step ends the runs of that step alone", () => {
    let failing = false;
    const engine = new EngineHarness({
      memory: "dense",
      lanes: 2,
      exactDecode: true,
      fault: (op, seq) => {
        if (failing && op === "decode" && seq === 1) throw new DeviceError("evaluate-failed", "broken");
      },
    });
    const a = engine.submit(plan(1), { conversation: "a", maxTokens: 30 });
    const b = engine.submit(plan(2), { conversation: "b", maxTokens: 30 });
    for (let i = 0; i < 16; i++) engine.loop.step();
    failing = true;
    engine.drain();
    expect(engine.terminal(b)).toMatchObject({ type: "failed", code: "evaluate-failed" });
    expect(engine.tokens(a)).toEqual(coldRun("dense", plan(1), { maxTokens: 30 }).tokens);
  });

  test("a fault of ours is thrown, not reported as the device's", () => {
    const engine = new EngineHarness({
      memory: "dense",
      fault: (op) => {
        if (op === "prefill") throw new TypeError("a bug");
      },
    });
    engine.submit(plan(1));
    expect(() => engine.drain()).toThrow("a bug");
  });
});

test("reports tell what a run took", () => {
  const engine = new EngineHarness({ memory: "hybrid" });
  const chunks = makePlan("hybrid", prompt(words(1, 100), user(2, 20)));
  engine.submit(makePlan("hybrid", prompt(words(9, 50))), { conversation: "other", maxTokens: 2 });
  const id = engine.submit(chunks, { maxTokens: 5 });
  engine.drain();
  const report = engine.report(id);
  expect(report).toMatchObject({
    promptTokens: chunks.tokens.length,
    prefilledTokens: chunks.tokens.length,
    resumedTokens: 0,
    warmedTokens: 0,
    predictedTokens: 5,
    source: "none",
    missReason: "cold",
    sequence: 0,
  });
  expect(report.queuedMs).toBeGreaterThan(0);
  expect(report.promptMs).toBeGreaterThanOrEqual(chunks.tokens.length);
  expect(report.predictedMs).toBeGreaterThanOrEqual(4);
  // Head, start and end of the user message are three kept cuts; the first run's sequence is parked before.
  const partial = 256;
  expect(report.bytesMoved).toBeGreaterThanOrEqual(2 * partial);
  expect(report.stateMs).toBeCloseTo(report.bytesMoved * 1e-4, 5);
  expect(report.logitsHash).toMatch(/^[0-9a-f]{16}$/);
  expect(report.tokensHash).toMatch(/^[0-9a-f]{16}$/);
  const quiet = new EngineHarness({ memory: "hybrid", debugHashes: false });
  expect(quiet.run(chunks)).not.toHaveProperty("logitsHash");
});
