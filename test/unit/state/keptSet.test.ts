/** What stays after a run: the kept set, its rows, and what goes first when room is short. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import type { FakeOp } from "../../support/FakeDevice.ts";
import { assistant, makePlan, prompt, user, words } from "../../support/makePlan.ts";

const PARTIAL = 256;
const HEAD = words(1, 96);
const TWO_USERS = prompt(HEAD, user(2, 40), assistant(words(3, 40)), user(4, 40), assistant(words(5, 40)));

function saves(engine: EngineHarness): number {
  return engine.device.log.filter((line) => line.startsWith("save ")).length;
}

describe("the kept set", () => {
  test.each<MemoryKind>(["hybrid", "recurrent"])(
    "%s: a snapshot at each kept cut, right after its chunk",
    (memory) => {
      const engine = new EngineHarness({ memory });
      const plan = makePlan(memory, TWO_USERS);
      engine.run(plan);
      const cuts = new Set(plan.keep.map(({ cut }) => cut));
      expect(cuts.size).toBeGreaterThanOrEqual(4);
      const { log } = engine.device;
      for (const cut of cuts) {
        const at = log.findIndex((line) => {
          const match = /^prefill 0 @(\d+) \+(\d+)/.exec(line);
          return match !== null && Number(match[1]) + Number(match[2]) === cut;
        });
        expect(log[at + 1]).toBe("save 0 partial");
      }
      expect(saves(engine)).toBe(cuts.size);
      expect(engine.loop.states.hostBytes).toBe(cuts.size * PARTIAL);
    },
  );

  test("every kept cut can be gone back to, bit for bit", () => {
    for (const memory of ["dense", "hybrid", "recurrent", "window"] as const) {
      const plan = makePlan(memory, TWO_USERS);
      for (const { cut } of plan.keep) {
        const engine = new EngineHarness({ memory });
        engine.run(plan);
        const edited = makePlan(memory, [...TWO_USERS.slice(0, cut + 2), ...words(8, 60)]);
        const report = engine.run(edited, { turn: 2 });
        const want = memory === "window" ? Math.max(0, ...plan.trips.filter((trip) => trip <= cut)) : cut;
        expect(report.resumedTokens).toBe(want);
        expect(coldRun(memory, edited).end).toMatchObject({ report: { logitsHash: report.logitsHash } });
      }
    }
  });

  test("dense: nothing is saved", () => {
    const engine = new EngineHarness({ memory: "dense" });
    engine.run(makePlan("dense", TWO_USERS));
    expect(engine.loop.states.hostBytes).toBe(0);
    expect(engine.device.log.some((line) => line.startsWith("save"))).toBe(false);
  });

  test("window: every run takes every trip, with a budget and without", () => {
    const plan = makePlan("window", TWO_USERS);
    expect(plan.trips.length).toBeGreaterThan(3);
    for (const stateRamBytes of [0, 1 << 20]) {
      const engine = new EngineHarness({ memory: "window", stateRamBytes });
      engine.run(plan);
      const trips = engine.device.log.filter((line) => line === "restore 0 partial");
      expect(trips).toHaveLength(plan.trips.length);
      expect(saves(engine)).toBe(plan.trips.length);
    }
  });

  test("nothing is saved after the stream has ended, nor while it runs", () => {
    const engine = new EngineHarness({ memory: "hybrid" });
    const plan = makePlan("hybrid", TWO_USERS);
    const id = engine.submit(plan, { maxTokens: 10 });
    let saved = -1;
    while (engine.loop.step()) {
      if (engine.tokens(id).length === 1) saved = saves(engine);
    }
    expect(saves(engine)).toBe(saved);
  });

  test("a snapshot goes with the last rows it belongs to, and gives its bytes back", () => {
    const engine = new EngineHarness({ memory: "hybrid", spares: 0, stateRamBytes: 5 * PARTIAL });
    engine.run(makePlan("hybrid", TWO_USERS), { conversation: "a" });
    // Longer than the budget can hold as a full save: a's rows are lost.
    const other = makePlan("hybrid", words(7, 40));
    engine.run(other, { conversation: "b" });
    const kept = new Set(other.keep.map(({ cut }) => cut)).size;
    expect(engine.loop.states.hostBytes).toBe(kept * PARTIAL);
  });
});

describe("when room is short", () => {
  /** Of a HEAD that `users` conversations began with, after `turns` turns of another one with no room to spare. */
  function headAfter(users: number, turns: number): number {
    const engine = new EngineHarness({
      memory: "recurrent",
      lanes: 1,
      spares: 0,
      stateRamBytes: 3 * PARTIAL,
    });
    for (let i = 0; i < users; i++) {
      engine.run(makePlan("recurrent", prompt(HEAD, user(2 + i, 40))), { conversation: `user-${i}` });
    }
    let history = words(7, 200);
    for (let turn = 1; turn <= turns; turn++) {
      history = [...history, ...user(20 + turn, 40)];
      engine.run(makePlan("recurrent", prompt(history)), { conversation: "other", turn });
    }
    return engine.run(makePlan("recurrent", prompt(HEAD, user(19, 40))), { conversation: "z" }).resumedTokens;
  }

  test("shared heads go last", () => {
    expect(headAfter(2, 4)).toBe(96);
  });

  test("a head that one conversation began with goes before another one's newest", () => {
    expect(headAfter(1, 4)).toBe(0);
  });

  test("a head stays longer than what was asked once", () => {
    const engine = new EngineHarness({
      memory: "recurrent",
      lanes: 1,
      spares: 0,
      stateRamBytes: 3 * PARTIAL,
    });
    const head = makePlan("recurrent", prompt(HEAD, user(2, 40)));
    engine.run(head, { conversation: "a" });
    for (let i = 0; i < 6; i++) {
      engine.run(makePlan("recurrent", prompt(user(50 + i, 100))), { conversation: `other-${i}` });
    }
    const again = engine.run(makePlan("recurrent", prompt(HEAD, user(9, 40))), { conversation: "z" });
    expect(again.resumedTokens).toBe(96);
  });

  test("what a conversation has left behind goes before another's newest", () => {
    const engine = new EngineHarness({
      memory: "recurrent",
      lanes: 1,
      spares: 0,
      stateRamBytes: 6 * PARTIAL,
    });
    const side = makePlan("recurrent", prompt(user(30, 60)));
    engine.run(side, { conversation: "side" });
    let history: number[] = [];
    for (let turn = 1; turn <= 5; turn++) {
      history = [...history, ...user(turn, 40)];
      engine.run(makePlan("recurrent", prompt(history)), { conversation: "main", turn });
      history = [...history, ...assistant(words(60 + turn, 40))];
    }
    const again = engine.run(side, { conversation: "side", turn: 2 });
    expect(again.resumedTokens).toBe(side.cuts.at(-1) ?? 0);
  });

  /** A lane that another conversation needs, while a third one waits. */
  function savesUnderLoad(saveMs: number): number {
    let engine: EngineHarness | undefined;
    const fault = (op: FakeOp): void => {
      if (op === "save" && engine !== undefined) engine.now += saveMs;
    };
    engine = new EngineHarness({ memory: "dense", lanes: 1, spares: 0, fault });
    // Alone: here the time of a save is measured.
    engine.run(makePlan("dense", prompt(HEAD, user(2, 40))), { conversation: "a" });
    engine.run(makePlan("dense", prompt(words(4, 600))), { conversation: "b" });
    const before = saves(engine);
    expect(before).toBe(1);
    engine.submit(makePlan("dense", prompt(words(5, 96))), { conversation: "c" });
    engine.submit(makePlan("dense", prompt(words(6, 96))), { conversation: "d" });
    engine.loop.step();
    return saves(engine) - before;
  }

  test("while others wait, a full save is made where it takes no longer than a chunk", () => {
    expect(savesUnderLoad(0)).toBe(1);
    // Less than prefilling those 600 tokens again, but more than one chunk: it is reckoned at about 200 ms.
    expect(savesUnderLoad(100)).toBe(0);
  });
});
