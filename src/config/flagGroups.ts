/** The flags under headings, in the order of `--help` and of the table in the docs. */
import { FLAGS } from "./flags.ts";
import type { AnyFlag } from "./Setting.ts";
import { SAMPLER_FLAGS } from "./samplerFlags.ts";

type Key = keyof typeof FLAGS;

export interface FlagGroup {
  readonly title: string;
  readonly flags: Readonly<Record<string, AnyFlag>>;
}

const GROUPS: readonly (readonly [string, readonly Key[]])[] = [
  ["Model", ["model", "hfRepo", "alias", "strictModel", "chatTemplateFile", "jinja", "llamaLib"]],
  ["Address", ["host", "port"]],
  ["Who is let in", ["apiKeys", "apiKeyFile", "insecure", "allowedHosts", "corsOrigins"]],
  [
    "What is served",
    ["embeddings", "rerank", "pooling", "embdNormalize", "slots", "metrics", "queueMax", "bodyMax"],
  ],
  ["Context and replies at a time", ["ctxSize", "parallel", "spareSequences", "batchSize", "ubatchSize"]],
  [
    "CPU, GPU and memory",
    [
      "threads",
      "threadsBatch",
      "gpuLayers",
      "mainGpu",
      "tensorSplit",
      "overrideTensor",
      "nCpuMoe",
      "cacheTypeK",
      "cacheTypeV",
      "flashAttn",
      "mmap",
      "mlock",
    ],
  ],
  [
    "Kept states",
    [
      "warm",
      "stateRam",
      "stateDisk",
      "stateDir",
      "chunkTokensMin",
      "chunkTokensMax",
      "taperTokens",
      "tripTokensMin",
      "exactDecode",
      "shareStates",
      "redact",
    ],
  ],
  ["Replies", ["reasoningBudget", "keepAttributionHeader"]],
  ["Sampling, where a request says nothing", Object.keys(SAMPLER_FLAGS) as (keyof typeof SAMPLER_FLAGS)[]],
  [
    "RoPE",
    [
      "ropeScaling",
      "ropeScale",
      "ropeFreqBase",
      "ropeFreqScale",
      "yarnOrigCtx",
      "yarnExtFactor",
      "yarnAttnFactor",
      "yarnBetaSlow",
      "yarnBetaFast",
    ],
  ],
  [
    "Process, log and settings",
    [
      "supervise",
      "drainSeconds",
      "logLevel",
      "logFormat",
      "debugHashes",
      "debugIntegrity",
      "config",
      "printConfig",
    ],
  ],
];

/** A flag that stands under no heading stands under the last. */
export const FLAG_GROUPS: readonly FlagGroup[] = groups();

function groups(): readonly FlagGroup[] {
  const all = FLAGS as unknown as Readonly<Record<string, AnyFlag>>;
  const named = new Set<string>(GROUPS.flatMap(([, keys]) => keys));
  const rest = Object.keys(FLAGS).filter((key) => !named.has(key));
  return GROUPS.map(([title, keys], at) => {
    const own = at === GROUPS.length - 1 ? [...keys, ...rest] : keys;
    return { title, flags: Object.fromEntries(own.flatMap((key) => (all[key] ? [[key, all[key]]] : []))) };
  });
}
