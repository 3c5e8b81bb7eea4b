/** Sampling as tests use it: llama-server's defaults, at temperature 0. */
import type { Sampling } from "../../src/engine/protocol.ts";

export const GREEDY: Sampling = {
  temperature: 0,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  repeatPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  repeatLastN: 64,
  seed: 1,
  logitBias: [],
  ignoreEos: false,
};
