/** When a crashed server is started again, and when not: a run of crashes, each soon after the start, is given up. */

/** A server that was ready for so long has shown that it can serve: its crash is the first again. */
const STEADY_MS = 60_000;
/** In front of each start of a run of crashes; the first is at once, because most crashes do not come again. */
const DELAYS_MS = [0, 1_000, 2_000, 4_000] as const;

/** Crashes in a row after which the server is not started again. */
export const CRASHES_MAX: number = DELAYS_MS.length + 1;

export class CrashRun {
  #crashes = 0;

  /** Milliseconds until the next start; null: no further one. `readyMs` is how long the server was ready. */
  crashed(readyMs: number): number | null {
    this.#crashes = readyMs >= STEADY_MS ? 1 : this.#crashes + 1;
    return DELAYS_MS[this.#crashes - 1] ?? null;
  }
}
