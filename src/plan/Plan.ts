/**
 * The plan: what the engine is told of a prompt. It is made by `requestChunks` and by nothing else.
 * The engine never sees text, messages or templates.
 */

/** Why the state at a cut is worth keeping. It is in no key and changes no bit. */
export type KeepReason =
  /** End of system prompt and tools: what all conversations of an agent share. */
  | "head"
  /** Start of the last user message: some templates rewrite from here. */
  | "user-start"
  /**
   * Last cut inside a long last user message: clients put what does not stay (the date, the question) behind what
   * does, and take it out again, or send the rest with another question.
   */
  | "user-inside"
  /** End of the last user message: some templates rewrite the turn's replies from here. */
  | "user-end"
  /** Start of the reply's own message, where a cut lies behind it: only a prompt that is answered goes on from there. */
  | "reply-start"
  /** Start of what the template prints behind the last message: the next prompt holds it further on, or not at all. */
  | "tail-start"
  /** The last cut of the prompt. */
  | "last"
  /** In front of a place that was rewritten more than once: known to those who have seen earlier prompts. */
  | "learned";

/** A cut whose state is to be kept. `cut` is one of the plan's `cuts`. */
export interface Keep {
  readonly cut: number;
  readonly reason: KeepReason;
}

/**
 * Chunk i is `tokens[cuts[i-1] .. cuts[i])` (with `cuts[-1] = 0`); what is left behind the last cut is the
 * last, unkept chunk, and is never empty (I4).
 */
export interface Plan {
  /** Token ids of the whole prompt. */
  readonly tokens: Int32Array;
  /** Positions in tokens, ascending, each `0 < cut < tokens.length`. */
  readonly cuts: Int32Array;
  /** Subset of `cuts`: where a sliding-window model saves and restores. Empty on other models. */
  readonly trips: Int32Array;
  /** `keys[i]` names the state after `tokens[0 .. cuts[i])` under this setup and tenant (I5). */
  readonly keys: BigUint64Array;
  /** Ascending by cut; two reasons may name one cut. */
  readonly keep: readonly Keep[];
}

/** Fixed settings of a run that decide cuts and trips. */
export interface ChunkRules {
  /** Token sequences that open a message, each starting with a special token; learnt once per template. */
  readonly openers: readonly (readonly number[])[];
  /** Longest stable token sequences that open a *user* message and nothing else; for `keep` only. */
  readonly userOpeners: readonly (readonly number[])[];
  /**
   * Longest stable sequences that open messages of other roles; for `keep` only. The longest match wins: where
   * a tool result opens as a user message does and then some, it is no user message. None where left out.
   */
  readonly otherOpeners?: readonly (readonly number[])[];
  /**
   * What a template puts in front of a user message and may move to a later one (Mistral's tools); for `keep`
   * only: the message starts there. None where left out.
   */
  readonly userPrefaces?: readonly (readonly number[])[];
  /**
   * What a template prints behind the last message begins with these (tools, an instruction, the date); for `keep`
   * only: the message ends there. None where left out.
   */
  readonly tailOpeners?: readonly (readonly number[])[];
  /** A message start is a cut when at least this many tokens have gathered since the last cut; ≤ 64. */
  readonly chunkTokensMin: number;
  /** A stretch of this many tokens without a cut is cut there; ≤ `n_ubatch`. */
  readonly chunkTokensMax: number;
  /**
   * Attention makes a token cost twice as much behind so many: a stretch that begins there is cut at half of
   * `chunkTokensMax`, and so on, so that a chunk takes about the same time wherever it stands. None where left out.
   */
  readonly taperTokens?: number;
  /** A trip is a cut at least this many tokens after the last trip; 0 means the model takes no trips. */
  readonly tripTokensMin: number;
}
