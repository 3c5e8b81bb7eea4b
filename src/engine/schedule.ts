/**
 * What the engine does next. A decode step of all streams lies between two prefill chunks, so that a long
 * prompt slows streams but never stops them. Warm work is deferred, not cancelled: it gets a step only while no
 * request runs or waits. Where replies and embeddings are both asked for, they take turns.
 */
import type { RunSpec } from "../run/RunSpec.ts";
import type { Returns } from "../state/Turns.ts";

export type Unit = "prefill" | "decode" | "embed" | "warm" | "idle";

export interface Work {
  /** A request is in prefill, or waits and a lane is idle. */
  readonly canPrefill: boolean;
  readonly decoding: number;
  /** Embedding left out of account. */
  readonly lastUnit: Unit;
  readonly warmRuns: number;
  /** Requests to embed. */
  readonly embeds: number;
  readonly hasJustEmbedded: boolean;
}

export function nextUnit(work: Work): Unit {
  const unit = unitOfRuns(work);
  const isReply = unit === "prefill" || unit === "decode";
  return work.embeds > 0 && !(isReply && work.hasJustEmbedded) ? "embed" : unit;
}

/**
 * The warm run that is worth most, of those that wait in the order they came: everybody's likeliest next turn before
 * anybody's second, and of those the surest to come. So one that has begun goes on, unless a surer one has come.
 */
export function mostWorth<R extends { readonly spec: Pick<RunSpec, "variant" | "conversation"> }>(
  runs: readonly R[],
  returns: (conversation: string) => Returns,
): R | undefined {
  const rank = ({ spec }: R): number => returns(spec.conversation.id) - 3 * (spec.variant ?? 0);
  return runs.reduce<R | undefined>(
    (best, run) => (best === undefined || rank(run) > rank(best) ? run : best),
    undefined,
  );
}

function unitOfRuns(work: Work): Unit {
  if (work.canPrefill && (work.decoding === 0 || work.lastUnit !== "prefill")) return "prefill";
  if (work.decoding > 0) return "decode";
  // Deferred until here: nothing of a request is left to do.
  return work.warmRuns > 0 ? "warm" : "idle";
}
