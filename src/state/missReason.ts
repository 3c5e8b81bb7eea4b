/**
 * Why a run resumed no further: found by comparing tokens with the nearest kept chain of the same tenant, never
 * with another's.
 */

import type { Plan } from "../plan/Plan.ts";
import type { MissReason } from "../run/RunReport.ts";
import { commonTokens, sharedChunks } from "./Chain.ts";
import type { States } from "./findResume.ts";
import type { LostKeys } from "./LostKeys.ts";

export interface Miss {
  readonly missReason: MissReason;
  /** First token position at which the nearest kept chain parts from the plan, or -1. */
  readonly missAt: number;
}

/** `resumed` is in chunks. */
export function missReason(
  states: States,
  lost: LostKeys,
  tenant: string,
  plan: Plan,
  resumed: number,
): Miss {
  if (resumed === plan.keys.length) return { missReason: "none", missAt: -1 };
  const kept = nearest(states, tenant, plan);
  // What is on disk alone is in no chain.
  const near = { ...kept, chunks: Math.max(kept.chunks, resumed) };
  const missAt = near.tokens < 0 || near.tokens === plan.tokens.length ? -1 : near.tokens;
  if (lost.longest(plan.keys, tenant) > resumed) return { missReason: "evicted", missAt };
  if (near.chunks > resumed) return { missReason: "no-rollback", missAt };
  return { missReason: near.chunks === 0 ? "cold" : "tokens-differ", missAt };
}

/** Most tokens, and most chunks, that any kept chain shares with the plan; -1 tokens where nothing is kept. */
function nearest(states: States, tenant: string, plan: Plan): { tokens: number; chunks: number } {
  const near = { tokens: -1, chunks: 0 };
  const compare = (held: Plan, length: number, end: number): void => {
    near.tokens = Math.max(near.tokens, commonTokens(held.tokens, plan.tokens, end));
    near.chunks = Math.max(near.chunks, sharedChunks(held, length, plan));
  };
  for (const { chain } of states.sequences) {
    if (chain !== null && chain.tenant === tenant) compare(chain.plan, chain.length, chain.end);
  }
  for (const { chain, index } of states.store.saves) {
    if (chain.tenant === tenant) compare(chain.plan, index, chain.plan.cuts[index - 1] ?? 0);
  }
  if (states.memory === "recurrent") {
    for (const { chain, index } of states.store.snapshots) {
      if (chain.tenant === tenant) compare(chain.plan, index, chain.plan.cuts[index - 1] ?? 0);
    }
  }
  return near;
}
