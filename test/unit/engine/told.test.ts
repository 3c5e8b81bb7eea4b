/** What a run tells beside its tokens, only where it is asked to, and never at the cost of a bit. */
import { describe, expect, test } from "bun:test";
import type { EngineEvent } from "../../../src/run/EngineEvent.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { EngineHarness, GREEDY } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const PLAN = (memory: MemoryKind) => makePlan(memory, prompt(words(1, 100), user(2, 50)));

type Tokens = Extract<EngineEvent, { type: "tokens" }>;
const tokensOf = (engine: EngineHarness, id: number): Tokens[] =>
  engine.of(id).filter((event) => event.type === "tokens");

test("probabilities and reports come with each token where they are asked for, and nothing changes", () => {
  const engine = new EngineHarness({ memory: "dense" });
  // Seeded, so that a sampler that was asked more often would choose otherwise.
  const sampling = { ...GREEDY, temperature: 1 };
  const plain = engine.submit(PLAN("dense"), { sampling });
  engine.drain();
  const asked = engine.submit(PLAN("dense"), {
    sampling,
    turn: 2,
    probs: { top: 2, afterSampling: false },
    reports: true,
  });
  engine.drain();
  expect(tokensOf(engine, plain).some((event) => "probs" in event || "report" in event)).toBe(false);
  const events = tokensOf(engine, asked);
  expect(events).toHaveLength(8);
  for (const [index, { tokens, probs, report }] of events.entries()) {
    expect(probs).toHaveLength(1);
    expect(probs?.[0]).toMatchObject({ token: tokens[0] ?? -1, top: [{ value: -1 }, { value: -2 }] });
    expect(report).toMatchObject({ predictedTokens: index + 1 });
  }
  expect(engine.report(asked).logitsHash).toBe(engine.report(plain).logitsHash ?? "");
  expect(engine.report(asked).tokensHash).toBe(engine.report(plain).tokensHash ?? "");
});

test("probabilities after sampling are the sampler's", () => {
  const engine = new EngineHarness({ memory: "dense" });
  const id = engine.submit(PLAN("dense"), { probs: { top: 3, afterSampling: true } });
  engine.drain();
  for (const { tokens, probs } of tokensOf(engine, id)) {
    const [token] = tokens;
    expect(probs).toEqual([{ token: token ?? -1, value: 1, top: [{ token: token ?? -1, value: 1 }] }]);
  }
});

test("progress tells the time since the run began", () => {
  const engine = new EngineHarness({ memory: "dense" });
  engine.run(PLAN("dense"));
  const id = engine.submit(makePlan("dense", prompt(words(9, 100), user(2, 50))));
  engine.drain();
  const progress = engine.of(id).filter((event) => event.type === "prefill");
  expect(progress.map(({ ms }) => Math.round(ms))).toEqual(progress.map(({ evaluated }) => evaluated));
  expect(progress[0]).toMatchObject({ evaluated: 0, ms: 0 });
});

describe.each(KINDS)("%s", (memory) => {
  test("a run that asks for it resumes nothing, and is the same bit for bit", () => {
    const engine = new EngineHarness({ memory });
    const plan = PLAN(memory);
    const first = engine.run(plan);
    const again = engine.run(plan, { turn: 2, resumes: false });
    expect(again).toMatchObject({ resumedTokens: 0, missReason: "not-asked", source: "none" });
    expect(again.prefilledTokens).toBe(plan.tokens.length);
    expect(again.logitsHash).toBe(first.logitsHash ?? "");
    const third = engine.run(plan, { turn: 3 });
    expect(third.resumedTokens).toBeGreaterThan(0);
    expect(third.logitsHash).toBe(first.logitsHash ?? "");
  });

  test("a request for no tokens tells what is kept, and the next one resumes exactly that", () => {
    const engine = new EngineHarness({ memory });
    const plan = PLAN(memory);
    const id = engine.submit(plan, { maxTokens: 0 });
    engine.drain();
    expect(engine.terminal(id)).toMatchObject({ type: "done", reason: "prefilled" });
    const { keptTokens } = engine.report(id);
    expect(keptTokens).toBe(memory === "window" ? (plan.trips.at(-1) ?? 0) : (plan.cuts.at(-1) ?? 0));
    const next = engine.run(plan, { turn: 2 });
    expect(next.resumedTokens).toBe(keptTokens ?? -1);
    expect(next.keptTokens).toBeUndefined();
  });

  test("where nothing is resumed, nothing is kept", () => {
    const engine = new EngineHarness({ memory, resumeAllowed: false });
    expect(engine.run(PLAN(memory), { maxTokens: 0 }).keptTokens).toBe(0);
  });
});
