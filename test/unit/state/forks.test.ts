/** What lies beyond a fork is parked before a run goes over it: two branches, a retry, and a title beside agents. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness, type HarnessOptions } from "../../support/EngineHarness.ts";
import { assistant, CHUNK_MAX, makePlan, prompt, TRIP_MIN, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const HEAD = words(1, 100);

/** What a plan's run may have to prefill when all that it asked for before is kept. */
function necessary(memory: MemoryKind, plan: ReturnType<typeof makePlan>): number {
  // A window goes back to its last trip.
  const place = (memory === "window" ? plan.trips : plan.cuts).at(-1) ?? 0;
  return plan.tokens.length - place;
}

describe.each(KINDS)("two branches of one talk, one after the other, %s", (memory) => {
  const base = [...HEAD, ...user(2, 60), ...assistant(words(3, 20))];

  /** Prefilled tokens of each turn, branch by branch in turn, and what was necessary. */
  function backAndForth(options: Partial<HarnessOptions>, branches: number) {
    const engine = new EngineHarness({ memory, ...options });
    const plans = Array.from({ length: branches }, (_, i) => prompt(base, user(10 + i, 200)));
    const rounds: { readonly prefilled: number; readonly necessary: number }[] = [];
    engine.run(makePlan(memory, prompt(HEAD, user(2, 60))));
    for (let turn = 2; turn < 2 + 5 * branches; turn++) {
      const tokens = plans[turn % branches] ?? [];
      const plan = makePlan(memory, tokens);
      const report = engine.run(plan, { turn, maxTokens: 1 });
      expect(coldRun(memory, plan, { maxTokens: 1 }).end).toMatchObject({
        report: { logitsHash: report.logitsHash },
      });
      rounds.push({ prefilled: report.prefilledTokens, necessary: necessary(memory, plan) });
      const next = makePlan(memory, [...tokens.slice(0, -2), ...assistant([77]), ...user(0, 0)]);
      engine.warm(next, { turn });
      engine.drain();
    }
    return rounds.slice(2 * branches);
  }

  test.each([
    ["spares", { lanes: 1, spares: 2, stateRamBytes: 8 * 256 }, 2],
    ["an idle lane", { lanes: 2, spares: 0, stateRamBytes: 8 * 256 }, 2],
    ["host memory", { lanes: 1, spares: 0 }, 2],
    ["all of these, and three branches", { lanes: 2, spares: 1 }, 3],
  ] as const)("are both kept in %s", (_, options, branches) => {
    for (const { prefilled, necessary: least } of backAndForth(options, branches))
      expect(prefilled).toBeLessThanOrEqual(least + CHUNK_MAX);
  });
});

describe.each(KINDS)("a retry, %s", (memory) => {
  /** A prompt whose last reply the template rewrites from far back: what is warmed leaves it early. */
  const first = [...HEAD, ...user(2, 60)];
  const loop = [...assistant(words(3, 120)), ...assistant(words(4, 120))];
  const asked = prompt(first, loop);
  const next = [...first, ...assistant(words(5, 40)), ...user(0, 0)];

  test.each([
    ["a spare", { lanes: 1, spares: 1, stateRamBytes: 8 * 256 }],
    ["host memory", { lanes: 1, spares: 0 }],
  ] as const)("resumes from its own end after the warm pass has gone another way: %s", (_, options) => {
    const engine = new EngineHarness({ memory, ...options });
    const plan = makePlan(memory, asked);
    engine.run(plan);
    engine.warm(makePlan(memory, next));
    engine.drain();
    const warm = makePlan(memory, next).cuts.at(-1) ?? 0;
    const again = engine.run(plan, { turn: 2 });
    expect(again.prefilledTokens).toBeLessThanOrEqual(necessary(memory, plan));
    expect(coldRun(memory, plan).end).toMatchObject({ report: { logitsHash: again.logitsHash } });
    expect(warm).toBeGreaterThan(0);
  });

  test("is lost rather than the next turn where there is room for one of them", () => {
    const engine = new EngineHarness({ memory, lanes: 1, spares: 0, stateRamBytes: 4 * 256 });
    engine.run(makePlan(memory, asked));
    engine.warm(makePlan(memory, next));
    engine.drain();
    const turn = makePlan(memory, prompt(next.slice(0, -2), user(6, 40)));
    const least =
      memory === "window" ? Math.max(...turn.trips.filter((at) => at < next.length)) : next.length - 32;
    expect(engine.run(turn, { turn: 2 }).resumedTokens).toBeGreaterThanOrEqual(least - CHUNK_MAX);
  });
});

describe("a title's warm pass", () => {
  /** Turns of an agent whose client sends results at once, or after a while. */
  function beside(memory: MemoryKind, stepsBefore: number, isTitleWarmed: boolean): readonly number[] {
    const engine = new EngineHarness({
      memory,
      lanes: 1,
      spares: 1,
      stateRamBytes: memory === "dense" ? 0 : 40 * 256,
    });
    const histories = new Map(["a", "b"].map((id, i) => [id, [...words(20 + i, 300), ...user(30 + i, 200)]]));
    const prefilled: number[] = [];
    /** Nothing is warmed before the reply has ended. */
    const answered = (plan: ReturnType<typeof makePlan>, id: string, turn: number): number => {
      const run = engine.submit(plan, { conversation: id, turn });
      while (!engine.of(run).some(({ type }) => type === "done")) engine.loop.step();
      return engine.report(run).prefilledTokens;
    };
    const turn = (id: string, at: number): void => {
      const history = histories.get(id) ?? [];
      prefilled.push(answered(makePlan(memory, prompt(history)), id, at));
      const grown = [...history, ...assistant(words(at, 40))];
      for (const [variant, reply] of [grown, [...history, ...assistant(words(at + 50, 20))]].entries())
        engine.warm(makePlan(memory, [...reply, ...user(0, 0)]), {
          conversation: id,
          turn: at,
          variant,
          awaitsResults: true,
        });
      histories.set(id, [...grown, ...user(at, 20)]);
    };
    turn("a", 1);
    engine.drain();
    turn("b", 1);
    engine.drain();
    for (let at = 2; at < 5; at++) {
      const ask = [...words(90, 100), ...user(60 + at, 150)];
      const id = `title ${at}`;
      answered(makePlan(memory, prompt(ask)), id, 1);
      const next = makePlan(memory, [...ask, ...assistant(words(7, 20)), ...user(0, 0)]);
      if (isTitleWarmed) engine.warm(next, { conversation: id });
      for (let step = 0; step < stepsBefore; step++) engine.loop.step();
      turn("b", at);
      for (let step = 0; step < stepsBefore; step++) engine.loop.step();
    }
    return prefilled.slice(2);
  }

  test.each<MemoryKind>(["dense", "hybrid", "window"])(
    "is not begun over what is worth more: %s",
    (memory) => {
      // Snapshots of one or two: no full save.
      const engine = new EngineHarness({ memory, lanes: 1, spares: 1, stateRamBytes: 8 * 256 });
      const plans = ["a", "b"].map((_, i) =>
        makePlan(memory, prompt([...words(20 + i, 300), ...user(30 + i, 200)])),
      );
      const title = makePlan(memory, prompt([...words(90, 100), ...user(60, 150)]));
      engine.run(title, { conversation: "title" });
      for (const [i, plan] of plans.entries()) {
        engine.run(plan, { conversation: `${i}` });
        engine.warm(plan, { conversation: `${i}`, awaitsResults: true });
        engine.drain();
      }
      const warm = engine.run(title, { conversation: "title", purpose: "warm", maxTokens: 0 });
      expect(warm).toMatchObject({ prefilledTokens: 0, resumedTokens: 0 });
      for (const [i, plan] of [...plans.entries()].reverse()) {
        const { prefilledTokens } = engine.run(plan, { conversation: `${i}`, turn: 2 });
        expect(prefilledTokens).toBeLessThanOrEqual(necessary(memory, plan));
      }
    },
  );

  test.each(KINDS)("changes nothing for the agent that goes on, at once or later: %s", (memory) => {
    for (const steps of [0, 1, 2, 5, 100]) {
      const alone = beside(memory, steps, false);
      for (const [turn, prefilled] of beside(memory, steps, true).entries()) {
        // A step that the title's warm pass had is one that others had not: a chunk, or what a trip makes of it.
        const most = (alone[turn] ?? 0) + CHUNK_MAX + (memory === "window" ? TRIP_MIN : 0);
        expect({ steps, turn, prefilled: Math.min(prefilled, most) }).toEqual({ steps, turn, prefilled });
      }
    }
  });
});
