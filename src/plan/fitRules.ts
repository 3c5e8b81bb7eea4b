/**
 * Rules that fit a micro-batch. An undecided opener leaves the last chunk up to `longest opener - 1` tokens
 * longer than `chunkTokensMax`, and that chunk is evaluated whole as well.
 */
import type { ChunkRules } from "./Plan.ts";

/** Largest `chunkTokensMin` (I3): a message start is never more than this from a cut before it. */
export const CHUNK_TOKENS_MIN_MAX = 64;

/** `ubatchTokens` is the most tokens of one evaluation. */
export function fitRules(rules: ChunkRules, ubatchTokens: number): ChunkRules {
  const ahead = rules.openers.reduce((longest, opener) => Math.max(longest, opener.length), 1) - 1;
  const chunkTokensMax = Math.max(1, Math.min(rules.chunkTokensMax, ubatchTokens - ahead));
  const chunkTokensMin = Math.max(1, Math.min(rules.chunkTokensMin, CHUNK_TOKENS_MIN_MAX, chunkTokensMax));
  return { ...rules, chunkTokensMin, chunkTokensMax };
}
