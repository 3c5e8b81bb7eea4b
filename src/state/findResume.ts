/**
 * The longest cut of a plan whose state is kept, and where. What each memory kind allows is decided here and
 * nowhere else: dense goes back to any cut of its rows; the others stand at an untouched live end, or take a
 * snapshot over rows that are its own. A recurrent snapshot is a whole state and needs no rows.
 */

import type { Plan } from "../plan/Plan.ts";
import type { MemoryKind } from "../run/EngineReady.ts";
import { type Chain, cutAt, sharedChunks } from "./Chain.ts";
import type { DiskStore, OnDisk } from "./disk/DiskStore.ts";
import type { FullSave, HostStore, Snapshot } from "./HostStore.ts";
import type { Sequence } from "./Sequence.ts";

export type Place =
  | { readonly kind: "sequence"; readonly sequence: Sequence }
  | { readonly kind: "host"; readonly save: FullSave }
  | { readonly kind: "disk"; readonly found: OnDisk }
  /** Recurrent only: the snapshot is everything. */
  | { readonly kind: "snapshot" };

export interface Found {
  /** Chunks of the plan that are resumed; at least 1. */
  readonly index: number;
  readonly place: Place;
  /** To be restored over the place's rows; null where its live end, or a truncation, is enough. */
  readonly snapshot: Snapshot | null;
  /** Whose chunks they are. */
  readonly chain: Chain;
}

export interface States {
  readonly memory: MemoryKind;
  readonly sequences: readonly Sequence[];
  readonly store: HostStore;
  /** Null where there is none, or none yet. */
  disk: DiskStore | null;
}

/** Where in `plan` a place with these rows can be resumed. */
export interface Reach {
  readonly index: number;
  readonly snapshot: Snapshot | null;
}

const NOWHERE: Reach = { index: 0, snapshot: null };

function reach(
  states: States,
  chain: Chain,
  length: number,
  live: boolean,
  tenant: string,
  plan: Plan,
): Reach {
  if (chain.tenant !== tenant) return NOWHERE;
  const shared = sharedChunks(chain.plan, length, plan);
  if (shared === 0) return NOWHERE;
  if (states.memory === "dense") return { index: shared, snapshot: null };
  if (live && shared === length) return { index: shared, snapshot: null };
  if (states.memory === "recurrent") return NOWHERE;
  return longestSnapshot(states.store, tenant, plan, shared);
}

/** The longest snapshot of the plan's first `limit` chunks. */
function longestSnapshot(store: HostStore, tenant: string, plan: Plan, limit: number): Reach {
  let best = NOWHERE;
  for (const snapshot of store.snapshots) {
    if (snapshot.index <= best.index || snapshot.index > limit || snapshot.chain.tenant !== tenant) continue;
    if (plan.keys[snapshot.index - 1] !== snapshot.key) continue;
    if (sharedChunks(snapshot.chain.plan, snapshot.index, plan) !== snapshot.index) continue;
    best = { index: snapshot.index, snapshot };
  }
  return best;
}

/** Where a sequence can itself be resumed: the furthest state that would be lost with it. */
export function ownReach(states: States, sequence: Sequence): Reach {
  const { chain } = sequence;
  if (chain === null) return NOWHERE;
  return reach(states, chain, chain.length, sequence.live, chain.tenant, chain.plan);
}

/** `rank` orders places that reach equally far; the lowest wins. `except` is left out. */
export function findResume(
  states: States,
  tenant: string,
  plan: Plan,
  rank: (place: Place) => number,
  except: Sequence | null = null,
): Found | null {
  let best: Found | null = null;
  let bestRank = 0;
  const offer = (found: Reach, place: Place, chain: Chain): void => {
    if (found.index === 0 || found.index < (best?.index ?? 0)) return;
    // A restore is work that a live end does not need.
    const placeRank = rank(place) + (found.snapshot === null ? 0 : 0.5);
    if (best !== null && found.index === best.index && placeRank >= bestRank) return;
    best = { index: found.index, place, snapshot: found.snapshot, chain };
    bestRank = placeRank;
  };
  for (const sequence of states.sequences) {
    const { chain } = sequence;
    if (chain === null || sequence === except) continue;
    const found = reach(states, chain, chain.length, sequence.live, tenant, plan);
    offer(found, { kind: "sequence", sequence }, chain);
  }
  for (const save of states.store.saves) {
    offer(reach(states, save.chain, save.index, true, tenant, plan), { kind: "host", save }, save.chain);
  }
  if (states.memory === "recurrent") {
    const found = longestSnapshot(states.store, tenant, plan, plan.keys.length);
    if (found.snapshot !== null) offer(found, { kind: "snapshot" }, found.snapshot.chain);
  }
  const onDisk = states.disk?.find(tenant, plan) ?? null;
  if (onDisk !== null) {
    const { index, warm } = onDisk;
    // Keys and tokens are the plan's own, as far as it goes.
    const chain = {
      tenant,
      conversation: "",
      turn: 0,
      plan,
      variant: 0,
      asked: 0,
      warm,
      length: index,
      end: cutAt(plan, index),
    };
    offer({ index, snapshot: null }, { kind: "disk", found: onDisk }, chain);
  }
  return best;
}
