/**
 * Which prompt is prefilled next, one chunk at a time. Prompts that hold a lane take turns, so that a short one does not
 * wait behind a long one; a new one starts at once where a lane is idle, unless it shares chunks with a prompt that is
 * just being prefilled: then it waits for those, and resumes from them. Tenants start in turns, too.
 */
import type { Plan } from "../plan/Plan.ts";

export interface PrefillRun {
  readonly id: number;
  readonly spec: { readonly tenant: string; readonly plan: Plan; readonly resumes?: boolean };
  /** Chunks of the plan that are in place. */
  readonly chunks: number;
}

export class PrefillOrder<R extends PrefillRun> {
  /** Run → when it was last given a chunk. */
  readonly #served = new WeakMap<R, number>();
  /** Tenant → when a run of it last started. */
  readonly #started = new Map<string, number>();
  #turn = 0;
  #lastWasNew = false;

  /**
   * `prefilling` hold lanes, `waiting` are in the order they came; undefined where neither has one to go on with. The
   * caller gives the run its chunk.
   */
  next(prefilling: readonly R[], waiting: readonly R[], hasIdleLane: boolean): R | undefined {
    const fresh = hasIdleLane ? this.#newcomer(prefilling, waiting) : undefined;
    const oldest = this.#longestUnserved(prefilling);
    const takesNew = fresh !== undefined && (oldest === undefined || !this.#lastWasNew);
    const run = takesNew ? fresh : oldest;
    if (run === undefined) return undefined;
    this.#turn++;
    this.#served.set(run, this.#turn);
    if (takesNew) this.#noteStart(run.spec.tenant);
    this.#lastWasNew = takesNew;
    return run;
  }

  #longestUnserved(prefilling: readonly R[]): R | undefined {
    let oldest: R | undefined;
    for (const run of prefilling) {
      if (oldest === undefined || this.#servedAt(run) < this.#servedAt(oldest)) oldest = run;
    }
    return oldest;
  }

  #servedAt(run: R): number {
    return this.#served.get(run) ?? 0;
  }

  /** Of the tenant that has waited longest for a start; of one tenant the first to come. */
  #newcomer(prefilling: readonly R[], waiting: readonly R[]): R | undefined {
    let best: R | undefined;
    for (const run of waiting) {
      if (best !== undefined && this.#startedAt(run) >= this.#startedAt(best)) continue;
      if (!prefilling.some((other) => isAhead(other, run))) best = run;
    }
    return best;
  }

  #startedAt({ spec }: R): number {
    return this.#started.get(spec.tenant) ?? 0;
  }

  #noteStart(tenant: string): void {
    this.#started.delete(tenant);
    this.#started.set(tenant, this.#turn);
    if (this.#started.size <= TENANTS_MAX) return;
    for (const first of this.#started.keys()) {
      this.#started.delete(first);
      break;
    }
  }
}

/** Tenants whose last start is remembered; one that is forgotten goes first once. */
const TENANTS_MAX = 1024;

/** `other` is about to evaluate chunks that `run` begins with as well. */
function isAhead(other: PrefillRun, run: PrefillRun): boolean {
  if (run.spec.resumes === false) return false;
  const mine = run.spec.plan.keys;
  const theirs = other.spec.plan.keys;
  // A key names all in front of it.
  return other.chunks < Math.min(mine.length, theirs.length) && mine[other.chunks] === theirs[other.chunks];
}
