/**
 * What the engine does next. A decode step of all streams lies between two prefill chunks, so that a long
 * prompt slows streams but never stops them; warm work runs only while nobody waits.
 */
export type Unit = "prefill" | "decode" | "warm" | "idle";

export interface Work {
  /** A request is in prefill, or waits and a lane is idle. */
  readonly canPrefill: boolean;
  readonly decoding: number;
  readonly lastUnit: Unit;
  readonly warmRuns: number;
}

export function nextUnit(work: Work): Unit {
  if (work.canPrefill && (work.decoding === 0 || work.lastUnit !== "prefill")) return "prefill";
  if (work.decoding > 0) return "decode";
  return work.warmRuns > 0 ? "warm" : "idle";
}
