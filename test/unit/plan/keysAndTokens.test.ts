/** A key is looked up, never trusted; a tenant's states are its own, even where keys collide. */
import { describe, expect, test } from "bun:test";
import type { Plan } from "../../../src/plan/Plan.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];

/** The plan's tokens with another one at `at`, under the same keys. */
function collide(plan: Plan, at: number): Plan {
  const tokens = plan.tokens.slice();
  tokens[at] = 999;
  return { ...plan, tokens };
}

describe.each(KINDS)("%s", (memory) => {
  const plan = makePlan(memory, prompt(words(1, 150), user(2, 40)));

  test.each([0, 70])("colliding keys with other tokens from %d on resume only what agrees", (at) => {
    const engine = new EngineHarness({ memory });
    engine.run(plan, { conversation: "a" });
    const other = collide(plan, at);
    const report = engine.run(other, { conversation: "b" });
    expect(report.resumedTokens).toBeLessThanOrEqual(at);
    expect(coldRun(memory, other).end).toMatchObject({ report: { logitsHash: report.logitsHash } });
  });

  test("colliding keys with other cuts resume only where both are cut", () => {
    const engine = new EngineHarness({ memory });
    engine.run(plan, { conversation: "a" });
    // The same tokens, cut twice as often, under the keys of the plan above.
    const { tokens, keep } = plan;
    const cuts = Int32Array.from({ length: plan.cuts.length }, (_, i) => 16 * (i + 1));
    const trips = plan.trips.length === 0 ? plan.trips : cuts;
    const other: Plan = {
      tokens,
      cuts,
      trips,
      keys: plan.keys,
      keep: keep.map((one) => ({ ...one, cut: 16 })),
    };
    const report = engine.run(other, { conversation: "b" });
    expect(coldRun(memory, other).end).toMatchObject({ report: { logitsHash: report.logitsHash } });
  });

  test("another tenant neither resumes nor learns anything, though the keys are the same", () => {
    const engine = new EngineHarness({ memory, spares: 0 });
    engine.run(plan, { conversation: "a", tenant: "a" });
    const report = engine.run(plan, { conversation: "b", tenant: "b" });
    expect(report).toMatchObject({ resumedTokens: 0, source: "none", missAt: -1 });
    const parted = engine.run(makePlan(memory, prompt(words(1, 150), user(3, 40))), { tenant: "c" });
    expect(parted).toMatchObject({ resumedTokens: 0, missReason: "cold", missAt: -1 });
  });
});
