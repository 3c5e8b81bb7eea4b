/**
 * Why a run resumed no further: found by comparing tokens with the nearest kept chain of the same tenant, never
 * with another's.
 */

import type { Plan } from "../plan/Plan.ts";
import type { MissReason } from "../run/RunReport.ts";
import { type Chain, commonTokens, sharedChunks } from "./Chain.ts";
import type { States } from "./findResume.ts";
import type { LostKeys } from "./LostKeys.ts";
import type { Turns } from "./Turns.ts";

export interface Miss {
  readonly missReason: MissReason;
  /** First token position at which the nearest kept chain parts from the plan, or -1. */
  readonly missAt: number;
}

/** `resumed` is in chunks. */
export function missReason(
  states: States,
  turns: Turns,
  lost: LostKeys,
  tenant: string,
  plan: Plan,
  resumed: number,
): Miss {
  if (resumed === plan.keys.length) return { missReason: "none", missAt: -1 };
  const kept = nearest(states, turns, tenant, plan);
  // What is on disk alone is in no chain.
  const near = { ...kept, chunks: Math.max(kept.chunks, resumed) };
  const missAt = near.tokens < 0 || near.tokens === plan.tokens.length ? -1 : near.tokens;
  if (lost.longest(plan.keys, tenant) > resumed) return { missReason: "evicted", missAt };
  if (near.chunks > resumed) return { missReason: "no-rollback", missAt };
  // All that anybody could know of it was there: the plan goes on where the chain ends.
  if (near.chunks > 0 && near.end !== "parts")
    return near.end === "foreseen"
      ? { missReason: "none", missAt: -1 }
      : { missReason: "not-warmed", missAt };
  return { missReason: near.chunks === 0 ? "cold" : "tokens-differ", missAt };
}

interface Nearest {
  tokens: number;
  chunks: number;
  /** How the nearest chain ends: the plan parts from it, or goes on behind it. */
  end: "parts" | "asked" | "foreseen";
}

function endOf(turns: Turns, chain: Chain, length: number, goesOn: boolean): Nearest["end"] {
  if (!goesOn || length < chain.plan.keys.length) return "parts";
  const isForeseen = chain.asked < chain.plan.keys.length || turns.isWarmed(chain.conversation, chain.turn);
  return isForeseen ? "foreseen" : "asked";
}

/** Most tokens, and most chunks, that any kept chain shares with the plan; -1 tokens where nothing is kept. */
function nearest(states: States, turns: Turns, tenant: string, plan: Plan): Nearest {
  const near: Nearest = { tokens: -1, chunks: 0, end: "parts" };
  const compare = (chain: Chain, length: number, end: number): void => {
    const held = chain.plan;
    const tokens = commonTokens(held.tokens, plan.tokens, end);
    near.chunks = Math.max(near.chunks, sharedChunks(held, length, plan));
    if (tokens < near.tokens) return;
    const how = endOf(turns, chain, length, tokens === end);
    // Of chains that share as much, one that was foreseen says most.
    if (tokens > near.tokens || how === "foreseen") near.end = how;
    near.tokens = tokens;
  };
  for (const { chain } of states.sequences) {
    if (chain !== null && chain.tenant === tenant) compare(chain, chain.length, chain.end);
  }
  for (const { chain, index } of states.store.saves) {
    if (chain.tenant === tenant) compare(chain, index, chain.plan.cuts[index - 1] ?? 0);
  }
  if (states.memory === "recurrent") {
    for (const { chain, index } of states.store.snapshots) {
      if (chain.tenant === tenant) compare(chain, index, chain.plan.cuts[index - 1] ?? 0);
    }
  }
  return near;
}
