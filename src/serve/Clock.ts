/** Timers by interface, so that tests own the time. */
export interface Clock {
  /** Seconds since 1970. */
  nowSeconds(): number;
  /** Calls `then` once, after `ms`; the returned function forgets it. */
  after(ms: number, then: () => void): () => void;
}

export const systemClock: Clock = {
  nowSeconds: () => Math.floor(Date.now() / 1000),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
