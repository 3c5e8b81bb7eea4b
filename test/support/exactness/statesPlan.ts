/** Prompts of token ids for the engine's half of the matrix: real chunk sizes, 700 tokens and more. */

import { chainSeed } from "../../../src/plan/KeyChain.ts";
import type { ChunkRules, Plan } from "../../../src/plan/Plan.ts";
import { requestChunks } from "../../../src/plan/requestChunks.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { ASSISTANT, assistant, OPEN, prompt, USER, user, words } from "../makePlan.ts";

export interface PlanSettings {
  readonly chunkTokensMin: number;
  readonly chunkTokensMax: number;
  readonly tripTokensMin: number;
}

export function planOf(memory: MemoryKind, settings: PlanSettings, tokens: readonly number[]): Plan {
  const rules: ChunkRules = {
    openers: [[OPEN]],
    userOpeners: [[OPEN, USER]],
    otherOpeners: [[OPEN, ASSISTANT]],
    ...settings,
    tripTokensMin: memory === "window" ? settings.tripTokensMin : 0,
  };
  return requestChunks(Int32Array.from(tokens), rules, chainSeed(7n, ""));
}

/** System text, a past exchange, a long question: 900 tokens. `salt` makes another conversation of it. */
export function basePrompt(salt: number): number[] {
  return prompt(words(salt, 310), user(salt + 1, 150), assistant(words(salt + 2, 120)), user(salt + 3, 310));
}

const TOKENS_MIN = 880;
const NEW_TOKENS_MIN = 90;

/** Goes on from `base` at `cut` with a question of its own, and is as long as a base prompt again. */
export function goOn(base: readonly number[], cut: number, salt: number): number[] {
  const length = Math.max(NEW_TOKENS_MIN, TOKENS_MIN - cut);
  return prompt(base.slice(0, cut), user(salt, length));
}
