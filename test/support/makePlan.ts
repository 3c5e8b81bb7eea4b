/** Plans for tests of the engine: toy messages of token ids, through the one planner. */

import { chainSeed } from "../../src/plan/KeyChain.ts";
import type { ChunkRules, Plan } from "../../src/plan/Plan.ts";
import { requestChunks } from "../../src/plan/requestChunks.ts";
import type { MemoryKind } from "../../src/run/EngineReady.ts";

/** Opens a message; the role follows. No fake token is this one. */
export const OPEN = 1;
export const USER = 10;
export const ASSISTANT = 11;

/** Fits the vocabularies of the tiny models too. */
const WORDS = 580;

export const CHUNK_MIN = 8;
export const CHUNK_MAX = 32;
export const TRIP_MIN = 40;

export interface PlanOptions {
  readonly tenant?: string;
  readonly setup?: bigint;
}

export function rulesOf(memory: MemoryKind): ChunkRules {
  return {
    openers: [
      [OPEN, USER],
      [OPEN, ASSISTANT],
    ],
    userOpeners: [[OPEN, USER]],
    chunkTokensMin: CHUNK_MIN,
    chunkTokensMax: CHUNK_MAX,
    tripTokensMin: memory === "window" ? TRIP_MIN : 0,
  };
}

export function makePlan(memory: MemoryKind, tokens: readonly number[], options: PlanOptions = {}): Plan {
  const seed = chainSeed(options.setup ?? 7n, options.tenant ?? "");
  return requestChunks(Int32Array.from(tokens), rulesOf(memory), seed);
}

/** `length` text tokens, the same for the same `salt`. */
export function words(salt: number, length: number): number[] {
  return Array.from({ length }, (_, i) => 20 + ((salt * 7919 + i * 104729 + ((salt * i) % 97)) % WORDS));
}

export function user(salt: number, length: number): number[] {
  return [OPEN, USER, ...words(salt, length)];
}

export function assistant(reply: readonly number[]): number[] {
  return [OPEN, ASSISTANT, ...reply];
}

/** A prompt that waits for a reply: history, then the assistant's opener. */
export function prompt(...messages: readonly (readonly number[])[]): number[] {
  return [...messages.flat(), OPEN, ASSISTANT];
}
