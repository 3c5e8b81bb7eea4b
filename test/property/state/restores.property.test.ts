/**
 * Branches, retries, warm passes, evictions, saves to disk and restarts in any order: every reply is its cold run's, no
 * tier holds more than it may, and the books of all of them balance after each step.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Plan } from "../../../src/plan/Plan.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { DiskRig, rest } from "../../support/DiskRig.ts";
import { coldRun, type EngineHarness } from "../../support/EngineHarness.ts";
import { assistant, makePlan, prompt, user, words } from "../../support/makePlan.ts";

const MEMORIES: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
/** A state takes some 1,700 bytes, so that two or three fit each tier. */
const LENGTHS = [0, 40, 90];

/** A head of two, a conversation of three, and how far it has gone on. */
const placeArb = fc.record({
  head: fc.integer({ min: 1, max: 2 }),
  talk: fc.integer({ min: 1, max: 3 }),
  length: fc.constantFrom(...LENGTHS),
});
const stepArb = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("run" as const), at: placeArb }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("warm" as const), at: placeArb, variant: fc.nat(2) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("rest" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
);
const setupArb = fc.record({
  lanes: fc.integer({ min: 1, max: 2 }),
  spares: fc.integer({ min: 0, max: 1 }),
  stateRamBytes: fc.constantFrom(0, 2_500, 6_000, 1 << 20),
  diskBytes: fc.constantFrom(5_000, 20_000, 1 << 24),
  takesApart: fc.boolean(),
});

type Place = { readonly head: number; readonly talk: number; readonly length: number };

function planAt(memory: MemoryKind, { head, talk, length }: Place): Plan {
  const start = prompt(words(head, 180), user(10 * head + talk, 70));
  return makePlan(
    memory,
    length === 0 ? start : [...start.slice(0, -2), ...assistant(words(50 + talk, length)), ...user(talk, 20)],
  );
}

for (const memory of MEMORIES) {
  const cold = new Map<string, string | undefined>();
  const coldHash = (place: Place, plan: Plan): string | undefined => {
    const name = JSON.stringify(place);
    if (!cold.has(name)) {
      const { end } = coldRun(memory, plan);
      cold.set(name, end.type === "done" ? end.report.logitsHash : undefined);
    }
    return cold.get(name);
  };

  test(`${memory}: every reply is its cold run's, wherever its state came from`, async () => {
    const property = fc.asyncProperty(
      setupArb,
      fc.array(stepArb, { maxLength: 25 }),
      async (setup, steps) => {
        using rig = new DiskRig();
        const start = (): EngineHarness => rig.start({ memory, partialBytes: 256, ...setup });
        let engine = start();
        const turns = new Map<string, number>();
        for (const step of steps) {
          if (step.type === "rest") await rest(engine);
          else if (step.type === "restart") {
            await engine.loop.states.disk?.settled();
            engine = start();
          } else {
            const plan = planAt(memory, step.at);
            const conversation = `${step.at.head}.${step.at.talk}`;
            const turn = (turns.get(conversation) ?? 0) + (step.type === "run" ? 1 : 0);
            turns.set(conversation, turn);
            if (step.type === "warm")
              engine.run(plan, { conversation, turn, purpose: "warm", variant: step.variant });
            else {
              const report = engine.run(plan, { conversation, turn });
              expect(report.logitsHash).toBe(coldHash(step.at, plan) ?? "");
            }
          }
          engine.loop.states.checkIntegrity();
          expect(engine.loop.states.hostBytes).toBeLessThanOrEqual(setup.stateRamBytes);
          expect(engine.loop.states.disk?.bytes).toBeLessThanOrEqual(setup.diskBytes);
        }
        expect(engine.loop.states.disk?.damaged).toBe(0);
        expect(rig.warnings).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 40 });
  }, 60_000);
}
