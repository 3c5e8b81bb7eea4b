/** Sampling as tests use it: llama-server's defaults, at temperature 0; and how fields are read without a model. */

import { LIMITS } from "../../src/base/limits.ts";
import type { SamplingRules } from "../../src/protocol/shared/sampling.ts";
import type { Sampling } from "../../src/run/RunSpec.ts";
import { SAMPLER_DEFAULTS, SAMPLING_DEFAULTS } from "../../src/run/samplerSettings.ts";

export const GREEDY: Sampling = {
  ...SAMPLER_DEFAULTS,
  temperature: 0,
  seed: 1,
  logitBias: [],
  ignoreEos: false,
};

/** Every byte is a token. */
export const BYTE_SAMPLING: SamplingRules = {
  defaults: SAMPLING_DEFAULTS,
  vocab: { size: 256, tokenise: (text) => Int32Array.from(new TextEncoder().encode(text)) },
  limits: LIMITS,
};
