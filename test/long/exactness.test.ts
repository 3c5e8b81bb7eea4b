/**
 * The exactness matrix, longer: other texts, seeded sampling, two threads, larger and smaller chunks, every cut
 * that a memory can go back to. Its last result is in RESULT.md.
 */
import { casesOf } from "../support/exactness/casesOf.ts";
import { servedMatrix } from "../support/exactness/servedMatrix.ts";
import { statesMatrix } from "../support/exactness/statesMatrix.ts";
import type { Sampled, Talk } from "../support/exactness/talk.ts";
import { WAYS } from "../support/exactness/ways.ts";
import { TINY_KINDS } from "../support/tinyModels/tinyModel.ts";

const WIDE = { ubatch: 128, settings: { chunkTokensMin: 32, chunkTokensMax: 120, tripTokensMin: 64 } };
const OTHERS = [
  // The smallest chunks, most of which are no trips; and the largest on a ring of 256 cells, which all are.
  { ubatch: 64, settings: { chunkTokensMin: 16, chunkTokensMax: 48, tripTokensMin: 80 } },
  { ubatch: 192, settings: { chunkTokensMin: 64, chunkTokensMax: 128, tripTokensMin: 64 } },
];

for (const kind of TINY_KINDS) {
  for (const setting of [WIDE, ...OTHERS]) {
    statesMatrix({
      ...setting,
      kind,
      threads: 1,
      ways: WAYS,
      cuts: "all",
      seeds: [1, 2, 3],
      replyTokens: 40,
    });
  }
  // Few evaluations: with a busy neighbour each takes a hundred times as long at two threads.
  statesMatrix({ ...WIDE, kind, threads: 2, ways: WAYS, cuts: "last", seeds: [7], replyTokens: 4 });
}

const SAMPLED: readonly Sampled[] = [
  { temperature: 0, seed: 1 },
  { temperature: 1, seed: 7 },
  { temperature: 0.7, seed: 4_000_000_000 },
];

/** All habits under each sampling, no two with the same texts but for what the client does with reasoning. */
const TALKS: readonly Talk[] = SAMPLED.flatMap((sampled, i) =>
  (["user", "tool"] as const).flatMap((next, j) =>
    (["kept", "dropped"] as const).map(
      (reasoning): Talk => ({ next, reasoning, sampled, number: 10 + 2 * i + j }),
    ),
  ),
);

/** Talks of one server: each of a talk's eight cases takes two spare sequences, and a server has 64. */
const TALKS_AT_ONCE = 4;

for (const kind of TINY_KINDS) {
  for (let from = 0; from < TALKS.length; from += TALKS_AT_ONCE) {
    servedMatrix({
      kind,
      threads: 1,
      ubatch: 128,
      settings: { chunkTokensMin: 32, chunkTokensMax: 128, tripTokensMin: 128 },
      cases: casesOf(TALKS.slice(from, from + TALKS_AT_ONCE), "all"),
      compared: "cases",
    });
  }
  servedMatrix({
    kind,
    threads: 2,
    ubatch: 128,
    settings: { chunkTokensMin: 32, chunkTokensMax: 128, tripTokensMin: 64 },
    cases: casesOf(TALKS.slice(2, 3), "all"),
    compared: "cases",
  });
}
