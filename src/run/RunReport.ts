/** What a run took and did, as its terminal event tells it. */

/** Why a run resumed no further than it did. */
export type MissReason =
  /** Resumed at the plan's last cut: nothing was missed. */
  | "none"
  /** No kept state shares a cut with this plan. */
  | "cold"
  /** The nearest kept chain has other tokens from `missAt` on. */
  | "tokens-differ"
  /** A chain with these tokens was known, but its state was evicted or overwritten. */
  | "evicted"
  /** The nearest kept chain ends where this plan goes on: what follows was not prefilled ahead of the request. */
  | "not-warmed"
  /** The memory kind cannot go back to the cut where the tokens part. */
  | "no-rollback"
  /** The self-test of this setup failed, or `--warm off` with nothing kept. */
  | "resume-off"
  /** The request wanted it so. */
  | "not-asked";

/** What a run took and did; in `done` and `aborted`. Tokens, milliseconds, bytes. */
export interface RunReport {
  readonly promptTokens: number;
  /** Tokens resumed from a kept state (always one of the plan's cuts, or 0). */
  readonly resumedTokens: number;
  /** Of those, tokens that a warm run (not a request) evaluated. */
  readonly warmedTokens: number;
  /** `promptTokens - resumedTokens`, less what was not reached. */
  readonly prefilledTokens: number;
  readonly predictedTokens: number;
  readonly missReason: MissReason;
  /** First token position at which the nearest kept chain parts from this plan, or -1. */
  readonly missAt: number;
  /** Where the state came from. */
  readonly source: "none" | "sequence" | "snapshot" | "host" | "disk" | "fork";
  /** Sequence the run took, for tests and `/slots`. */
  readonly sequence: number;
  readonly queuedMs: number;
  readonly promptMs: number;
  readonly predictedMs: number;
  /** Spent on saving and restoring during the run. */
  readonly stateMs: number;
  /** State bytes saved plus restored plus copied for this run. */
  readonly bytesMoved: number;
  /** Of a request that stops after prefill: tokens at the head of its prompt that can be resumed now. */
  readonly keptTokens?: number;
  /** With `--debug-hashes`: XXH64 chained over each raw f32 logits row before sampling, 16 hex digits. */
  readonly logitsHash?: string;
  /** With `--debug-hashes`: XXH64 chained over the generated token ids, 16 hex digits. */
  readonly tokensHash?: string;
}
