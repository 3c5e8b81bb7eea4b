/** The engine as the HTTP side sees it: `EngineClient` over its Worker, or a fake in tests. */
import type { EngineEvent } from "./EngineEvent.ts";
import type { EngineReady } from "./EngineReady.ts";
import type { RunSpec } from "./RunSpec.ts";

export interface EngineRun {
  readonly id: number;
  /** Ends the run within one step; its terminal event still comes. */
  cancel(): void;
}

export interface Engine {
  readonly ready: EngineReady;
  /**
   * Queues a run. Its events come through `onEvent`, never before this call has returned: one `refused`, or
   * one `accepted` and later exactly one of `done`, `failed`, `aborted`.
   */
  run(spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void): EngineRun;
  /** The conversation's next request has arrived: its warm runs are worth nothing any more. */
  drop(conversation: string): void;
  /**
   * Vectors in the order of the inputs, not normalised, as `EmbedEvent` says. Rejects with EmbedError, or with the
   * signal's reason once that is aborted. Only where `ready.embeddings` or `ready.ranking` is not null; each input
   * holds its `tokensMax` at most.
   */
  embed(inputs: readonly Int32Array[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  readonly warm: "idle" | "working";
  /** Missing where it never sleeps: whether the model is unloaded now, and how often it was. */
  readonly sleep?: { readonly isAsleep: boolean; readonly sleeps: number };
  /** Requests that are queued or running. */
  readonly pending: number;
  close(): Promise<void>;
}
