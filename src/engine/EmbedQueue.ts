/**
 * Inputs to embed, beside the loop's runs: one input a step, the oldest request first. An input is evaluated by
 * itself, in a context of its own that holds nothing else, so its vector is a function of its tokens alone. A
 * job that is accepted ends in one event, or in none once its client has left.
 */
import { DeviceError } from "../run/Device.ts";
import type { EmbedEvent, EmbedJob, EngineErrorCode } from "../run/EngineEvent.ts";

export interface Embedder extends Disposable {
  /** The context's bits: one vector, or those of all tokens, or a rank. Throws DeviceError. */
  embed(tokens: Int32Array): Float32Array;
}

export interface EmbedQueueOptions {
  readonly embedder: Embedder;
  /** Requests that may wait. */
  readonly queueMax: number;
  readonly emit: (event: EmbedEvent) => void;
}

interface Started {
  readonly job: EmbedJob;
  readonly vectors: Float32Array[];
}

export class EmbedQueue {
  readonly #options: EmbedQueueOptions;
  readonly #jobs: Started[] = [];

  constructor(options: EmbedQueueOptions) {
    this.#options = options;
  }

  /** Requests that wait or are under way. */
  get waiting(): number {
    return this.#jobs.length;
  }

  accept(job: EmbedJob): void {
    const { queueMax } = this.#options;
    if (this.#jobs.length < queueMax) this.#jobs.push({ job, vectors: [] });
    else this.#failed(job.id, "queue-full", `${queueMax} requests to embed are waiting already`);
  }

  cancel(id: number): void {
    const at = this.#jobs.findIndex(({ job }) => job.id === id);
    if (at >= 0) this.#jobs.splice(at, 1);
  }

  /** One input. */
  step(): void {
    const first = this.#jobs[0];
    if (first === undefined) return;
    const { job, vectors } = first;
    try {
      const input = job.inputs[vectors.length];
      if (input !== undefined) vectors.push(this.#options.embedder.embed(input));
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      this.#jobs.shift();
      this.#failed(job.id, error.code, error.message);
      return;
    }
    if (vectors.length < job.inputs.length) return;
    this.#jobs.shift();
    this.#options.emit({ type: "embedded", id: job.id, vectors });
  }

  close(): void {
    for (const { job } of this.#jobs.splice(0))
      this.#failed(job.id, "closing", "the server is shutting down");
  }

  #failed(id: number, code: EngineErrorCode, message: string): void {
    this.#options.emit({ type: "not-embedded", id, code, message });
  }
}
