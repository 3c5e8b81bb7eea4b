/**
 * How the next token is chosen, in llama-server's names, defaults and order. One table says what each number
 * may be; flags, request fields, the model's own recommendations and `ffi/` are checked against it.
 */

/** The links that a chain may have, in llama-server's default order; the others only where they are asked for. */
export const DEFAULT_SAMPLERS = [
  "penalties",
  "dry",
  "top_n_sigma",
  "top_k",
  "typ_p",
  "top_p",
  "min_p",
  "xtc",
  "temperature",
] as const;

export type SamplerName = (typeof DEFAULT_SAMPLERS)[number] | "adaptive_p" | "infill";

/** In the shim's numbers. */
export const SAMPLER_NAMES: readonly SamplerName[] = [...DEFAULT_SAMPLERS, "adaptive_p", "infill"];

/** Some milliseconds a token. */
const INFILL_CANDIDATES_MAX = 256;

/** What is wrong with the place of `infill`, which compares each candidate with each other; null where it may stand. */
export function infillProblem({ samplers, topK }: Pick<SamplerSettings, "samplers" | "topK">): string | null {
  const at = samplers.indexOf("infill");
  const cut = samplers.indexOf("top_k");
  if (at < 0 || (cut >= 0 && cut < at && topK >= 1 && topK <= INFILL_CANDIDATES_MAX)) return null;
  return (
    "infill compares all candidates with one another: top_k must stand in front of it, and be from 1 to " +
    `${INFILL_CANDIDATES_MAX}, not ${cut >= 0 && cut < at ? topK : "missing"}.`
  );
}

export interface SamplerNumbers {
  /** ≤ 0 is greedy. */
  readonly temperature: number;
  /** The temperature moves by this much with the entropy; 0 off. */
  readonly dynatempRange: number;
  readonly dynatempExponent: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly typicalP: number;
  /** ≤ 0 off. */
  readonly topNSigma: number;
  readonly xtcProbability: number;
  readonly xtcThreshold: number;
  /** Candidates that top_p, min_p, typ_p and xtc leave at least. */
  readonly minKeep: number;
  readonly repeatPenalty: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  /** Tokens looked back on by the penalties, of the prompt too; 0 off, -1 the whole context. */
  readonly repeatLastN: number;
  /** 0 off. */
  readonly dryMultiplier: number;
  readonly dryBase: number;
  readonly dryAllowedLength: number;
  /** As repeatLastN. */
  readonly dryPenaltyLastN: number;
  /** 1 or 2 replaces the chain by mirostat, as in llama-server. */
  readonly mirostat: number;
  readonly mirostatTau: number;
  readonly mirostatEta: number;
  /** Of `adaptive_p`; negative off. */
  readonly adaptiveTarget: number;
  readonly adaptiveDecay: number;
}

export interface SamplerSettings extends SamplerNumbers {
  readonly samplers: readonly SamplerName[];
  /** Texts at which DRY stops looking; of each, llama.cpp reads 40 bytes. */
  readonly drySequenceBreakers: readonly string[];
}

/** What a request that says nothing gets. */
export interface SamplingDefaults extends SamplerSettings {
  /** -1 draws one for each request. */
  readonly seed: number;
  readonly ignoreEos: boolean;
}

export interface NumberRule {
  /** The request's field. */
  readonly field: string;
  /** For the help and the documentation. */
  readonly says: string;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

const INT_MAX = 2 ** 31 - 1;
/** What stays finite as an f32 when it is added or multiplied; nobody means more. */
export const PLAIN = { min: -1e9, max: 1e9 } as const;
const SHARE = { min: 0, max: 1 } as const;

export const NUMBER_RULES: { readonly [K in keyof SamplerNumbers]: NumberRule } = {
  temperature: { field: "temperature", says: "temperature; 0 takes the best token", fallback: 0.8, ...PLAIN },
  dynatempRange: {
    field: "dynatemp_range",
    says: "the temperature moves by so much; 0 off",
    fallback: 0,
    ...PLAIN,
  },
  dynatempExponent: {
    field: "dynatemp_exponent",
    says: "how the entropy moves it",
    fallback: 1,
    min: 0,
    max: 1e9,
  },
  topK: {
    field: "top_k",
    says: "keep the K best tokens; 0 off",
    fallback: 40,
    whole: true,
    min: -INT_MAX,
    max: INT_MAX,
  },
  topP: { field: "top_p", says: "keep the best tokens up to this share; 1 off", fallback: 0.95, ...SHARE },
  minP: {
    field: "min_p",
    says: "keep tokens of at least this share of the best one's; 0 off",
    fallback: 0.05,
    ...SHARE,
  },
  typicalP: { field: "typical_p", says: "locally typical sampling; 1 off", fallback: 1, ...SHARE },
  topNSigma: {
    field: "top_n_sigma",
    says: "keep tokens within N deviations; -1 off",
    fallback: -1,
    ...PLAIN,
  },
  xtcProbability: {
    field: "xtc_probability",
    says: "how often XTC drops the best tokens; 0 off",
    fallback: 0,
    ...SHARE,
  },
  xtcThreshold: {
    field: "xtc_threshold",
    says: "share from which XTC drops; above 0.5 off",
    fallback: 0.1,
    ...SHARE,
  },
  minKeep: {
    field: "min_keep",
    says: "tokens that the samplers leave at least",
    fallback: 0,
    whole: true,
    min: 0,
    max: INT_MAX,
  },
  repeatPenalty: {
    field: "repeat_penalty",
    says: "penalty for repeated tokens; 1 off",
    fallback: 1,
    min: 1e-3,
    max: 1e3,
  },
  presencePenalty: { field: "presence_penalty", says: "presence penalty; 0 off", fallback: 0, ...PLAIN },
  frequencyPenalty: { field: "frequency_penalty", says: "frequency penalty; 0 off", fallback: 0, ...PLAIN },
  repeatLastN: {
    field: "repeat_last_n",
    says: "tokens that penalties look back on; 0 off, -1 all",
    fallback: 64,
    whole: true,
    min: -1,
    max: INT_MAX,
  },
  // A negative one would add what overflows to infinity.
  dryMultiplier: { field: "dry_multiplier", says: "DRY penalty; 0 off", fallback: 0, min: 0, max: 1e9 },
  dryBase: { field: "dry_base", says: "DRY base", fallback: 1.75, ...PLAIN },
  dryAllowedLength: {
    field: "dry_allowed_length",
    says: "repeated tokens that DRY allows",
    fallback: 2,
    whole: true,
    min: 0,
    max: INT_MAX,
  },
  dryPenaltyLastN: {
    field: "dry_penalty_last_n",
    says: "tokens that DRY looks back on; 0 off, -1 all",
    fallback: 64,
    whole: true,
    min: -1,
    max: INT_MAX,
  },
  mirostat: {
    field: "mirostat",
    says: "1 or 2: mirostat in place of the samplers",
    fallback: 0,
    whole: true,
    min: 0,
    max: 2,
  },
  mirostatTau: { field: "mirostat_tau", says: "mirostat's entropy", fallback: 5, min: 0, max: 1e3 },
  mirostatEta: { field: "mirostat_eta", says: "mirostat's learning rate", fallback: 0.1, min: 0, max: 1e3 },
  adaptiveTarget: {
    field: "adaptive_target",
    says: "adaptive_p: choose near this probability",
    fallback: -1,
    min: -1e9,
    max: 1,
  },
  adaptiveDecay: {
    field: "adaptive_decay",
    says: "adaptive_p: how fast it adapts",
    fallback: 0.9,
    min: 0,
    max: 0.99,
  },
};

export const NUMBER_KEYS = Object.keys(NUMBER_RULES) as (keyof SamplerNumbers)[];

/** All numbers by name, each as `read` gives it. */
export function samplerNumbers(
  read: (key: keyof SamplerNumbers, rule: NumberRule) => number,
): SamplerNumbers {
  // Every key of the table is read, and the table has them all.
  return Object.fromEntries(
    NUMBER_KEYS.map((key) => [key, read(key, NUMBER_RULES[key])]),
  ) as unknown as SamplerNumbers;
}

export const SAMPLER_DEFAULTS: SamplerSettings = {
  ...samplerNumbers((_, rule) => rule.fallback),
  samplers: DEFAULT_SAMPLERS,
  drySequenceBreakers: ["\n", ":", '"', "*"],
};

export const SAMPLING_DEFAULTS: SamplingDefaults = { ...SAMPLER_DEFAULTS, seed: -1, ignoreEos: false };
