/**
 * What a request that says nothing about sampling gets: flags first, then what the model's file recommends
 * (`general.sampling.…`), then llama-server's defaults, as in llama-server.
 */
import {
  infillProblem,
  NUMBER_RULES,
  SAMPLER_DEFAULTS,
  type SamplerName,
  type SamplerNumbers,
  type SamplingDefaults,
  samplerNumbers,
} from "../run/samplerSettings.ts";
import { samplerByName } from "../run/samplerSpelling.ts";
import { ConfigError } from "./ConfigError.ts";
import type { Flags } from "./parseFlags.ts";

const RECOMMENDED: Partial<Record<keyof SamplerNumbers, string>> = {
  topK: "top_k",
  topP: "top_p",
  minP: "min_p",
  xtcProbability: "xtc_probability",
  xtcThreshold: "xtc_threshold",
  temperature: "temp",
  repeatLastN: "penalty_last_n",
  repeatPenalty: "penalty_repeat",
  mirostat: "mirostat",
  mirostatTau: "mirostat_tau",
  mirostatEta: "mirostat_eta",
};

export interface StartedSampling {
  readonly defaults: SamplingDefaults;
  /** For the log: what the model recommends, and what of it cannot be used. */
  readonly notes: readonly string[];
}

/** `meta`: a value of the model's file as text, or null. Throws ConfigError for flags that do not fit together. */
export function samplingDefaults(flags: Flags, meta: (key: string) => string | null): StartedSampling {
  const used: string[] = [];
  const unfit: string[] = [];
  const recommended = <T>(name: string, read: (text: string) => T | undefined): T | null => {
    const text = meta(`general.sampling.${name}`);
    if (text === null) return null;
    const value = read(text);
    (value === undefined ? unfit : used).push(`${name} ${text}`);
    return value ?? null;
  };
  const numbers = samplerNumbers((key, rule) => {
    const name = RECOMMENDED[key];
    const model =
      flags[key] === null && name !== undefined ? recommended(name, (text) => fitting(text, key)) : null;
    return flags[key] ?? model ?? rule.fallback;
  });
  const flagged = flags.samplers ?? flags.samplerSeq;
  const fits = (names: readonly SamplerName[] | undefined) =>
    names !== undefined && infillProblem({ samplers: names, topK: numbers.topK }) === null
      ? names
      : undefined;
  const samplers =
    flagged ?? recommended("sequence", (text) => fits(namesIn(text))) ?? SAMPLER_DEFAULTS.samplers;
  const problem = infillProblem({ samplers, topK: numbers.topK });
  if (problem !== null) throw new ConfigError(`--samplers: ${problem}`);
  return {
    defaults: {
      ...numbers,
      dryBase: numbers.dryBase < 1 ? SAMPLER_DEFAULTS.dryBase : numbers.dryBase,
      samplers,
      drySequenceBreakers: flags.drySequenceBreakers ?? SAMPLER_DEFAULTS.drySequenceBreakers,
      seed: flags.seed,
      ignoreEos: flags.ignoreEos,
    },
    notes: [
      ...(used.length === 0 ? [] : [`Sampling as the model recommends: ${used.join(", ")}.`]),
      ...unfit.map((one) => `The model recommends what is no sampling setting: ${one}.`),
    ],
  };
}

function fitting(text: string, key: keyof SamplerNumbers): number | undefined {
  const { min, max, whole } = NUMBER_RULES[key];
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return number >= min && number <= max && (whole !== true || Number.isInteger(number)) ? number : undefined;
}

function namesIn(text: string): readonly SamplerName[] | undefined {
  const names = text.split(";").map((name) => samplerByName(name.trim()));
  const known = names.filter((name) => name !== undefined);
  return known.length === names.length ? known : undefined;
}
