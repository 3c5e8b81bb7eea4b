/** What the engine Worker says of itself when it has loaded the model. */
import type { ModelFacts } from "./ModelFacts.ts";

/** How the model's memory can be rolled back; decides where a state may be resumed (ARCHITECTURE.md, "Kept states"). */
export type MemoryKind = "dense" | "hybrid" | "recurrent" | "window";

/** Sent once when the Worker has loaded the model and run or remembered its self-test. */
export interface EngineReady {
  readonly type: "ready";
  readonly memory: MemoryKind;
  /** Everything in I5's seed but the tenant, hashed. */
  readonly setup: bigint;
  /** Tokens one conversation may hold, prompt and reply together. */
  readonly ctxTokens: number;
  /** 0 of an encoder: it embeds or ranks, and writes no text. */
  readonly lanes: number;
  readonly spares: number;
  readonly chunkTokensMin: number;
  readonly chunkTokensMax: number;
  /** As in `ChunkRules`; 0 where chunks are as long behind many tokens as at the start. */
  readonly taperTokens: number;
  /** 0 where the model takes no trips. */
  readonly tripTokensMin: number;
  /** Whether the self-test allows resuming; with the sentence to show where it does not. */
  readonly resume: { readonly allowed: boolean; readonly why: string };
  /** Sentences for the log: what was lowered to fit. */
  readonly notes: readonly string[];
  readonly facts: ModelFacts;
  /** Null without `--embeddings`. */
  readonly embeddings: EmbeddingFacts | null;
  /** Null without `--rerank`. What ranks does not embed. */
  readonly ranking: RankingFacts | null;
}

export interface EmbeddingFacts {
  /** Numbers of one embedding. */
  readonly size: number;
  /** Tokens of one input at most. */
  readonly tokensMax: number;
  /** `none`: a vector of each token. */
  readonly pooling: "none" | "mean" | "cls" | "last";
}

export interface RankingFacts {
  /** Tokens of query and document together at most. */
  readonly tokensMax: number;
}
