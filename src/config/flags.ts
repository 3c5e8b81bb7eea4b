/**
 * The table of all flags: parsing, `--help`, the environment and docs/flags.md are made of it. Names, short forms
 * and meanings are llama-server's where it has the flag.
 */
import { EUCLIDEAN, NORMALISE_MAX } from "../protocol/embeddings/normalise.ts";
import { originOf } from "../protocol/http/cors.ts";
import { hostNameOf } from "../protocol/http/gate.ts";
import { bytes, choice, custom, type Flag, list, number, text, toggle } from "./flag.ts";
import { givenKey } from "./givenKey.ts";
import { SAMPLER_FLAGS } from "./samplerFlags.ts";
import { SERVICE_FLAGS } from "./serviceFlags.ts";
import { STATE_FLAGS } from "./stateFlags.ts";

/** The self-test's short last chunk and the measuring of a memory fit one evaluation. */
const UBATCH_MIN = 8;
const INT_MAX = 2 ** 31 - 1;
const any = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, whole: false };
const positive = { min: 0, max: Number.POSITIVE_INFINITY, whole: false };
const cacheTypes = ["f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"] as const;

function whole(min: number, max: number, defaultText?: string) {
  return { min, max, whole: true, ...(defaultText === undefined ? {} : { defaultText }) };
}

export const FLAGS = {
  config: {
    ...text(
      { names: "--config", help: "a file of settings (TOML): each flag by its name without the dashes" },
      "FILE",
    ),
    notIn: ["file"],
  } satisfies Flag<string | null>,
  printConfig: {
    ...toggle(
      { names: "--print-config", help: "print all settings and where each comes from, and end" },
      false,
    ),
    notIn: ["environment", "file"],
  } satisfies Flag<boolean>,
  model: text(
    {
      names: "--model -m",
      env: "LLAMA_ARG_MODEL",
      help: "GGUF file to serve, or hf:OWNER/REPO[:QUANT], which is fetched first if it is not here",
    },
    "FILE",
  ),
  hfRepo: text(
    { names: "--hf-repo -hf -hfr", env: "LLAMA_ARG_HF_REPO", help: "the same as -m hf:OWNER/REPO[:QUANT]" },
    "OWNER/REPO[:QUANT]",
  ),
  host: text({ names: "--host", env: "LLAMA_ARG_HOST", help: "address to listen on (127.0.0.1)" }, "HOST"),
  port: number(
    { names: "--port", env: "LLAMA_ARG_PORT", help: "port to listen on; 0 takes a free one" },
    8080,
    whole(0, 65535),
  ),
  alias: text(
    { names: "--alias -a", env: "LLAMA_ARG_ALIAS", help: "name of the model in /v1/models" },
    "NAME",
  ),
  strictModel: toggle({ names: "--strict-model", help: "answer 404 to any other model name" }, false),
  apiKeys: list(
    {
      names: "--api-key",
      env: "LLAMA_API_KEY",
      help: "keys that are let in, separated by commas; each is a tenant of its own, and a name is for logs",
    },
    {
      takes: "[NAME=]KEY,…",
      allowed: "non-empty keys, separated by commas",
      secret: true,
      item: givenKey,
    },
  ),
  apiKeyFile: text(
    { names: "--api-key-file", help: "a file of keys, one a line; lines that begin with # are comments" },
    "FILE",
  ),
  insecure: toggle(
    { names: "--insecure", help: "serve without a key on an address that others reach, too" },
    false,
  ),
  allowedHosts: list(
    {
      names: "--allowed-hosts",
      help: "names that requests may be sent to, beside this machine's own; * is all. Checked on a loopback address without a key, and wherever it is given",
    },
    {
      takes: "NAME,…",
      allowed: "names or addresses without a port, separated by commas; *",
      item: hostNameOf,
    },
  ),
  corsOrigins: list(
    {
      names: "--cors-origins",
      env: "LLAMA_ARG_CORS_ORIGINS",
      help: "pages that may ask and read answers in a browser; * is all, localhost all of this machine; never cookies",
    },
    {
      takes: "ORIGIN,…",
      allowed: "origins such as https://chat.example.org, separated by commas; *; localhost",
      item: originOf,
    },
  ),
  ctxSize: number(
    {
      names: "--ctx-size -c",
      env: "LLAMA_ARG_CTX_SIZE",
      help: "tokens of one conversation; 0 is the model's own",
    },
    0,
    whole(0, INT_MAX),
  ),
  parallel: number(
    {
      names: "--parallel -np",
      env: "LLAMA_ARG_N_PARALLEL",
      help: "replies that are written at the same time",
    },
    2,
    whole(1, 64),
  ),
  spareSequences: number(
    { names: "--spare-sequences", help: "sequences that hold states beside those that decode" },
    1,
    whole(0, 64),
  ),
  threads: number(
    { names: "--threads -t", env: "LLAMA_ARG_THREADS", help: "CPU threads; -1 or 0 for the default" },
    null,
    whole(-1, 512, "by the CPU's cores; 1 for models under 64 MiB"),
  ),
  threadsBatch: number(
    { names: "--threads-batch -tb", help: "CPU threads for prefill" },
    null,
    whole(-1, 512, "as --threads"),
  ),
  batchSize: number(
    {
      names: "--batch-size -b",
      env: "LLAMA_ARG_BATCH",
      help: "accepted for llama-server's sake; a chunk is one batch",
    },
    2048,
    whole(1, INT_MAX),
  ),
  ubatchSize: number(
    { names: "--ubatch-size -ub", env: "LLAMA_ARG_UBATCH", help: "tokens of one prefill call at most" },
    512,
    whole(UBATCH_MIN, 65536),
  ),
  embeddings: toggle(
    { names: "--embeddings --embedding", env: "LLAMA_ARG_EMBEDDINGS", help: "serve /v1/embeddings as well" },
    false,
  ),
  rerank: toggle(
    { names: "--rerank --reranking", env: "LLAMA_ARG_RERANKING", help: "serve /v1/rerank: --pooling rank" },
    false,
  ),
  pooling: choice(
    {
      names: "--pooling",
      env: "LLAMA_ARG_POOLING",
      help: "how an input becomes one embedding (the model's)",
    },
    ["none", "mean", "cls", "last", "rank"],
    null,
  ),
  embdNormalize: number(
    {
      names: "--embd-normalize",
      help: "vectors where a request says nothing: -1 as they are, 0 by the largest number, 1 taxicab, 2 Euclidean, above it the p-norm",
    },
    EUCLIDEAN,
    whole(-1, NORMALISE_MAX),
  ),
  gpuLayers: custom<number>(
    { names: "--gpu-layers -ngl --n-gpu-layers", env: "LLAMA_ARG_N_GPU_LAYERS", help: "layers on the GPU" },
    {
      takes: "N|all|auto",
      defaultText: "all",
      fallback: -1,
      allowed: 'a whole number of at least 0, "all" or "auto"',
      read: gpuLayers,
    },
  ),
  cacheTypeK: choice(
    { names: "--cache-type-k -ctk", env: "LLAMA_ARG_CACHE_TYPE_K", help: "type of the K cache" },
    cacheTypes,
    "f16",
  ),
  cacheTypeV: choice(
    { names: "--cache-type-v -ctv", env: "LLAMA_ARG_CACHE_TYPE_V", help: "type of the V cache" },
    cacheTypes,
    "f16",
  ),
  flashAttn: choice(
    {
      names: "--flash-attn -fa",
      env: "LLAMA_ARG_FLASH_ATTN",
      help: "always on here: without it copies of states are very slow",
    },
    ["on", "auto"],
    "on",
  ),
  mmap: toggle(
    { names: "--mmap", negative: "--no-mmap", env: "LLAMA_ARG_MMAP", help: "map the model file" },
    true,
  ),
  mlock: toggle({ names: "--mlock", env: "LLAMA_ARG_MLOCK", help: "keep the model in memory" }, false),
  tensorSplit: list(
    { names: "--tensor-split -ts", env: "LLAMA_ARG_TENSOR_SPLIT", help: "share of each GPU" },
    {
      takes: "N0,N1,…",
      allowed: "numbers of at least 0, separated by commas",
      separator: /[,/]/,
      item: (part) => (/^\d+(\.\d+)?$/.test(part) ? Number(part) : undefined),
    },
  ),
  mainGpu: number(
    { names: "--main-gpu -mg", env: "LLAMA_ARG_MAIN_GPU", help: "GPU for what is not split" },
    0,
    whole(0, 127),
  ),
  overrideTensor: list(
    {
      names: "--override-tensor -ot",
      env: "LLAMA_ARG_OVERRIDE_TENSOR",
      help: "place tensors whose name matches in a buffer type",
    },
    {
      takes: "PATTERN=BUFFER,…",
      allowed: "regular expression=buffer pairs, separated by commas",
      item: tensorOverride,
    },
  ),
  nCpuMoe: number(
    { names: "--n-cpu-moe -ncmoe", env: "LLAMA_ARG_N_CPU_MOE", help: "layers whose experts stay on the CPU" },
    0,
    whole(0, 65536),
  ),
  ropeScaling: choice(
    { names: "--rope-scaling", env: "LLAMA_ARG_ROPE_SCALING_TYPE", help: "RoPE scaling (the model's)" },
    ["none", "linear", "yarn"],
    null,
  ),
  ropeScale: number(
    { names: "--rope-scale", env: "LLAMA_ARG_ROPE_SCALE", help: "factor by which the context grows" },
    0,
    { ...positive, defaultText: "the model's" },
  ),
  ropeFreqBase: number(
    { names: "--rope-freq-base", env: "LLAMA_ARG_ROPE_FREQ_BASE", help: "RoPE base frequency" },
    0,
    { ...positive, defaultText: "the model's" },
  ),
  ropeFreqScale: number(
    { names: "--rope-freq-scale", env: "LLAMA_ARG_ROPE_FREQ_SCALE", help: "RoPE frequency factor" },
    0,
    { ...positive, defaultText: "the model's" },
  ),
  yarnOrigCtx: number(
    { names: "--yarn-orig-ctx", env: "LLAMA_ARG_YARN_ORIG_CTX", help: "YaRN: context of the training" },
    0,
    whole(0, INT_MAX, "the model's"),
  ),
  yarnExtFactor: number(
    { names: "--yarn-ext-factor", env: "LLAMA_ARG_YARN_EXT_FACTOR", help: "YaRN: extrapolation mix" },
    -1,
    { ...any, defaultText: "the model's" },
  ),
  yarnAttnFactor: number(
    { names: "--yarn-attn-factor", env: "LLAMA_ARG_YARN_ATTN_FACTOR", help: "YaRN: attention magnitude" },
    -1,
    { ...any, defaultText: "the model's" },
  ),
  yarnBetaSlow: number(
    { names: "--yarn-beta-slow", env: "LLAMA_ARG_YARN_BETA_SLOW", help: "YaRN: high correction dim" },
    -1,
    { ...any, defaultText: "the model's" },
  ),
  yarnBetaFast: number(
    { names: "--yarn-beta-fast", env: "LLAMA_ARG_YARN_BETA_FAST", help: "YaRN: low correction dim" },
    -1,
    { ...any, defaultText: "the model's" },
  ),
  reasoningBudget: number(
    {
      names: "--reasoning-budget",
      env: "LLAMA_ARG_THINK_BUDGET",
      help: "tokens of reasoning at most, where the closing tag is a token of its own; -1 is no limit",
    },
    -1,
    { min: -1, max: Number.POSITIVE_INFINITY, whole: true },
  ),
  ...SAMPLER_FLAGS,
  chatTemplateFile: text(
    {
      names: "--chat-template-file",
      env: "LLAMA_ARG_CHAT_TEMPLATE_FILE",
      help: "Jinja chat template instead of the model's",
    },
    "FILE",
  ),
  jinja: toggle(
    { names: "--jinja", env: "LLAMA_ARG_JINJA", help: "accepted; Jinja templates are always used" },
    true,
  ),
  warm: choice({ names: "--warm", help: "prefill the next turn after each reply" }, ["on", "off"], "on"),
  ...STATE_FLAGS,
  chunkTokensMin: number(
    { names: "--chunk-tokens-min", help: "tokens between two message starts that are cuts" },
    0,
    whole(0, 64, "64, or 32 where the model was trained on 4,096 tokens or fewer"),
  ),
  chunkTokensMax: number(
    { names: "--chunk-tokens-max", help: "longest stretch without a cut; at most --ubatch-size" },
    0,
    whole(0, 65536, "--ubatch-size"),
  ),
  tripTokensMin: number(
    { names: "--trip-tokens-min", help: "tokens between two saves of a sliding window" },
    0,
    whole(0, 65536, "128"),
  ),
  exactDecode: toggle(
    { names: "--exact-decode", help: "replies are bit-equal under load, too; slower" },
    false,
  ),
  debugIntegrity: toggle(
    { names: "--debug-integrity", help: "check the engine's books of lanes and kept states when it is idle" },
    false,
  ),
  debugHashes: toggle({ names: "--debug-hashes", help: "report hashes of logits and tokens" }, false),
  llamaLib: text({ names: "--llama-lib", env: "WARMTURN_LLAMA_LIB", help: "libllama to load" }, "FILE"),
  slots: toggle(
    { names: "--slots", negative: "--no-slots", env: "LLAMA_ARG_ENDPOINT_SLOTS", help: "serve /slots" },
    true,
  ),
  metrics: toggle(
    {
      names: "--metrics",
      negative: "--no-metrics",
      env: "LLAMA_ARG_ENDPOINT_METRICS",
      help: "serve /metrics, for Prometheus",
    },
    null,
    "on where only this machine can ask",
  ),
  queueMax: number(
    { names: "--queue-max", help: "requests that run or wait; the next is a 429" },
    64,
    whole(1, 65536),
  ),
  bodyMax: bytes({ names: "--body-max", help: "largest request body" }, 64 * 2 ** 20, "64M"),
  keepAttributionHeader: toggle(
    {
      names: "--keep-attribution-header",
      help: "leave Claude Code's x-anthropic-billing-header line in its prompts",
    },
    false,
  ),
  ...SERVICE_FLAGS,
  logLevel: choice(
    { names: "--log-level", help: "what is logged" },
    ["debug", "info", "warn", "error", "silent"],
    "info",
  ),
  logFormat: choice(
    { names: "--log-format", help: "auto is pretty on a terminal, else JSON lines" },
    ["auto", "pretty", "json"],
    "auto",
  ),
};

/** -1 is all. */
function gpuLayers(text: string): number | undefined {
  if (text === "all" || text === "auto" || text === "-1") return -1;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function tensorOverride(text: string): { readonly pattern: string; readonly bufferType: string } | undefined {
  const at = text.lastIndexOf("=");
  if (at < 1 || at === text.length - 1) return undefined;
  try {
    new RegExp(text.slice(0, at));
  } catch {
    return undefined;
  }
  return { pattern: text.slice(0, at), bufferType: text.slice(at + 1) };
}
