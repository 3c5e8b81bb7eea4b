/**
 * Which few tokens of a row a sampler can choose among: where the first link that acts cuts the row to its likeliest
 * tokens, the others need not be handed over at all. Whatever the row, the choice is the one among all of it.
 */
import type { Sampling } from "../../src/run/RunSpec.ts";
import type { SamplerName } from "../../src/run/samplerSettings.ts";

/** How many of the likeliest tokens: 1 is the one that is taken. Null: the whole row is needed. */
export type ShortWay = number | null;

/** Beyond this the search is no shorter than the whole. */
const TOP_MAX = 512;

/** `suppressed`: tokens that the model's file bans, which the chain does by a bias. */
export function shortWay(sampling: Sampling, suppressed: number): ShortWay {
  if (sampling.logitBias.length > 0 || suppressed > 0 || sampling.mirostat !== 0) return null;
  if (isGreedy(sampling)) {
    const acts: readonly SamplerName[] = ["penalties", "dry"];
    const looks =
      sampling.typicalP < 1 || sampling.xtcProbability > 0 || sampling.samplers.includes("infill");
    return looks || acts.some((name) => sampling.samplers.includes(name) && !isInert(name, sampling))
      ? null
      : 1;
  }
  const first = sampling.samplers.find((name) => !isInert(name, sampling));
  return first === "top_k" && sampling.topK <= TOP_MAX ? sampling.topK : null;
}

/** As the shim decides it: the best token is taken at the place of the temperature. */
function isGreedy({ temperature, dynatempRange, samplers }: Sampling): boolean {
  return temperature <= 0 && dynatempRange <= 0 && samplers.includes("temperature");
}

/** It leaves every row as it is. */
function isInert(name: SamplerName, sampling: Sampling): boolean {
  switch (name) {
    case "penalties":
      return (
        sampling.repeatLastN === 0 ||
        (sampling.repeatPenalty === 1 && sampling.frequencyPenalty === 0 && sampling.presencePenalty === 0)
      );
    case "dry":
      return sampling.dryMultiplier === 0;
    case "top_n_sigma":
      return sampling.topNSigma <= 0;
    case "top_k":
      return sampling.topK <= 0;
    case "typ_p":
      return sampling.typicalP >= 1;
    case "top_p":
      return sampling.topP >= 1;
    case "min_p":
      return sampling.minP <= 0;
    case "xtc":
      return sampling.xtcProbability <= 0;
    default:
      // The temperature, and what looks at a token's text.
      return false;
  }
}
