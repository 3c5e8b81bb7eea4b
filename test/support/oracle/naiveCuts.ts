/**
 * The cut rule (I1–I4), written down a second time in the plainest way, so that the planner has something to
 * be checked against. Shares no code with it.
 */

export interface CutRules {
  /** Token sequences that open a message. */
  readonly openers: readonly (readonly number[])[];
  readonly chunkTokensMin: number;
  readonly chunkTokensMax: number;
  /** Behind so many tokens a full chunk is half as long, in steps of 64 and never under 64; 0 or none: always the same. */
  readonly taperTokens?: number;
  /** 0 where the model takes no trips. */
  readonly tripTokensMin: number;
}

export interface NaiveCuts {
  readonly cuts: readonly number[];
  readonly trips: readonly number[];
}

export function naiveCuts(tokens: readonly number[], rules: CutRules): NaiveCuts {
  const cuts: number[] = [];
  for (;;) {
    const next = nextCut(tokens, cuts.at(-1) ?? 0, rules);
    if (next === undefined) break;
    cuts.push(next);
  }
  return { cuts, trips: naiveTrips(cuts, rules.tripTokensMin) };
}

/** The first message start far enough from the last cut, or else the end of a full chunk. */
function nextCut(tokens: readonly number[], last: number, rules: CutRules): number | undefined {
  const full = last + longestAt(last, rules);
  const fullFits = full < tokens.length;
  const longest = Math.max(0, ...rules.openers.map((opener) => opener.length));
  for (let at = last + rules.chunkTokensMin; at < Math.min(full, tokens.length); at++) {
    const rest = tokens.slice(at, at + longest).join(" ");
    if (rules.openers.some((opener) => `${rest} `.startsWith(`${opener.join(" ")} `))) return at;
    // The prompt ends inside what may be an opener: whether this is a cut cannot be known yet.
    if (rules.openers.some((opener) => `${opener.join(" ")} `.startsWith(`${rest} `))) return undefined;
  }
  return fullFits ? full : undefined;
}

function longestAt(last: number, { chunkTokensMin, chunkTokensMax, taperTokens = 0 }: CutRules): number {
  if (taperTokens === 0 || last === 0) return chunkTokensMax;
  let longest = 64;
  while (longest + 64 <= (chunkTokensMax * taperTokens) / (taperTokens + last)) longest += 64;
  return Math.max(chunkTokensMin, Math.min(chunkTokensMax, longest));
}

function naiveTrips(cuts: readonly number[], tripTokensMin: number): number[] {
  const trips: number[] = [];
  if (tripTokensMin === 0) return trips;
  for (const cut of cuts) if (cut - (trips.at(-1) ?? 0) >= tripTokensMin) trips.push(cut);
  return trips;
}
