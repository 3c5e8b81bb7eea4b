/** Rows outside of sequences are there once, whoever needs them, and are put together into the state that was saved. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const PARTIAL = 256;
const ROW = 4;

const lastCut = (plan: { readonly cuts: Int32Array }) => plan.cuts.at(-1) ?? 0;
const coldHash = (memory: MemoryKind, plan: Parameters<typeof coldRun>[1]) => coldRun(memory, plan).end;

/** One lane, no spare: whoever comes next pushes what lies there into host memory. */
const open = (memory: MemoryKind, more: { takesApart?: boolean; stateRamBytes?: number } = {}) =>
  new EngineHarness({ memory, lanes: 1, spares: 0, partialBytes: PARTIAL, ...more });

describe.each<MemoryKind>(["dense", "hybrid", "window"])("%s", (memory) => {
  const head = words(1, 320);
  const branches = [2, 3, 4].map((salt) => makePlan(memory, prompt(head, user(salt, 60))));
  const other = makePlan(memory, words(9, 200));

  test("branches share the rows that they share", () => {
    const engine = open(memory);
    const grown: number[] = [];
    let before = 0;
    for (const [i, plan] of branches.entries()) {
      engine.run(plan, { conversation: `branch ${i}` });
      engine.run(other, { conversation: `other ${i}` });
      const rows = engine.loop.states.savedRowBytes;
      grown.push(rows - before);
      before = rows;
    }
    const shared = ROW * 320;
    expect(grown[0]).toBeGreaterThanOrEqual(shared);
    // The other prompt was saved in between, once.
    for (const more of grown.slice(2)) expect(more).toBeLessThan(shared / 2);
  });

  test("each branch goes on from its own end, bit for bit", () => {
    const engine = open(memory);
    for (const [i, plan] of branches.entries()) engine.run(plan, { conversation: `branch ${i}` });
    for (const [i, plan] of branches.entries()) {
      const report = engine.run(plan, { conversation: `branch ${i}`, turn: 2 });
      expect(report.resumedTokens).toBeGreaterThanOrEqual(memory === "window" ? 320 : lastCut(plan));
      expect(coldHash(memory, plan)).toMatchObject({ report: { logitsHash: report.logitsHash } });
    }
  });

  test("a state that cannot be taken apart is saved whole", () => {
    const engine = open(memory, { takesApart: false });
    for (const [i, plan] of branches.entries()) engine.run(plan, { conversation: `branch ${i}` });
    expect(engine.loop.states.savedRowBytes).toBe(0);
    for (const [i, plan] of branches.entries()) {
      const report = engine.run(plan, { conversation: `branch ${i}`, turn: 2 });
      expect(report.resumedTokens).toBeGreaterThanOrEqual(320);
      expect(coldHash(memory, plan)).toMatchObject({ report: { logitsHash: report.logitsHash } });
    }
  });

  test("what is dropped frees what nobody else needs", () => {
    const engine = open(memory, { stateRamBytes: 6 * PARTIAL + ROW * 500 });
    for (let i = 0; i < 12; i++) {
      const plan = makePlan(memory, prompt(head, user(20 + i, 60)));
      engine.run(plan, { conversation: `${i}` });
      engine.run(makePlan(memory, words(40 + i, 150)), { conversation: `side ${i}` });
      expect(engine.loop.states.hostBytes).toBeLessThanOrEqual(6 * PARTIAL + ROW * 500);
    }
    expect(engine.loop.states.savedRowBytes).toBeLessThanOrEqual(engine.loop.states.hostBytes);
  });
});
