/** A cold run is what the device gives by hand: each chunk, each trip, each sampled token evaluated as the next. */
import { describe, expect, test } from "bun:test";
import type { Plan } from "../../../src/plan/Plan.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, GREEDY } from "../../support/EngineHarness.ts";
import { FakeDevice } from "../../support/FakeDevice.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const REPLY_TOKENS = 6;

/** Without the loop: the plan's chunks in order, then token by token. Logits as 32-bit numbers, hashed one by one. */
function byHand(
  memory: MemoryKind,
  plan: Plan,
): { tokens: number[]; logitsHash: string; tokensHash: string } {
  const device = new FakeDevice({ memory, lanes: 1, spares: 0 });
  let from = 0;
  for (const to of [...plan.cuts, plan.tokens.length]) {
    device.prefill(0, from, plan.tokens.slice(from, to), to === plan.tokens.length);
    if (plan.trips.includes(to)) device.restore(0, "partial", device.save(0, "partial"));
    from = to;
  }
  using sampler = device.sampler(GREEDY, plan.tokens);
  const tokens: number[] = [];
  let logits = 0n;
  let hash = 0n;
  while (tokens.length < REPLY_TOKENS) {
    logits = Bun.hash.xxHash64(Uint32Array.of(device.output(0)), logits);
    const sampled = sampler.sample(0);
    if ("deadEnd" in sampled) throw new Error(sampled.deadEnd);
    tokens.push(sampled.token);
    hash = Bun.hash.xxHash64(Int32Array.of(sampled.token), hash);
    if (tokens.length < REPLY_TOKENS) device.decode([{ seq: 0, pos: from++, token: sampled.token }]);
  }
  const hex = (number: bigint): string => number.toString(16).padStart(16, "0");
  return { tokens, logitsHash: hex(logits), tokensHash: hex(hash) };
}

describe.each(KINDS)("%s", (memory) => {
  test.each([1, 2, 3])("prompt %d", (salt) => {
    const plan = makePlan(memory, prompt(words(salt, 90 + salt), user(salt, 30), user(salt + 1, 9)));
    expect(plan.cuts.length).toBeGreaterThan(3);
    const { tokens, ...hashes } = byHand(memory, plan);
    const cold = coldRun(memory, plan, { maxTokens: REPLY_TOKENS });
    expect(cold.tokens).toEqual(tokens);
    expect(cold.end).toMatchObject({ type: "done", reason: "length", report: hashes });
  });
});
