/**
 * Everything that crosses between the HTTP side and the engine Worker. Tokens and numbers only: no text but
 * grammars and DRY's breakers, no JSON, no templates. Each accepted run ends in exactly one terminal event
 * (`done`, `failed` or `aborted`); a run that is not accepted gets exactly one `refused`.
 */
import type { Plan } from "../prompt/plan.ts";
import type { ModelFacts } from "./ModelFacts.ts";
import type { SamplerSettings } from "./samplerSettings.ts";

/** How the model's memory can be rolled back; decides where a state may be resumed (design: Kept states). */
export type MemoryKind = "dense" | "hybrid" | "recurrent" | "window";

/** Sampler chain of llama.cpp. */
export interface Sampling extends SamplerSettings {
  /** 32-bit seed; the caller draws one where the request has none. */
  readonly seed: number;
  readonly logitBias: readonly { readonly token: number; readonly bias: number }[];
  /** GBNF with a rule `root`; the only text that reaches the engine. */
  readonly grammar?: string;
  /** The grammar holds from the first such place on; without it, from the reply's first character. */
  readonly grammarTrigger?: GrammarTrigger;
  readonly reasoningBudget?: ReasoningBudget;
  /** Never end at an end-of-generation token. */
  readonly ignoreEos: boolean;
}

/** How long a reply may reason. */
export interface ReasoningBudget {
  /** Tokens between the tags at most; 0 closes at once. */
  readonly tokensMax: number;
  /** The opening tag; not looked for where the prompt has opened the reasoning. */
  readonly start: readonly number[];
  /** The closing tag, one token. */
  readonly end: number;
  readonly opened: boolean;
}

/** Where a grammar begins to hold that waits for a call. */
export interface GrammarTrigger {
  /** The grammar has to match from this text's first character to the reply's end. */
  readonly text: string;
  /** Nothing but white space may stand before it. */
  readonly onlyAtStart: boolean;
  /** A stretch at the reply's start in which it does not count: reasoning, which the prompt may have opened. */
  readonly skip: { readonly start: string; readonly end: string; readonly opened: boolean } | null;
}

/** Which conversation a run belongs to, so that the engine can refuse a warm plan that came too late. */
export interface ConversationTurn {
  readonly id: string;
  /** Counts the conversation's requests, from 1. */
  readonly turn: number;
}

/** Probabilities that a run tells with each token; where they are not asked for they cost nothing. */
export interface ProbsWanted {
  /** How many of the likeliest. */
  readonly top: number;
  /** Probabilities among what the samplers left, in place of log-probabilities of the raw logits. */
  readonly afterSampling: boolean;
}

export interface TokenProb {
  readonly token: number;
  /** Natural logarithm of the probability; with `afterSampling` the probability. */
  readonly value: number;
}

export interface TokenProbs extends TokenProb {
  /** The likeliest first. */
  readonly top: readonly TokenProb[];
}

/** What a run may use and tells beside its reply; nothing of it changes a bit of the reply. */
export interface RunWishes {
  /** False starts from nothing, whatever is kept. */
  readonly resumes?: boolean;
  readonly probs?: ProbsWanted;
  /** A report so far with each token. */
  readonly reports?: boolean;
}

export interface RunSpec extends RunWishes {
  /** Unique for the engine's life. */
  readonly id: number;
  readonly purpose: "request" | "warm";
  readonly plan: Plan;
  /** Seeds the keys already; kept states are never shared across tenants. */
  readonly tenant: string;
  readonly conversation: ConversationTurn;
  /** Absent for `warm`, which stops after prefill at the plan's last cut. */
  readonly sampling?: Sampling;
  /** Tokens to generate at most; 0 answers after prefill. A reply is also ended by the context's end. */
  readonly maxTokens: number;
  /**
   * Warm only. 0 is the likeliest variant, 1 the second, and so on: a second one is warmed only into a
   * spare sequence, or after a full save of the first.
   */
  readonly variant?: number;
  /** Warm only: the reply was calls, so the client is about to send their results. */
  readonly awaitsResults?: boolean;
}

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
  readonly source: "none" | "sequence" | "snapshot" | "host" | "fork";
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

export type EngineErrorCode =
  | "queue-full"
  | "prompt-too-long"
  | "stale-warm-plan"
  | "grammar-invalid"
  | "grammar-dead-end"
  | "evaluate-failed"
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
