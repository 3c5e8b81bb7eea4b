/** Host memory never exceeds its budget, and is filled by worth alone. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { HostStore, type Snapshot } from "../../../src/state/HostStore.ts";
import { Turns } from "../../../src/state/Turns.ts";
import { SURE_TICKS, worthOf } from "../../../src/state/worth.ts";
import { makePlan, words } from "../../support/makePlan.ts";

const PLAN = makePlan("hybrid", words(1, 400));

const putArb = fc.record({
  index: fc.integer({ min: 1, max: PLAN.cuts.length }),
  bytes: fc.integer({ min: 1, max: 300 }),
  shared: fc.boolean(),
  named: fc.boolean(),
  conversation: fc.constantFrom("a", "b", "c"),
  turn: fc.integer({ min: 1, max: 4 }),
});

test("bytes stay within the budget, and nothing is pushed out by what is worth less", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), fc.array(putArb, { maxLength: 60 }), (budget, puts) => {
      const turns = new Turns();
      let lost = 0;
      const store = new HostStore(budget, turns, () => lost++);
      let taken = 0;
      for (const [now, put] of puts.entries()) {
        turns.see(put.conversation, put.turn);
        const { index, shared, named, conversation, turn } = put;
        const length = PLAN.cuts.length;
        const warm = new Uint8Array(length);
        const end = PLAN.tokens.length;
        const chain = {
          tenant: "",
          conversation,
          turn,
          plan: PLAN,
          variant: 0,
          warm,
          asked: length,
          length,
          end,
        };
        const bytes = new Uint8Array(put.bytes);
        // Keys of their own: what is tested is the budget.
        const key = BigInt(now);
        const snapshot: Snapshot = {
          kind: "snapshot",
          key,
          chain,
          index,
          bytes,
          conversation,
          turn,
          usedAt: now,
          named,
          head: shared,
          shared,
        };
        const worth = store.worth(snapshot, now);
        const before = [...store.snapshots].map((state) => ({ state, worth: store.worth(state, now) }));
        const hasRoom = store.makeRoom(bytes.length, worth, now);
        const after = new Set(store.snapshots);
        for (const entry of before) {
          if (after.has(entry.state)) continue;
          expect(hasRoom).toBe(true);
          expect(entry.worth).toBeLessThan(worth);
          // Whatever stayed is worth no less than what went.
          for (const stayed of after) expect(store.worth(stayed, now)).toBeGreaterThanOrEqual(entry.worth);
        }
        if (hasRoom) {
          store.put(snapshot);
          taken++;
        }
        expect(store.bytes).toBeLessThanOrEqual(budget);
        let sum = 0;
        for (const state of store.snapshots) sum += state.bytes.length;
        expect(store.bytes).toBe(sum);
      }
      expect([...store.snapshots]).toHaveLength(taken - lost);
    }),
  );
});

test("worth: later use, more tokens, fewer bytes; left behind first, then what is asked once, shared last", () => {
  const keptArb = fc.record({
    tokens: fc.integer({ min: 1, max: 1 << 20 }),
    bytes: fc.integer({ min: 1, max: 1 << 34 }),
    usedAt: fc.integer({ min: 0, max: 1000 }),
    shared: fc.boolean(),
    returns: fc.constantFrom(0 as const, 1 as const, 2 as const),
    variant: fc.integer({ min: 0, max: 2 }),
    superseded: fc.boolean(),
  });
  fc.assert(
    fc.property(keptArb, keptArb, (a, b) => {
      const now = 1000;
      const worth = worthOf(a, now);
      expect(worthOf({ ...a, tokens: a.tokens + 1 }, now)).toBeGreaterThan(worth);
      expect(worthOf({ ...a, bytes: a.bytes * 2 }, now)).toBeLessThan(worth);
      if (a.usedAt < now) expect(worthOf({ ...a, usedAt: a.usedAt + 1 }, now)).toBeGreaterThan(worth);
      const rank = (kept: typeof a) => (kept.shared ? 2 : kept.superseded ? 0 : 1);
      if (rank(a) > rank(b)) expect(worth).toBeGreaterThan(worthOf(b, now));
      if (rank(a) !== rank(b)) return;
      // A conversation that has not come back for long is no surer to than any other.
      const sure = (kept: typeof a) => (now - kept.usedAt <= SURE_TICKS ? kept.returns : 0);
      if (sure(a) > sure(b)) expect(worth).toBeGreaterThan(worthOf(b, now));
      if (sure(a) === sure(b) && a.variant < b.variant) expect(worth).toBeGreaterThan(worthOf(b, now));
    }),
    { numRuns: 2000 },
  );
});
