/** Each memory kind resumes a warmed next turn, at the cut it should, with the bits of a cold run. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness, type HarnessOptions } from "../../support/EngineHarness.ts";
import { assistant, makePlan, prompt, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const HEAD = words(1, 100);

function harness(memory: MemoryKind, options: Partial<HarnessOptions> = {}): EngineHarness {
  return new EngineHarness({ memory, ...options });
}

/** First turn, reply, its warm pass, and the second turn's plan. */
function twoTurns(memory: MemoryKind, engine: EngineHarness, conversation = "c", salt = 2) {
  const first = prompt(HEAD, user(salt, 50));
  const plan1 = makePlan(memory, first);
  const id = engine.submit(plan1, { conversation, turn: 1 });
  engine.drain();
  const history = [...first.slice(0, -2), ...assistant(engine.tokens(id))];
  const plan2 = makePlan(memory, prompt(history, user(salt + 1, 40)));
  // The probe's opener is all that is known of the next message.
  const warmPlan = makePlan(memory, [...history, ...user(0, 0)]);
  return { plan1, plan2, warmPlan, history };
}

describe.each(KINDS)("%s", (memory) => {
  test("the warmed next turn resumes at the warm plan's last cut, bit for bit", () => {
    const engine = harness(memory);
    const { plan2, warmPlan } = twoTurns(memory, engine);
    const warm = engine.run(warmPlan, { purpose: "warm" });
    expect(warm.prefilledTokens).toBeGreaterThan(0);
    const last = warmPlan.cuts.at(-1) ?? 0;
    const id = engine.submit(plan2, { turn: 2 });
    engine.drain();
    const report = engine.report(id);
    expect(report.resumedTokens).toBe(last);
    expect(report.warmedTokens).toBeGreaterThan(0);
    expect(report.source).toBe("sequence");
    expect(report.prefilledTokens).toBe(plan2.tokens.length - last);
    const cold = coldRun(memory, plan2);
    expect(engine.tokens(id)).toEqual(cold.tokens);
    expect(cold.end).toMatchObject({ report: { logitsHash: report.logitsHash, resumedTokens: 0 } });
  });

  test("a second conversation forks the shared head, and both stay exact", () => {
    const engine = harness(memory, { lanes: 2 });
    const a = twoTurns(memory, engine, "a", 2);
    engine.run(a.warmPlan, { purpose: "warm", conversation: "a" });
    const planB = makePlan(memory, prompt(HEAD, user(77, 60)));
    const b = engine.run(planB, { conversation: "b" });
    expect(b.resumedTokens).toBeGreaterThan(0);
    expect(b.resumedTokens).toBeLessThanOrEqual(100);
    expect(b.source).toBe(memory === "recurrent" ? "snapshot" : "fork");
    expect(coldRun(memory, planB).end).toMatchObject({ report: { logitsHash: b.logitsHash } });
    const a2 = engine.run(a.plan2, { conversation: "a", turn: 2 });
    expect(a2.resumedTokens).toBe(a.warmPlan.cuts.at(-1) ?? 0);
    expect(coldRun(memory, a.plan2).end).toMatchObject({ report: { logitsHash: a2.logitsHash } });
  });

  test("one lane, one spare: a side request does not push the conversation out", () => {
    const engine = harness(memory, { lanes: 1, spares: 1 });
    const a = twoTurns(memory, engine, "a", 2);
    engine.run(a.warmPlan, { purpose: "warm", conversation: "a" });
    for (const side of [60, 61, 62]) {
      const plan = makePlan(memory, prompt(words(side, 30), user(side, 30)));
      const report = engine.run(plan, { conversation: `side-${side}` });
      expect(coldRun(memory, plan).end).toMatchObject({ report: { logitsHash: report.logitsHash } });
    }
    const a2 = engine.run(a.plan2, { conversation: "a", turn: 2 });
    expect(a2.resumedTokens).toBe(a.warmPlan.cuts.at(-1) ?? 0);
    expect(coldRun(memory, a.plan2).end).toMatchObject({ report: { logitsHash: a2.logitsHash } });
  });

  test("no spare: a side request parks the conversation in host memory", () => {
    const engine = harness(memory, { lanes: 1, spares: 0 });
    const a = twoTurns(memory, engine, "a", 2);
    engine.run(a.warmPlan, { purpose: "warm", conversation: "a" });
    const plan = makePlan(memory, prompt(words(60, 30), user(60, 30)));
    engine.run(plan, { conversation: "side" });
    const a2 = engine.run(a.plan2, { conversation: "a", turn: 2 });
    const want = memory === "window" ? (a.warmPlan.trips.at(-1) ?? 0) : (a.warmPlan.cuts.at(-1) ?? 0);
    expect(a2.resumedTokens).toBe(want);
    expect(a2.source).toBe(memory === "recurrent" ? "snapshot" : "host");
    expect(coldRun(memory, a.plan2).end).toMatchObject({ report: { logitsHash: a2.logitsHash } });
  });

  test("a retry of the same prompt resumes at its last kept cut", () => {
    const engine = harness(memory);
    const { plan1 } = twoTurns(memory, engine);
    const again = engine.run(plan1, { turn: 2 });
    const want = memory === "window" ? (plan1.trips.at(-1) ?? 0) : (plan1.cuts.at(-1) ?? 0);
    expect(again.resumedTokens).toBe(want);
    expect(coldRun(memory, plan1).end).toMatchObject({ report: { logitsHash: again.logitsHash } });
  });
});
