/** Why a run resumed no further than it did. */
import { describe, expect, test } from "bun:test";
import { EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const HEAD = words(1, 96);

describe("missReason", () => {
  test("none: resumed at the last cut", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const plan = makePlan("dense", prompt(HEAD, user(2, 40)));
    engine.run(plan);
    expect(engine.run(plan, { turn: 2 })).toMatchObject({ missReason: "none", missAt: -1 });
  });

  test("cold: nothing kept, or nothing that shares a cut", () => {
    const engine = new EngineHarness({ memory: "dense" });
    expect(engine.run(makePlan("dense", prompt(HEAD)))).toMatchObject({ missReason: "cold", missAt: -1 });
    const other = makePlan("dense", [...HEAD.slice(0, 5), ...prompt(words(9, 100))]);
    expect(engine.run(other, { conversation: "d" })).toMatchObject({ missReason: "cold", missAt: 5 });
  });

  test("tokens-differ: the first position at which the nearest kept chain parts", () => {
    const engine = new EngineHarness({ memory: "dense" });
    const base = prompt(HEAD, user(2, 40));
    engine.run(makePlan("dense", base));
    const edited = [...base];
    edited[110] = 777;
    const report = engine.run(makePlan("dense", edited), { turn: 2 });
    expect(report).toMatchObject({ missReason: "tokens-differ", missAt: 110, resumedTokens: 96 });
  });

  test("no-rollback: the rows are there, what cannot be rolled back is not", () => {
    const engine = new EngineHarness({ memory: "hybrid", stateRamBytes: 0 });
    const plan = makePlan("hybrid", prompt(HEAD, user(2, 40)));
    engine.run(plan);
    const report = engine.run(plan, { turn: 2 });
    expect(report).toMatchObject({ missReason: "no-rollback", resumedTokens: 0, missAt: -1 });
  });

  test("evicted: it was kept, and another run needed the room", () => {
    const engine = new EngineHarness({ memory: "dense", spares: 0, stateRamBytes: 0 });
    const plan = makePlan("dense", prompt(HEAD, user(2, 40)));
    engine.run(plan);
    engine.run(makePlan("dense", prompt(words(5, 96))), { conversation: "d" });
    expect(engine.run(plan, { turn: 2 })).toMatchObject({ missReason: "evicted", resumedTokens: 0 });
  });
});
