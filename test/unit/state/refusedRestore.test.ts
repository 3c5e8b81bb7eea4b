/** A state that does not fit is a miss, never an error, and never garbage. */
import { expect, test } from "bun:test";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

test.each<MemoryKind>(["dense", "hybrid", "recurrent"])(
  "%s: starts cold, and says that it was evicted",
  (memory) => {
    let refuses = false;
    const engine = new EngineHarness({ memory, spares: 0, refusesRestore: () => refuses });
    const plan = makePlan(memory, prompt(words(1, 96), user(2, 40)));
    engine.run(plan, { conversation: "a" });
    engine.run(makePlan(memory, prompt(words(5, 96))), { conversation: "b" });
    refuses = true;
    const report = engine.run(plan, { conversation: "a", turn: 2 });
    expect(report).toMatchObject({ resumedTokens: 0, source: "none", missReason: "evicted" });
    expect(coldRun(memory, plan).end).toMatchObject({ report: { logitsHash: report.logitsHash } });
  },
);
