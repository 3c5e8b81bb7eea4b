/**
 * The exactness matrix, served: warm on, warm off and a new process give the same tokens and the same logits,
 * in each protocol, whatever comes next, whatever the client does with reasoning, streamed and whole; and warm on
 * resumes at the very cut that an independent oracle names. `bun run test:long` plays more of it.
 */
import { casesOf } from "../../support/exactness/casesOf.ts";
import { servedMatrix } from "../../support/exactness/servedMatrix.ts";
import { GREEDY, type Talk } from "../../support/exactness/talk.ts";
import { TINY_KINDS } from "../../support/tinyModels/tinyModel.ts";

// Small chunks leave room for a cut behind whatever is warmed too far.
const SETTINGS = { chunkTokensMin: 16, chunkTokensMax: 128, taperTokens: 300, tripTokensMin: 64 };

/** With samplers that look back on the prompt and on what they chose: none may know what was resumed. */
const SEEDED = {
  temperature: 1,
  seed: 42,
  frequency_penalty: 0.3,
  repeat_last_n: -1,
  dry_multiplier: 0.8,
  dry_penalty_last_n: -1,
  xtc_probability: 0.5,
};

const TALKS: readonly Talk[] = [
  { next: "user", reasoning: "kept", sampled: GREEDY, number: 0 },
  { next: "user", reasoning: "dropped", sampled: GREEDY, number: 0 },
  { next: "tool", reasoning: "kept", sampled: GREEDY, number: 1 },
  { next: "tool", reasoning: "dropped", sampled: GREEDY, number: 1 },
  { next: "user", reasoning: "kept", sampled: SEEDED, number: 2 },
];

for (const kind of TINY_KINDS) {
  servedMatrix({
    kind,
    threads: 1,
    ubatch: 128,
    settings: SETTINGS,
    cases: casesOf(TALKS, "half"),
    compared: "talks",
  });
}
