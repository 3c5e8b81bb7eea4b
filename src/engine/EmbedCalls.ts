/** Requests to embed that the engine Worker has not answered yet; each ends exactly once. */
import { EmbedError } from "../run/EmbedError.ts";
import type { EmbedEvent, EmbedJob, EngineErrorCode } from "../run/EngineEvent.ts";

type Call = PromiseWithResolvers<readonly Float32Array[]>;

export interface EmbedPosts {
  readonly start: (job: EmbedJob) => void;
  readonly cancel: (id: number) => void;
}

export class EmbedCalls {
  readonly #open = new Map<number, Call>();
  readonly #posts: EmbedPosts;
  #nextId = 1;

  constructor(posts: EmbedPosts) {
    this.#posts = posts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Rejects with EmbedError, or with the signal's reason once the client has left. */
  async call(inputs: readonly Int32Array[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const call: Call = Promise.withResolvers();
    this.#open.set(id, call);
    const left = (): void => {
      this.#open.delete(id);
      this.#posts.cancel(id);
      call.reject(signal.reason);
    };
    signal.addEventListener("abort", left, { once: true });
    this.#posts.start({ id, inputs });
    try {
      return await call.promise;
    } finally {
      signal.removeEventListener("abort", left);
    }
  }

  receive(event: EmbedEvent): void {
    const call = this.#open.get(event.id);
    if (call === undefined) return;
    this.#open.delete(event.id);
    if (event.type === "embedded") call.resolve(event.vectors);
    else call.reject(new EmbedError(event.code, event.message));
  }

  failAll(code: EngineErrorCode, message: string): void {
    const calls = [...this.#open.values()];
    this.#open.clear();
    for (const call of calls) call.reject(new EmbedError(code, message));
  }
}
