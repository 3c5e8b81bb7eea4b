/** What a reply is sampled with is a function of its request, whatever was kept. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];

describe.each(KINDS)("%s", (memory) => {
  test("a sampler looks back on the whole prompt, also where most of it was resumed", () => {
    const engine = new EngineHarness({ memory });
    const plan = makePlan(memory, prompt(words(1, 100), user(2, 50)));
    const cold = engine.run(plan);
    const warm = engine.run(plan, { turn: 2 });
    expect(cold.resumedTokens).toBe(0);
    expect(warm.resumedTokens).toBeGreaterThan(0);
    expect(engine.device.histories).toEqual([[...plan.tokens], [...plan.tokens]]);
    expect(warm.tokensHash).toBe(cold.tokensHash ?? "");
  });
});
