/** Snapshots: taken at the last moment, kept for their reasons, renewed by who resumes from them, gone with their rows. */
import { describe, expect, test } from "bun:test";
import type { Plan } from "../../../src/plan/Plan.ts";
import { DeviceError } from "../../../src/run/Device.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import type { Chain } from "../../../src/state/Chain.ts";
import { HostStore, type Snapshot } from "../../../src/state/HostStore.ts";
import { Snapshots } from "../../../src/state/Snapshots.ts";
import { StateMover } from "../../../src/state/StateMover.ts";
import { Turns } from "../../../src/state/Turns.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import { FakeDevice } from "../../support/FakeDevice.ts";
import { assistant, CHUNK_MAX, makePlan, prompt, user, words } from "../../support/makePlan.ts";

const PARTIAL = 256;

test("a live end that becomes a kept point is saved before it moves on", () => {
  const engine = new EngineHarness({ memory: "hybrid", lanes: 1, spares: 0 });
  const head = words(1, 2 * CHUNK_MAX);
  // Cut off behind the head, which this prompt has no reason to keep.
  const id = engine.submit(makePlan("hybrid", prompt([...head, ...words(2, 90)])));
  engine.loop.step();
  engine.loop.step();
  engine.loop.handle({ type: "cancel", id });
  expect(engine.loop.states.hostBytes).toBe(0);
  const first = engine.run(makePlan("hybrid", prompt(head, user(3, 60))), { turn: 2 });
  expect(first.resumedTokens).toBe(head.length);
  const second = makePlan("hybrid", prompt(head, user(4, 60)));
  const report = engine.run(second, { turn: 3 });
  expect(report.resumedTokens).toBe(head.length);
  expect(coldRun("hybrid", second).end).toMatchObject({ report: { logitsHash: report.logitsHash } });
});

describe("window: trips that no kept point lies at", () => {
  const HISTORY = [...words(1, 64), ...user(2, 38)];
  const plan = makePlan("window", prompt(HISTORY, user(4, 300)));
  const edited = makePlan("window", prompt(HISTORY, user(5, 60)));

  test("give way to those that one lies at", () => {
    expect([...plan.trips.slice(0, 3)]).toEqual([64, 104, 168]);
    expect(plan.keep.slice(0, 2)).toEqual([
      { cut: 64, reason: "head" },
      { cut: 104, reason: "user-start" },
    ]);
    const engine = new EngineHarness({ memory: "window", stateRamBytes: 3 * PARTIAL });
    engine.run(plan);
    const report = engine.run(edited, { turn: 2 });
    expect(report.resumedTokens).toBe(104);
    expect(coldRun("window", edited).end).toMatchObject({ report: { logitsHash: report.logitsHash } });
  });

  test("never push one out", () => {
    const engine = new EngineHarness({ memory: "window", stateRamBytes: 2 * PARTIAL });
    const id = engine.submit(plan);
    for (let chunk = 0; chunk < 8; chunk++) engine.loop.step();
    engine.loop.handle({ type: "cancel", id });
    expect(engine.report(id).prefilledTokens).toBeGreaterThan(168);
    expect(engine.run(edited, { turn: 2 }).resumedTokens).toBe(104);
  });

  test("stand for the kept points behind them", () => {
    const engine = new EngineHarness({ memory: "window", stateRamBytes: 3 * PARTIAL });
    const history = [...words(1, 96), ...user(2, 40), ...assistant(words(3, 40))];
    const long = makePlan("window", prompt(history, user(4, 300)));
    const start = long.keep.find(({ reason }) => reason === "user-start")?.cut ?? 0;
    expect(long.trips).not.toContain(start);
    engine.run(long);
    const report = engine.run(makePlan("window", prompt(history, user(5, 60))), { turn: 2 });
    expect(report.resumedTokens).toBe(Math.max(...long.trips.filter((trip) => trip <= start)));
  });
});

describe.each<MemoryKind>(["hybrid", "recurrent"])(
  "%s: the last cut inside a long user message",
  (memory) => {
    const head = [...words(1, 96), ...user(2, 40), ...assistant(words(3, 40))];
    const plan = makePlan(memory, prompt(head, user(4, 300)));
    const place = (reason: string): number => plan.keep.find((keep) => keep.reason === reason)?.cut ?? 0;
    const inside = place("user-inside");
    // The same message up to its last words.
    const other = [...plan.tokens.subarray(0, inside + 10), ...words(6, 40)];
    const edited = makePlan(memory, prompt(other, assistant(words(7, 20))));

    test("is resumed where its end has changed", () => {
      const engine = new EngineHarness({ memory });
      expect(inside).toBeGreaterThan(place("user-start"));
      expect(inside).toBeLessThan(place("user-end"));
      engine.run(plan);
      expect(engine.run(edited, { turn: 2 }).resumedTokens).toBe(inside);
    });

    test("takes no other's room", () => {
      const engine = new EngineHarness({ memory, stateRamBytes: 3 * PARTIAL });
      engine.run(plan);
      expect(engine.run(edited, { turn: 2 }).resumedTokens).toBe(place("user-start"));
    });
  },
);

test.each<MemoryKind>(["hybrid", "window"])("%s: gone with the rows that a device error took", (memory) => {
  const engine = new EngineHarness({
    memory,
    fault: (op) => {
      if (op === "decode") throw new DeviceError("evaluate-failed", "broken");
    },
  });
  const id = engine.submit(makePlan(memory, prompt(words(1, 96), user(2, 40))));
  while (engine.tokens(id).length === 0) engine.loop.step();
  expect(engine.loop.states.hostBytes).toBeGreaterThan(0);
  engine.drain();
  expect(engine.terminal(id).type).toBe("failed");
  expect(engine.loop.states.hostBytes).toBe(0);
});

test("a state that the device refused is dropped", () => {
  let refuses = false;
  const engine = new EngineHarness({ memory: "dense", spares: 0, refusesRestore: () => refuses });
  const other = makePlan("dense", prompt(words(5, 96)));
  const plan = makePlan("dense", prompt(words(1, 96), user(2, 40)));
  engine.run(plan, { conversation: "a" });
  engine.run(other, { conversation: "b" });
  refuses = true;
  engine.run(plan, { conversation: "a", turn: 2 });
  // The other's full save, of 4 bytes a row up to its last cut, is all that is left.
  expect(engine.loop.states.hostBytes).toBe(4 * (other.cuts.at(-1) ?? 0));
});

describe("who resumes", () => {
  const plan = makePlan("recurrent", prompt(words(1, 96), user(2, 40), assistant(words(3, 40)), user(4, 90)));
  const chain = (tenant: string): Chain => ({
    tenant,
    conversation: "old",
    turn: 1,
    plan,
    variant: 0,
    warm: new Uint8Array(plan.cuts.length),
    asked: plan.cuts.length,
    length: plan.cuts.length,
    end: plan.cuts.at(-1) ?? 0,
  });
  const snapshot = (index: number, tenant = ""): Snapshot => ({
    kind: "snapshot",
    key: plan.keys[index - 1] ?? 0n,
    chain: chain(tenant),
    index,
    bytes: new Uint8Array(PARTIAL),
    conversation: "old",
    turn: 1,
    usedAt: 1,
    named: false,
    head: false,
    shared: false,
  });
  const indexOf = (of: Plan, cut: number) => of.cuts.indexOf(cut) + 1;
  const head = indexOf(plan, plan.keep.find(({ reason }) => reason === "head")?.cut ?? -1);
  const start = indexOf(plan, plan.keep.find(({ reason }) => reason === "user-start")?.cut ?? -1);

  function touched(tenant: string, turns = new Turns()) {
    const store = new HostStore(1 << 20, turns, () => {});
    const mover = new StateMover(new FakeDevice({ memory: "recurrent" }), () => 0);
    const snapshots = new Snapshots({ memory: "recurrent", sequences: [], store, disk: null }, mover, turns);
    const kept = snapshot(head, tenant);
    const between = snapshot(head + 1);
    const found = snapshot(start + 1);
    for (const one of [kept, between, found]) store.put(one);
    const place = { kind: "snapshot" } as const;
    snapshots.touch(
      plan,
      { tenant: "", conversation: "new", turn: 5 },
      { index: start + 1, place, snapshot: found, chain: found.chain },
      42,
    );
    return { kept, between, found };
  }

  test("makes what it resumes from, and its own kept points, this turn's", () => {
    expect(start).toBeGreaterThan(head + 1);
    const { kept, between, found } = touched("");
    const renewed = { conversation: "new", turn: 5, usedAt: 42 };
    expect(found).toMatchObject({ ...renewed, named: false, shared: false });
    expect(kept).toMatchObject({ ...renewed, named: true, shared: true });
    expect(between).toMatchObject({ conversation: "old", turn: 1, usedAt: 1, named: false });
  });

  test("leaves a conversation that is surer to return what it still needs", () => {
    const turns = new Turns();
    turns.see("old", 1, true);
    turns.see("new", 1);
    const still = { conversation: "old", turn: 1, usedAt: 42 };
    const { kept, found } = touched("", turns);
    expect(found).toMatchObject(still);
    expect(kept).toMatchObject({ ...still, shared: true });
    // Not once it has gone on itself.
    turns.see("old", 2);
    turns.see("old", 3);
    expect(touched("", turns).found).toMatchObject({ conversation: "new", turn: 5 });
  });

  test("changes nothing of another tenant's", () => {
    expect(touched("other").kept).toMatchObject({ conversation: "old", turn: 1, usedAt: 1, named: false });
  });
});
