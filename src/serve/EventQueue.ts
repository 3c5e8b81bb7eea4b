/**
 * From callbacks to `for await`, in order. Its length is bounded by what fills it: a run gives one event a
 * chunk and one a token, and its tokens are bounded by the context.
 */
export class EventQueue<T> {
  readonly #events: T[] = [];
  #wake: (() => void) | undefined;

  push(event: T): void {
    this.#events.push(event);
    this.#wake?.();
  }

  async next(): Promise<T> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
