/**
 * What is done at each cut of a plan once its chunk was evaluated. On sliding-window models every kept point
 * means the last trip at or before it: nowhere else can such a state be resumed.
 */

import type { Plan } from "../plan/Plan.ts";
import type { MemoryKind } from "../run/EngineReady.ts";

export const TRIP = 1;
/** Worth a snapshot. */
export const KEEP = 2;
/** End of system prompt and tools. */
export const HEAD = 4;
/** Worth a snapshot where nothing else has to go for it. */
export const WHILE_ROOM = 8;

/** One byte of flags a cut. */
export function cutMarks(memory: MemoryKind, plan: Plan): Uint8Array {
  const marks = new Uint8Array(plan.cuts.length);
  const index = new Map<number, number>();
  for (const [i, cut] of plan.cuts.entries()) index.set(cut, i);
  const mark = (cut: number, flags: number): void => {
    const i = index.get(cut);
    if (i !== undefined) marks[i] = (marks[i] ?? 0) | flags;
  };
  if (memory === "window") for (const trip of plan.trips) mark(trip, TRIP);
  const head = plan.keep.find(({ reason }) => reason === "head")?.cut ?? 0;
  for (const { cut, reason } of plan.keep) {
    if (reason === "user-inside") {
      // On a window model every trip is kept while there is room.
      if (memory !== "window") mark(cut, WHILE_ROOM);
      continue;
    }
    // What is rewritten in front of the first user message is a head that other conversations begin with.
    const isHead = reason === "head" || (reason === "learned" && cut < head);
    mark(memory === "window" ? tripAt(plan, cut) : cut, KEEP | (isHead ? HEAD : 0));
  }
  return marks;
}

/** The last trip at or before `cut`, 0 where there is none. */
function tripAt(plan: Plan, cut: number): number {
  let last = 0;
  for (const trip of plan.trips) {
    if (trip > cut) break;
    last = trip;
  }
  return last;
}
