/**
 * The rows of a prompt that a place holds, named by the plan's keys. Two chains share a cut only when the key
 * there and every token before it agree: a key is looked up, never trusted.
 */
import type { Plan } from "../plan/Plan.ts";

export interface Chain {
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: number;
  readonly plan: Plan;
  /** Which of the next turns that were warmed this is; 0 for the likeliest, and for a request's. */
  readonly variant: number;
  /** For each chunk: 1 where a warm run evaluated it, 0 where a request did. */
  readonly warm: Uint8Array;
  /** Chunks of it that a request has asked for; those behind were only foreseen. */
  readonly asked: number;
  /** Chunks whose rows are in place. */
  length: number;
  /** Prompt tokens whose rows are in place; past the last cut once the last chunk was evaluated. */
  end: number;
}

/** Position of the state after `index` chunks. */
export function cutAt(plan: Plan, index: number): number {
  return index === 0 ? 0 : (plan.cuts[index - 1] ?? 0);
}

/** Tokens that two prompts share from their start, at most `limit`. */
export function commonTokens(a: Int32Array, b: Int32Array, limit: number): number {
  const end = Math.min(a.length, b.length, limit);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}

/** Chunks of `plan` whose rows the first `length` chunks of `held` are, by key and by token. */
export function sharedChunks(held: Plan, length: number, plan: Plan): number {
  // Keys are chained: where one agrees, all before it do.
  let low = 0;
  let high = Math.min(length, plan.keys.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (held.keys[middle - 1] === plan.keys[middle - 1]) low = middle;
    else high = middle - 1;
  }
  if (low === 0 || held === plan) return low;
  const common = commonTokens(held.tokens, plan.tokens, cutAt(plan, low));
  while (low > 0 && (cutAt(plan, low) > common || cutAt(held, low) !== cutAt(plan, low))) low--;
  return low;
}

/** Of the first `index` chunks, the tokens that a warm run evaluated. */
export function warmTokens(chain: Chain, index: number): number {
  let tokens = 0;
  for (let i = 0; i < index; i++) {
    if (chain.warm[i] === 1) tokens += cutAt(chain.plan, i + 1) - cutAt(chain.plan, i);
  }
  return tokens;
}
