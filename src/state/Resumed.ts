/** What a run resumed from, as its report tells it. */
import type { MissReason, RunReport } from "../run/RunReport.ts";
import { cutAt, warmTokens } from "./Chain.ts";
import type { Found } from "./findResume.ts";
import type { Sequence } from "./Sequence.ts";

export interface Resumed {
  readonly sequence: Sequence;
  /** Chunks resumed. */
  readonly chunks: number;
  readonly resumedTokens: number;
  readonly warmedTokens: number;
  readonly missReason: MissReason;
  readonly missAt: number;
  readonly source: RunReport["source"];
}

/** All of it but why it was no more. */
export function whatResumed(found: Found | null, sequence: Sequence, inPlace: boolean) {
  if (found === null) {
    return { sequence, chunks: 0, resumedTokens: 0, warmedTokens: 0, source: "none" as const };
  }
  return {
    sequence,
    chunks: found.index,
    resumedTokens: cutAt(found.chain.plan, found.index),
    warmedTokens: warmTokens(found.chain, found.index),
    source: sourceOf(found, inPlace),
  };
}

function sourceOf(found: Found, inPlace: boolean): RunReport["source"] {
  if (found.place.kind === "host") return "host";
  if (found.place.kind === "disk") return "disk";
  if (found.place.kind === "snapshot") return "snapshot";
  if (!inPlace) return "fork";
  return found.snapshot === null ? "sequence" : "snapshot";
}

/** What came of asking for a state to start from. */
export type Begun =
  | { readonly type: "started"; readonly resumed: Resumed }
  /** Warm only: the state at the last cut is kept already; nothing was moved. */
  | { readonly type: "complete"; readonly resumed: Resumed }
  /** Warm only: a full save was made first; ask again. */
  | { readonly type: "saved" }
  /** Warm only: this variant would overwrite another. */
  | { readonly type: "nowhere" };
