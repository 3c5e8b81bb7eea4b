/** Log-probabilities of one row of logits as the model gave them, before any sampler. */
import { highest } from "../run/highest.ts";
import type { TokenProbs } from "../run/RunSpec.ts";

/** Of `token`, and of the `top` likeliest: likeliest first, and of equals the lower id. */
export function rowLogProbs(logits: Float32Array, token: number, top: number): TokenProbs {
  // By index: an iterator over 150,000 of them takes 3.6 ms more.
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) {
    const logit = logits[i] ?? Number.NEGATIVE_INFINITY;
    if (logit > most) most = logit;
  }
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp((logits[i] ?? Number.NEGATIVE_INFINITY) - most);
  const all = most + Math.log(sum);
  return {
    token,
    value: (logits[token] ?? Number.NEGATIVE_INFINITY) - all,
    top: highest(logits, top).map((one) => ({ token: one, value: (logits[one] ?? 0) - all })),
  };
}
