/**
 * What the engine is told of one run. Tokens and numbers only: no text but grammars and DRY's breakers, no JSON,
 * no templates.
 */
import type { Plan } from "../plan/Plan.ts";
import type { SamplerSettings } from "./samplerSettings.ts";

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
