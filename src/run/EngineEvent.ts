/**
 * Everything that crosses between the HTTP side and the engine Worker once it is ready. Each accepted run ends in
 * exactly one terminal event (`done`, `failed` or `aborted`); a run that is not accepted gets exactly one `refused`.
 */
import type { RunReport } from "./RunReport.ts";
import type { RunSpec, TokenProbs } from "./RunSpec.ts";

/** Inputs of one request, to be embedded each by itself; its ids are apart from those of runs. */
export interface EmbedJob {
  readonly id: number;
  readonly inputs: readonly Int32Array[];
}

/** Engine → HTTP side: one for each job, unless it was cancelled first. */
export type EmbedEvent =
  /** In the order of the inputs, not normalised; of what pools nothing those of all tokens, one behind the other. */
  | { readonly type: "embedded"; readonly id: number; readonly vectors: readonly Float32Array[] }
  | {
      readonly type: "not-embedded";
      readonly id: number;
      readonly code: EngineErrorCode;
      readonly message: string;
    };

/** HTTP side → engine. */
export type EngineCommand =
  | { readonly type: "run"; readonly run: RunSpec }
  /** The client left, or a stop string was found: ends the run within one step. */
  | { readonly type: "cancel"; readonly id: number }
  /** The conversation's next request has arrived, or its reply was cancelled: drop its warm runs. */
  | { readonly type: "drop"; readonly conversation: string }
  | { readonly type: "embed"; readonly job: EmbedJob }
  | { readonly type: "cancel-embed"; readonly id: number }
  | { readonly type: "close" };

export type EngineErrorCode =
  | "queue-full"
  | "prompt-too-long"
  | "stale-warm-plan"
  | "grammar-invalid"
  | "grammar-dead-end"
  | "evaluate-failed"
  | "bad-numbers"
  | "out-of-memory"
  | "closing"
  | "crashed";

/** Engine → HTTP side. */
export type EngineEvent =
  | {
      readonly type: "refused";
      readonly id: number;
      readonly code: EngineErrorCode;
      readonly message: string;
    }
  | { readonly type: "accepted"; readonly id: number }
  /** After resume and after each chunk. */
  | {
      readonly type: "prefill";
      readonly id: number;
      readonly resumed: number;
      readonly evaluated: number;
      readonly total: number;
      /** Since the run began. */
      readonly ms: number;
    }
  /** Generated token ids, in order, the end-of-generation token not included. */
  | {
      readonly type: "tokens";
      readonly id: number;
      readonly tokens: readonly number[];
      /** Of each token, where they are wanted. */
      readonly probs?: readonly TokenProbs[];
      /** So far, where it is wanted. */
      readonly report?: RunReport;
    }
  | {
      readonly type: "done";
      readonly id: number;
      /** `stop`: end-of-generation token; `length`: maxTokens or the context's end; `prefilled`: warm, or maxTokens 0. */
      readonly reason: "stop" | "length" | "prefilled";
      readonly report: RunReport;
    }
  | { readonly type: "aborted"; readonly id: number; readonly report: RunReport }
  | { readonly type: "failed"; readonly id: number; readonly code: EngineErrorCode; readonly message: string }
  /** Sent whenever it changes: is any warm run queued or running? */
  | { readonly type: "warm"; readonly state: "idle" | "working" };
