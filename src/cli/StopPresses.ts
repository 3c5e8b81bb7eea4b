/**
 * How often a server was told to stop: once is a request to end well, twice is one to end now. The same press comes
 * more than once: from the terminal to each of its processes, and again through `npx`, `bun run` and the supervisor.
 */

/** One key press through the programs in front of this one. */
const SAME_PRESS_MS = 500;

export class StopPresses {
  readonly #now: () => number;
  readonly #counts = { own: 0, relayed: 0 };
  readonly #lastMs = { own: Number.NEGATIVE_INFINITY, relayed: Number.NEGATIVE_INFINITY };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** True where this is one more press than were known. */
  press(way: "own" | "relayed"): boolean {
    const now = this.#now();
    const isNew = now - this.#lastMs[way] >= SAME_PRESS_MS;
    this.#lastMs[way] = now;
    if (!isNew) return false;
    const before = this.count;
    this.#counts[way] += 1;
    return this.count > before;
  }

  /** The same press is counted once on each way that it takes. */
  get count(): number {
    return Math.max(this.#counts.own, this.#counts.relayed);
  }
}
