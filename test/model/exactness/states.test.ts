/**
 * The exactness matrix at the engine: whichever way a kept state is come by, the reply is the one that a cold
 * run in a fresh context gives, bit for bit; prefill at two threads as well. `bun run test:long` plays more.
 */
import { prefillMatrix } from "../../support/exactness/prefillMatrix.ts";
import { statesMatrix } from "../../support/exactness/statesMatrix.ts";
import { WAYS } from "../../support/exactness/ways.ts";
import { TINY_KINDS } from "../../support/tinyModels/tinyModel.ts";

const ubatch = 128;
const settings = { chunkTokensMin: 32, chunkTokensMax: 120, tripTokensMin: 128 };

for (const kind of TINY_KINDS) {
  statesMatrix({
    kind,
    threads: 1,
    ubatch,
    settings,
    seeds: [1],
    ways: WAYS,
    cuts: "named",
    replyTokens: 24,
  });
  for (const threads of [1, 2]) prefillMatrix({ kind, threads, ubatch, settings });
}
