/**
 * The only planner. Where a prompt is cut is a pure function of its own prefix and of the run's fixed rules
 * (I1): never of its length, of what is cached, of load, or of who asks. So two prompts that share a prefix
 * share its cuts, trips and keys (I2), and a state kept for one serves the other bit for bit.
 *
 * A cut is planned only once it is decided: it looks ahead by an opener's length at most, and where an opener
 * may still be completed by tokens that are not there yet, planning stops (I3). At least one token is always
 * left behind the last cut (I4).
 */

import { CHUNK_TOKENS_MIN_MAX } from "./fitRules.ts";
import { KeyChain } from "./KeyChain.ts";
import { keepOf } from "./keptCuts.ts";
import { matchAt, OpenerSet } from "./OpenerSet.ts";
import type { ChunkRules, Plan } from "./Plan.ts";
import { TILE_ROWS } from "./padding.ts";

/** `seed` is `chainSeed(setup, tenant)`. Throws RangeError on rules that cannot be followed. */
export function requestChunks(tokens: Int32Array, rules: ChunkRules, seed: bigint): Plan {
  checkRules(rules);
  const { cuts, trips } = scanCuts(tokens, rules);
  const keys = new BigUint64Array(cuts.length);
  const chain = new KeyChain(seed, rules.chunkTokensMax);
  let from = 0;
  let trip = 0;
  for (const [i, cut] of cuts.entries()) {
    const isTrip = trips[trip] === cut;
    if (isTrip) trip++;
    keys[i] = chain.next(tokens, from, cut, isTrip);
    from = cut;
  }
  return { tokens, cuts, trips, keys, keep: keepOf(tokens, cuts, rules) };
}

/** Cuts and trips alone. Reads each token a bounded number of times, in order; exported for its tests. */
export function scanCuts(
  tokens: ArrayLike<number>,
  rules: ChunkRules,
): { readonly cuts: Int32Array; readonly trips: Int32Array } {
  const openers = OpenerSet.of(rules.openers);
  const { chunkTokensMin, tripTokensMin } = rules;
  const end = tokens.length;
  const cuts: number[] = [];
  const trips: number[] = [];
  let lastCut = 0;
  let lastTrip = 0;
  let stretchMax = rules.chunkTokensMax;
  // Position 0 is no cut: there is nothing before it to keep.
  for (let at = chunkTokensMin; at < end; at++) {
    const gathered = at - lastCut;
    if (gathered < stretchMax) {
      if (gathered < chunkTokensMin) continue;
      const match = matchAt(openers, tokens, at);
      // What follows may complete an opener here: neither this cut nor any after it is decided yet.
      if (match === "undecided") break;
      if (match === 0) continue;
    }
    cuts.push(at);
    lastCut = at;
    stretchMax = longestStretch(rules, at);
    if (tripTokensMin > 0 && at - lastTrip >= tripTokensMin) {
      trips.push(at);
      lastTrip = at;
    }
  }
  return { cuts: Int32Array.from(cuts), trips: Int32Array.from(trips) };
}

/** Tokens without a cut behind the first `from`, in whole tiles of a CPU's attention where they are more than one. */
function longestStretch(
  { chunkTokensMin, chunkTokensMax, taperTokens = 0 }: ChunkRules,
  from: number,
): number {
  if (taperTokens <= 0) return chunkTokensMax;
  const even = chunkTokensMax / (1 + from / taperTokens);
  const tiles = Math.max(TILE_ROWS, TILE_ROWS * Math.floor(even / TILE_ROWS));
  return Math.max(chunkTokensMin, Math.min(chunkTokensMax, tiles));
}

function checkRules(rules: ChunkRules): void {
  const { chunkTokensMin: min, chunkTokensMax: max, tripTokensMin } = rules;
  if (!Number.isInteger(min) || min < 1 || min > CHUNK_TOKENS_MIN_MAX) {
    throw new RangeError(`chunkTokensMin must be 1 to ${CHUNK_TOKENS_MIN_MAX}, not ${min}`);
  }
  if (!Number.isInteger(max) || max < min) {
    throw new RangeError(`chunkTokensMax must be at least chunkTokensMin (${min}), not ${max}`);
  }
  const { taperTokens = 0 } = rules;
  if (!Number.isInteger(taperTokens) || taperTokens < 0) {
    throw new RangeError(`taperTokens must be 0 or more, not ${taperTokens}`);
  }
  if (!Number.isInteger(tripTokensMin) || tripTokensMin < 0) {
    throw new RangeError(`tripTokensMin must be 0 or more, not ${tripTokensMin}`);
  }
}
