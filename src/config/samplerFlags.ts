/** Flags for what a request that says nothing about sampling gets; null is as the model recommends, or the default. */
import {
  DEFAULT_SAMPLERS,
  NUMBER_RULES,
  SAMPLER_NAMES,
  type SamplerName,
  type SamplerNumbers,
} from "../run/samplerSettings.ts";
import { samplerByLetter, samplerByName } from "../run/samplerSpelling.ts";
import { custom, type Flag, number, toggle } from "./flag.ts";

function sampler(key: keyof SamplerNumbers, names: string, env?: string): Flag<number | null> {
  const { min, max, whole, fallback, says: help } = NUMBER_RULES[key];
  const spelling = { names, help, ...(env === undefined ? {} : { env }) };
  return number<number | null>(spelling, null, {
    min,
    max,
    whole: whole ?? false,
    defaultText: String(fallback),
  });
}

export const SAMPLER_FLAGS = {
  temperature: sampler("temperature", "--temp --temperature"),
  dynatempRange: sampler("dynatempRange", "--dynatemp-range"),
  dynatempExponent: sampler("dynatempExponent", "--dynatemp-exp"),
  topK: sampler("topK", "--top-k", "LLAMA_ARG_TOP_K"),
  topP: sampler("topP", "--top-p"),
  minP: sampler("minP", "--min-p"),
  typicalP: sampler("typicalP", "--typical --typical-p"),
  topNSigma: sampler("topNSigma", "--top-nsigma --top-n-sigma"),
  xtcProbability: sampler("xtcProbability", "--xtc-probability"),
  xtcThreshold: sampler("xtcThreshold", "--xtc-threshold"),
  minKeep: sampler("minKeep", "--min-keep"),
  repeatLastN: sampler("repeatLastN", "--repeat-last-n"),
  repeatPenalty: sampler("repeatPenalty", "--repeat-penalty"),
  presencePenalty: sampler("presencePenalty", "--presence-penalty"),
  frequencyPenalty: sampler("frequencyPenalty", "--frequency-penalty"),
  dryMultiplier: sampler("dryMultiplier", "--dry-multiplier"),
  dryBase: sampler("dryBase", "--dry-base"),
  dryAllowedLength: sampler("dryAllowedLength", "--dry-allowed-length"),
  dryPenaltyLastN: sampler("dryPenaltyLastN", "--dry-penalty-last-n"),
  drySequenceBreakers: {
    ...custom<readonly string[] | null>(
      {
        names: "--dry-sequence-breaker",
        help: "text at which DRY stops looking; again for each; none for none",
      },
      {
        takes: "TEXT",
        defaultText: 'newline, :, ", *',
        fallback: null,
        allowed: "a non-empty text, or none",
        read: (value) => (value === "" ? undefined : value === "none" ? [] : [unescaped(value)]),
      },
    ),
    join: (a: readonly string[] | null, b: readonly string[] | null) => [...(a ?? []), ...(b ?? [])],
  },
  mirostat: sampler("mirostat", "--mirostat"),
  mirostatEta: sampler("mirostatEta", "--mirostat-lr"),
  mirostatTau: sampler("mirostatTau", "--mirostat-ent"),
  adaptiveTarget: sampler("adaptiveTarget", "--adaptive-target"),
  adaptiveDecay: sampler("adaptiveDecay", "--adaptive-decay"),
  samplers: custom<readonly SamplerName[] | null>(
    { names: "--samplers", help: "the samplers in their order, separated by ;" },
    {
      takes: "NAMES",
      defaultText: DEFAULT_SAMPLERS.join(";"),
      fallback: null,
      allowed: `${SAMPLER_NAMES.join(", ")}, separated by ;`,
      read: (value) => allOf(value.split(/[;,]/).map((name) => samplerByName(name.trim()))),
    },
  ),
  samplerSeq: custom<readonly SamplerName[] | null>(
    { names: "--sampler-seq --sampling-seq", help: "as --samplers, in letters" },
    {
      takes: "LETTERS",
      defaultText: "edskypmxt",
      fallback: null,
      allowed: "letters of edskypmxtai",
      read: (value) => allOf([...value].map(samplerByLetter)),
    },
  ),
  seed: number({ names: "--seed -s", help: "seed of requests without one; -1 draws one for each" }, -1, {
    min: -1,
    max: 2 ** 32 - 1,
    whole: true,
  }),
  ignoreEos: toggle({ names: "--ignore-eos", help: "replies do not end by themselves" }, false),
};

function allOf(names: readonly (SamplerName | undefined)[]): readonly SamplerName[] | undefined {
  const known = names.filter((name) => name !== undefined);
  return known.length === names.length ? known : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** `\n` and the like, as llama-server reads them. */
function unescaped(text: string): string {
  return text.replace(/\\([nrt'"\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
