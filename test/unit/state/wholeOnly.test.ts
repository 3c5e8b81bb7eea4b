/**
 * Models whose states cannot be taken back to an earlier place, as DeepSeek V4's are kept: they are resumed at the ends of
 * whole states, and nowhere else.
 */
import { describe, expect, test } from "bun:test";
import { selfTest, WHOLE_ONLY } from "../../../src/engine/proof/proveStates.ts";
import type { Device } from "../../../src/run/Device.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import { FakeDevice } from "../../support/FakeDevice.ts";
import { lyingDevice } from "../../support/lyingDevice.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

/** A partial state goes back into the sequence that it was just saved from, and nowhere else. */
function cannotRollBack(memory: MemoryKind): Device & { readonly refused: number } {
  const real = new FakeDevice({ memory, lanes: 1, spares: 1, partialBytes: 256 });
  let last: Uint8Array | null = null;
  let refused = 0;
  const lies = lyingDevice(real, {
    save: (seq, part) => {
      const bytes = real.save(seq, part);
      last = bytes;
      return bytes;
    },
    prefill: (...chunk) => {
      last = null;
      real.prefill(...chunk);
    },
    restore: (seq, part, bytes) => {
      if (part === "full" || bytes === last) return real.restore(seq, part, bytes);
      refused++;
      real.clear(seq);
      return false;
    },
  });
  return new Proxy(lies, {
    get: (at, name) => (name === "refused" ? refused : Reflect.get(at, name)),
  }) as never;
}

describe.each<MemoryKind>(["hybrid", "recurrent", "window"])("%s", (memory) => {
  test("the self-test allows it, and says how", () => {
    const result = selfTest(cannotRollBack(memory), { chunkTokens: 32, chunks: 2 });
    expect(result).toMatchObject({ allowed: true, rollsBack: false, why: WHOLE_ONLY });
    expect(result.equal).toMatchObject({ resumed: false, restored: true, forked: true });
  });

  test("what was warmed is resumed, also from host memory; nothing is ever taken back", () => {
    const real = cannotRollBack(memory);
    const engine = new EngineHarness({ memory, lanes: 1, spares: 1, real, rollsBack: false });
    // Whole chunks, so that the end is a trip.
    const history = makePlan(memory, words(1, 256 + 1));
    const next = makePlan(memory, prompt(words(1, 257), user(2, 60)));
    engine.run(history, { conversation: "a" });
    engine.run(history, { conversation: "a", purpose: "warm" });
    for (const other of ["b", "c", "d"])
      engine.run(makePlan(memory, words(other.charCodeAt(0), 150)), { conversation: other });
    const report = engine.run(next, { conversation: "a", turn: 2 });
    const cold = coldRun(memory, next).end;
    expect(cold).toMatchObject({ report: { logitsHash: report.logitsHash } });
    expect(report.resumedTokens).toBeGreaterThan(0);
    const again = engine.run(next, { conversation: "a", turn: 3 });
    expect(cold).toMatchObject({ report: { logitsHash: again.logitsHash } });
    expect(real.refused).toBe(0);
    engine.loop.states.checkIntegrity();
  });
});

test("dense memory that cannot be cut off is never resumed", () => {
  const real = new FakeDevice({ memory: "dense", lanes: 1, spares: 1 });
  const result = selfTest(lyingDevice(real, { truncate: () => false }), { chunkTokens: 32, chunks: 2 });
  expect(result).toMatchObject({ allowed: false, rollsBack: false });
});
