/** Log-probabilities of one row of logits as the model gave them, before any sampler. */
import type { TokenProbs } from "../run/RunSpec.ts";

/** Of `token`, and of the `top` likeliest: likeliest first, and of equals the lower id. */
export function rowLogProbs(logits: Float32Array, token: number, top: number): TokenProbs {
  let most = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > most) most = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - most);
  const all = most + Math.log(sum);
  return {
    token,
    value: (logits[token] ?? Number.NEGATIVE_INFINITY) - all,
    top: highest(logits, top).map((one) => ({ token: one, value: (logits[one] ?? 0) - all })),
  };
}

/** Indices of the `count` highest values, in order. One pass; what is below the lowest so far costs a comparison. */
export function highest(values: Float32Array, count: number): readonly number[] {
  const best: number[] = [];
  if (count <= 0) return best;
  let least = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? Number.NEGATIVE_INFINITY;
    if (best.length === count && value <= least) continue;
    let at = best.length;
    while (at > 0 && (values[best[at - 1] ?? 0] ?? 0) < value) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
    least = values[best.at(-1) ?? 0] ?? least;
  }
  return best;
}
