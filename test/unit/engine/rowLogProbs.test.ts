/** Log-probabilities against the definition, by fast-check. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { rowLogProbs } from "../../../src/engine/rowLogProbs.ts";
import { highest } from "../../../src/run/highest.ts";
import { processorTime } from "../../support/processorTime.ts";

const ROW = fc
  .array(fc.oneof(fc.float({ min: -50, max: 50, noNaN: true }), fc.constantFrom(0, 1, -Infinity)), {
    minLength: 1,
    maxLength: 40,
  })
  .map((values) => Float32Array.from([...values, 3]));

test("they are the logarithms of a softmax, likeliest first", () => {
  fc.assert(
    fc.property(ROW, fc.nat(45), fc.nat(), (logits, top, pick) => {
      const token = pick % logits.length;
      const probs = rowLogProbs(logits, token, top);
      const sum = logits.reduce((all, logit) => all + Math.exp(logit), 0);
      const wanted = [...logits].map((logit) => Math.log(Math.exp(logit) / sum));
      expect(probs.token).toBe(token);
      if (Number.isFinite(wanted[token] ?? 0)) expect(probs.value).toBeCloseTo(wanted[token] ?? 0, 6);
      const order = [...logits.keys()].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b);
      expect(probs.top.map((one) => one.token)).toEqual(order.slice(0, top));
      expect(highest(logits, top)).toEqual(order.slice(0, top));
      const ids = Int32Array.from(logits, (_, i) => (i * 7 + pick) % 101);
      const byId = [...logits.keys()].sort(
        (a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || (ids[a] ?? 0) - (ids[b] ?? 0),
      );
      expect(highest(logits, top, ids)).toEqual(byId.slice(0, top));
    }),
  );
});

test("of 150,000 they take a few milliseconds, in whatever order they lie", () => {
  const size = 150_000;
  const rising = Float32Array.from({ length: size }, (_, i) => i / 10_000);
  const falling = rising.slice().reverse();
  // Nothing like a row of a model's, and the most that the search can cost.
  for (const [row, ms] of [
    [falling, 40],
    [rising, 120],
  ] as const) {
    rowLogProbs(row, 0, 20);
    const used = processorTime();
    for (let times = 0; times < 5; times += 1) rowLogProbs(row, 0, 20);
    expect(used() / 5).toBeLessThan(ms);
  }
});
