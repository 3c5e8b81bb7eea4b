/**
 * A request's sampling as the shim's arrays. Every number is checked here, by the one table that says what it may
 * be: llama.cpp aborts on some, and allocates what others ask for.
 */
import type { Sampling } from "../src/run/RunSpec.ts";
import { infillProblem, NUMBER_KEYS, NUMBER_RULES, SAMPLER_NAMES } from "../src/run/samplerSettings.ts";
import { FfiError } from "./FfiError.ts";
import { floats, integers } from "./symbols.ts";

export interface SamplerRecipe {
  readonly integers: Int32Array;
  readonly floats: Float32Array;
  readonly biasTokens: Int32Array;
  readonly biasValues: Float32Array;
  readonly links: Int32Array;
  readonly breakers: Uint8Array;
  /** Tokens of the prompt's end that the chain looks back on. */
  readonly lookBack: number;
}

/** @throws FfiError("range") with the name that clients know. */
export function samplerRecipe(sampling: Sampling, vocabSize: number, ctxTokens: number): SamplerRecipe {
  checkSampling(sampling, vocabSize);
  const { logitBias, samplers, drySequenceBreakers: breakers } = sampling;
  const back = (tokens: number) => (tokens < 0 ? ctxTokens : Math.min(tokens, ctxTokens));
  const penaltyLast = back(sampling.repeatLastN);
  const dryLast = back(sampling.dryPenaltyLastN);
  return {
    integers: integers("sample", {
      WT_SAMPLE_TOP_K: sampling.topK,
      WT_SAMPLE_PENALTY_LAST: penaltyLast,
      WT_SAMPLE_SEED: sampling.seed | 0,
      WT_SAMPLE_BIASES: logitBias.length,
      WT_SAMPLE_IGNORE_EOS: sampling.ignoreEos ? 1 : 0,
      WT_SAMPLE_MIN_KEEP: sampling.minKeep,
      WT_SAMPLE_DRY_ALLOWED: sampling.dryAllowedLength,
      WT_SAMPLE_DRY_LAST: dryLast,
      WT_SAMPLE_BREAKERS: breakers.length,
      WT_SAMPLE_MIROSTAT: sampling.mirostat,
      WT_SAMPLE_LINKS: samplers.length,
    }),
    floats: floatsOf(sampling),
    // None of them is ever empty: bun:ffi passes no pointer to an empty array.
    biasTokens: Int32Array.from([...logitBias.map((one) => one.token), 0]),
    biasValues: Float32Array.from([...logitBias.map((one) => one.bias), 0]),
    links: Int32Array.from([...samplers.map((name) => SAMPLER_NAMES.indexOf(name)), 0]),
    breakers: new TextEncoder().encode(`${breakers.map((text) => `${beforeNul(text)}\0`).join("")}\0`),
    lookBack: Math.max(penaltyLast, sampling.dryMultiplier > 0 ? dryLast : 0),
  };
}

function floatsOf(sampling: Sampling): Float32Array {
  return floats("sampleFloats", {
    WT_SAMPLE_TEMPERATURE: sampling.temperature,
    WT_SAMPLE_TOP_P: sampling.topP,
    WT_SAMPLE_MIN_P: sampling.minP,
    WT_SAMPLE_REPEAT: sampling.repeatPenalty,
    WT_SAMPLE_FREQUENCY: sampling.frequencyPenalty,
    WT_SAMPLE_PRESENCE: sampling.presencePenalty,
    WT_SAMPLE_DYNATEMP_RANGE: sampling.dynatempRange,
    WT_SAMPLE_DYNATEMP_EXPONENT: sampling.dynatempExponent,
    WT_SAMPLE_TYPICAL_P: sampling.typicalP,
    WT_SAMPLE_TOP_N_SIGMA: sampling.topNSigma,
    WT_SAMPLE_XTC_PROBABILITY: sampling.xtcProbability,
    WT_SAMPLE_XTC_THRESHOLD: sampling.xtcThreshold,
    WT_SAMPLE_DRY_MULTIPLIER: sampling.dryMultiplier,
    WT_SAMPLE_DRY_BASE: sampling.dryBase,
    WT_SAMPLE_MIROSTAT_TAU: sampling.mirostatTau,
    WT_SAMPLE_MIROSTAT_ETA: sampling.mirostatEta,
    WT_SAMPLE_ADAPTIVE_TARGET: sampling.adaptiveTarget,
    WT_SAMPLE_ADAPTIVE_DECAY: sampling.adaptiveDecay,
  });
}

/** What C reads of it. */
function beforeNul(text: string): string {
  return text.split("\0", 1)[0] ?? "";
}

function checkSampling(sampling: Sampling, vocabSize: number): void {
  const check = (name: string, ok: boolean, allowed: string) => {
    if (!ok) throw new FfiError("range", `${name} must be ${allowed}`);
  };
  for (const key of NUMBER_KEYS) {
    const { field, min, max, whole } = NUMBER_RULES[key];
    const value = sampling[key];
    const fits = value >= min && value <= max && (whole !== true || Number.isInteger(value));
    check(field, fits, `a ${whole === true ? "whole " : ""}number from ${min} to ${max}`);
  }
  const known = sampling.samplers.every((name) => SAMPLER_NAMES.includes(name));
  check("samplers", known, `of ${SAMPLER_NAMES.join(", ")}`);
  const problem = infillProblem(sampling);
  if (problem !== null) throw new FfiError("range", problem);
  check("seed", Number.isInteger(sampling.seed), "a whole number");
  for (const { token, bias } of sampling.logitBias) {
    const isToken = Number.isInteger(token) && token >= 0 && token < vocabSize;
    check("logit_bias", isToken, `tokens of 0 to ${vocabSize - 1}`);
    check("logit_bias", Number.isFinite(bias) || bias === Number.NEGATIVE_INFINITY, "numbers");
  }
}
