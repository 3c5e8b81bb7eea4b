/**
 * Asks for `/health` all the while, from a thread that does nothing else. Measured is the processor time that the
 * server's HTTP thread takes from before the question to after its answer (`/proc/PID/task/PID/schedstat`): what stands
 * between a client and its answer on a machine that has nothing else to do, however busy this one is.
 */
import type { HealthSample } from "./healthWorker.ts";

export class HealthWatch {
  readonly #worker: Worker;
  readonly #samples: HealthSample[] = [];

  /** `onSlow`: right after an answer that took at least `slowMs`. */
  constructor(url: string, pid: number, slowMs: number, onSlow: (sample: HealthSample) => void) {
    this.#worker = new Worker(new URL("healthWorker.ts", import.meta.url).href);
    this.#worker.postMessage({ url, pid });
    this.#worker.onmessage = ({ data }: MessageEvent<HealthSample>) => {
      this.#samples.push(data);
      if (data.cpuMs >= slowMs) onSlow(data);
    };
  }

  /** Milliseconds that the given share of the answers took at most; 1 for the slowest. */
  quantile(share: number): number {
    const sorted = this.#samples.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }

  get count(): number {
    return this.#samples.length;
  }

  /** Answers that were none, or not 200. */
  get bad(): number {
    return this.#samples.filter(({ ok }) => !ok).length;
  }

  slowerThan(ms: number): number {
    return this.#samples.filter(({ cpuMs }) => cpuMs > ms).length;
  }

  stop(): void {
    this.#worker.terminate();
  }
}
