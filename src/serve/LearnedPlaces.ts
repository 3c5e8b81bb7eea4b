/**
 * Places at which prompts were rewritten: a date in a system prompt, a tool list that changes, old results that are
 * masked anew each turn. What was rewritten twice will be again, so a state is kept in front of it from then on. It is
 * in no key and changes no token of a prompt: it says which cuts are worth a snapshot.
 */
import { LEARNED_PLACES_MAX } from "../base/limits.ts";
import type { Plan } from "../plan/Plan.ts";

/** Times after which a place counts as one that is rewritten. */
const OFTEN = 2;
/** Cuts that are kept around the next one of a place that moves on from turn to turn. */
const AHEAD_MAX = 4;

/** Where a conversation's prompts parted from the ones before, in tokens and turn after turn; the newest last. */
export type Rewrites = readonly number[];

export class LearnedPlaces {
  /** Times that prompts parted behind this key: it names the tenant as well. In order of use. */
  readonly #times = new Map<bigint, number>();

  /** A prompt has parted from an earlier one behind its first `shared` chunks. */
  parted(plan: Plan, shared: number): void {
    const key = plan.keys[shared - 1];
    if (key === undefined) return;
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.delete(key);
    this.#times.set(key, times);
    if (this.#times.size <= LEARNED_PLACES_MAX) return;
    for (const oldest of this.#times.keys()) {
      this.#times.delete(oldest);
      return;
    }
  }

  /** Cuts of the plan in front of a place that was rewritten twice, ascending. */
  fixed(plan: Plan): readonly number[] {
    return [...plan.cuts].filter((_, i) => (this.#times.get(plan.keys[i] ?? 0n) ?? 0) >= OFTEN);
  }
}

/** One more parting, at `place`; a conversation is known by its last few. */
export function withRewrite(rewrites: Rewrites, place: number): Rewrites {
  return [...rewrites, place].slice(-OFTEN);
}

/**
 * Cuts around the place that is rewritten next: a window of kept results goes on by as much as it did last. None where
 * it has not been rewritten often, or stands still.
 */
export function ahead(plan: Plan, rewrites: Rewrites): readonly number[] {
  const [first, last] = rewrites;
  if (first === undefined || last === undefined || last <= first) return [];
  const next = 2 * last - first;
  const nearest = [...plan.cuts]
    .filter((cut) => cut > last)
    .sort((a, b) => Math.abs(a - next) - Math.abs(b - next));
  return nearest.slice(0, AHEAD_MAX).sort((a, b) => a - b);
}
