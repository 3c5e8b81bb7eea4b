import { describe, expect, test } from "bun:test";
import { PrefillOrder, type PrefillRun } from "../../../src/engine/PrefillOrder.ts";
import type { Plan } from "../../../src/plan/Plan.ts";
import { EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user } from "../../support/makePlan.ts";

interface FakeRun extends PrefillRun {
  chunks: number;
}

let nextId = 0;
function run(keys: readonly number[], tenant = ""): FakeRun {
  const plan: Plan = {
    tokens: new Int32Array(1),
    cuts: new Int32Array(keys.length),
    trips: new Int32Array(0),
    keys: BigUint64Array.from(keys.map(BigInt)),
    keep: [],
  };
  return { id: nextId++, spec: { tenant, plan }, chunks: 0 };
}

/** Gives chunks until nothing is left; the order in which the runs were served. */
function served(waiting: FakeRun[], lanes: number, prefilling: FakeRun[] = []): number[] {
  const order = new PrefillOrder<FakeRun>();
  const log: number[] = [];
  for (let step = 0; step < 100; step++) {
    const one = order.next(prefilling, waiting, prefilling.length < lanes);
    if (one === undefined) return log;
    log.push(one.id);
    const at = waiting.indexOf(one);
    if (at >= 0) prefilling.push(...waiting.splice(at, 1));
    one.chunks++;
    if (one.chunks > one.spec.plan.keys.length) prefilling.splice(prefilling.indexOf(one), 1);
  }
  throw new Error("it never ends");
}

describe("prompts take turns", () => {
  test("a short one behind a long one is served next", () => {
    const long = run([1, 2, 3, 4]);
    const short = run([]);
    expect(served([long, short], 2)).toEqual([long.id, long.id, short.id, long.id, long.id, long.id]);
  });

  test("two long ones in turns", () => {
    const [a, b] = [run([1, 2]), run([11, 12])];
    expect(served([a, b], 2)).toEqual([a.id, a.id, b.id, a.id, b.id, b.id]);
  });

  test("with one lane, in the order they came", () => {
    const [a, b] = [run([1, 2]), run([])];
    expect(served([a, b], 1)).toEqual([a.id, a.id, a.id, b.id]);
  });

  test("one that begins as another waits for what they share, and no longer", () => {
    const [a, b] = [run([1, 2, 3]), run([1, 2, 13])];
    const order = served([a, b], 2);
    expect(order.indexOf(b.id)).toBe(2);
    expect(order.slice(0, 2)).toEqual([a.id, a.id]);
  });

  test("one that wants nothing resumed waits for nothing", () => {
    const a = run([1, 2, 3]);
    const b: FakeRun = { ...run([1, 2, 3]), spec: { ...run([1, 2, 3]).spec, resumes: false } };
    expect(served([a, b], 2).indexOf(b.id)).toBe(2);
  });

  test("new ones never take every turn", () => {
    const long = run([1, 2, 3, 4, 5, 6]);
    const short = Array.from({ length: 20 }, () => run([]));
    const order = served([long, ...short], 2);
    expect(order.lastIndexOf(long.id)).toBeLessThan(2 * 7);
  });

  test("tenants start in turns", () => {
    const many = Array.from({ length: 5 }, () => run([], "a"));
    const one = run([], "b");
    expect(served([...many, one], 1).indexOf(one.id)).toBe(1);
  });
});

test("a short prompt's first token comes before a long prompt is through", () => {
  const engine = new EngineHarness({ memory: "dense", lanes: 2, ctxTokens: 8192 });
  const long = makePlan("dense", prompt(user(1, 4000)));
  const short = makePlan("dense", prompt(user(9000, 12)));
  const first = engine.submit(long, { conversation: "long" });
  engine.loop.step();
  const second = engine.submit(short, { conversation: "short" });
  engine.drain();
  const at = (id: number): number =>
    engine.events.findIndex((event) => event.type === "tokens" && event.id === id);
  expect(at(second)).toBeGreaterThan(0);
  expect(at(second)).toBeLessThan(at(first));
  const chunksBetween = engine.events
    .slice(0, at(second))
    .filter((event) => event.type === "prefill" && event.id === first && event.evaluated > 0);
  expect(chunksBetween.length).toBeLessThanOrEqual(3);
});
