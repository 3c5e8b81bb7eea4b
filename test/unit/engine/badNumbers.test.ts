/**
 * A prompt whose logits are no numbers ends its own run. What it left in its sequence is given to nobody: the lane
 * rests until the others have ended, and then the memory is wiped.
 */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import { FAKE_POISON } from "../../support/FakeDevice.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];

describe.each(KINDS)("%s", (memory) => {
  const good = (salt: number) => makePlan(memory, prompt(words(salt, 100), user(salt, 20)));
  const poison = (at: number) => {
    const tokens = [...good(9).tokens];
    tokens[at] = FAKE_POISON;
    return makePlan(memory, tokens);
  };

  test("the run fails with a sentence, and the same lane then serves others exactly", () => {
    for (const at of [3, 60, good(9).tokens.length - 1]) {
      const engine = new EngineHarness({ memory, lanes: 1, spares: 0 });
      const bad = engine.submit(poison(at));
      engine.drain();
      expect(engine.terminal(bad)).toMatchObject({ type: "failed", code: "bad-numbers" });
      const id = engine.submit(good(1), { conversation: "d" });
      engine.drain();
      expect(engine.tokens(id)).toEqual(coldRun(memory, good(1)).tokens);
    }
  });

  test("a reply beside it goes on to its end, and only then is the memory wiped", () => {
    const engine = new EngineHarness({ memory, lanes: 2, spares: 1, exactDecode: true });
    const beside = engine.submit(good(1), { conversation: "a", maxTokens: 40 });
    while (engine.tokens(beside).length < 3) engine.loop.step();
    const bad = engine.submit(poison(60), { conversation: "b" });
    while (!engine.of(bad).some(({ type }) => type === "failed")) engine.loop.step();
    // Its lane is empty and rests: the next request waits for the other one.
    const next = engine.submit(good(2), { conversation: "c", maxTokens: 3 });
    engine.loop.step();
    expect(engine.device.log).not.toContain("wipe");
    expect(engine.of(next).map(({ type }) => type)).toEqual(["accepted"]);
    engine.drain();
    expect(engine.tokens(beside)).toEqual(coldRun(memory, good(1), { maxTokens: 40 }).tokens);
    expect(engine.tokens(next)).toEqual(coldRun(memory, good(2), { maxTokens: 3 }).tokens);
    expect(engine.device.log.filter((line) => line === "wipe")).toHaveLength(1);
  });

  test("two are two failures, and nothing is left open", () => {
    const engine = new EngineHarness({ memory, lanes: 2, spares: 1 });
    const ids = [3, 60].map((at) => engine.submit(poison(at), { conversation: `${at}` }));
    engine.drain();
    for (const id of ids) expect(engine.terminal(id)).toMatchObject({ type: "failed", code: "bad-numbers" });
    expect(engine.run(good(1), { conversation: "d" }).predictedTokens).toBe(8);
    expect(engine.device.samplersOpen).toBe(0);
  });
});
