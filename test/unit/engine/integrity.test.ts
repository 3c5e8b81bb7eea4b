/** The engine's books are checked when nothing is left to do: each entry that is wrong is told by what it is about. */
import { describe, expect, test } from "bun:test";
import { HostStore, type Snapshot } from "../../../src/state/HostStore.ts";
import type { Sequence } from "../../../src/state/Sequence.ts";
import { Turns } from "../../../src/state/Turns.ts";
import { EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

function rested(): { engine: EngineHarness; lane: Sequence; spare: Sequence } {
  const engine = new EngineHarness({ memory: "hybrid", lanes: 1, spares: 1 });
  engine.run(makePlan("hybrid", prompt(words(1, 64), user(2, 40))));
  const [lane, spare] = engine.loop.states.sequences;
  if (lane === undefined || spare === undefined) throw new Error("there are two sequences");
  return { engine, lane, spare };
}

describe("the books of sequences", () => {
  const WRONG: readonly (readonly [
    name: string,
    spoil: (lane: Sequence, spare: Sequence) => void,
    says: string,
  ])[] = [
    ["a lane that was never released", (lane) => (lane.busy = true), "1 lanes are busy, and 0 requests run"],
    ["a request in a spare", (_, spare) => (spare.busy = true), "a spare, and a request runs in it"],
    ["rows that are missing", (lane) => (lane.rows = 0), "has 0 rows for"],
    ["a live end that has moved on", (lane) => (lane.live = true), "is live at"],
    ["an empty sequence with rows", (_, spare) => (spare.rows = 3), "is empty, and has 3 rows"],
    ["one writer in two", (lane, spare) => (spare.writer = lane.writer), "a run writes in two sequences"],
  ];

  test.each(WRONG)("%s", (_, spoil, says) => {
    const { engine, lane, spare } = rested();
    engine.loop.checkIntegrity();
    spoil(lane, spare);
    expect(() => engine.loop.checkIntegrity()).toThrow(says);
    // So does every test that lets the loop come to rest.
    expect(() => engine.drain()).toThrow(says);
  });
});

describe("the books of host memory", () => {
  const PLAN = makePlan("hybrid", prompt(words(1, 64), user(2, 40)));

  function kept(): { store: HostStore; snapshot: Snapshot } {
    const store = new HostStore(1000, new Turns(), () => {});
    const length = PLAN.cuts.length;
    const warm = new Uint8Array(length);
    const end = PLAN.tokens.length;
    const chain = {
      tenant: "",
      conversation: "c",
      turn: 1,
      plan: PLAN,
      variant: 0,
      warm,
      asked: 0,
      length,
      end,
    };
    const of = { conversation: "c", turn: 1, usedAt: 0, named: true, head: false, shared: false };
    const key = PLAN.keys[0] ?? 0n;
    const snapshot: Snapshot = { kind: "snapshot", key, chain, index: 1, bytes: new Uint8Array(100), ...of };
    store.put(snapshot);
    return { store, snapshot };
  }

  test("bytes that are kept are those that are counted", () => {
    const { store, snapshot } = kept();
    store.checkIntegrity();
    Object.assign(snapshot, { bytes: new Uint8Array(200) });
    expect(() => store.checkIntegrity()).toThrow("200 bytes, and 100 are counted");
  });

  test("a state lies under its own key", () => {
    const { store, snapshot } = kept();
    Object.assign(snapshot, { index: 2 });
    expect(() => store.checkIntegrity()).toThrow("under another state's key");
  });
});
