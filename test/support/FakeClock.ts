/** A clock that stands still until the test moves it. */
import type { Clock } from "../../src/serve/Clock.ts";

export class FakeClock implements Clock {
  #now = 1_700_000_000_000;
  readonly #timers = new Set<{ readonly at: number; readonly then: () => void }>();

  nowSeconds(): number {
    return Math.floor(this.#now / 1000);
  }

  get timers(): number {
    return this.#timers.size;
  }

  after(ms: number, then: () => void): () => void {
    const timer = { at: this.#now + ms, then };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.#now) break;
      this.#timers.delete(timer);
      timer.then();
    }
  }
}
