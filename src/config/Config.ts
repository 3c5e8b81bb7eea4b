/** Flags and environment, checked as a whole and resolved to what the server is started with. */
import { existsSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { cacheFolder } from "../../ffi/cacheFolder.ts";
import { LIMITS, type Limits } from "../base/limits.ts";
import type { EngineOptions } from "../engine/open/EngineOptions.ts";
import { isModelName } from "../hub/ModelName.ts";
import type { ApiKey } from "../protocol/http/auth.ts";
import { isLoopback } from "../protocol/http/gate.ts";
import { apiKeys } from "./apiKeys.ts";
import { ConfigError } from "./ConfigError.ts";
import { readableByOthers } from "./configFile.ts";
import { DEMO_MODEL_NAME, demoModel } from "./demoModel.ts";
import { FLAGS } from "./flags.ts";
import { type Env, type Flags, parseTable } from "./parseFlags.ts";
import { program } from "./program.ts";

export interface Config {
  readonly flags: Flags;
  readonly host: string;
  /** A file, or `hf:…` until `cli/locateModel` has found it. */
  readonly modelPath: string;
  /** In `/v1/models`, and echoed where a request names none. */
  readonly modelName: string;
  readonly limits: Limits;
  readonly apiKeys: readonly ApiKey[];
  /** For the log: what was given and means nothing, or is unsafe. */
  readonly notes: readonly string[];
  /** All but what `ffi/library.ts` finds. */
  readonly engine: Omit<EngineOptions, "libraryPath" | "shimPath">;
}

/** Throws ConfigError. */
export function readConfig(argv: readonly string[], env: Env): Config {
  const { flags, notes } = parseTable(FLAGS, argv, env);
  return configOf(flags, env, notes);
}

/**
 * The model that is served with these flags: a file or `hf:…`, the demo model where they name none; null where there
 * is none either. Throws ConfigError.
 */
export function modelOf({ model, hfRepo }: Flags, env: Env): string | null {
  if (hfRepo === null) return model ?? demoModel(env);
  if (model !== null) throw new ConfigError("--model and --hf-repo both name a model; give one of them.");
  return isModelName(hfRepo) ? hfRepo : `hf:${hfRepo}`;
}

/** Throws ConfigError. */
export function configOf(flags: Flags, env: Env, notes: readonly string[] = []): Config {
  const model = modelOf(flags, env);
  if (model === null) {
    throw new ConfigError(`No model is named: start with ${program} -m model.gguf, or set WARMTURN_MODEL.`);
  }
  checkTogether(flags);
  const host = flags.host ?? "127.0.0.1";
  const keys = apiKeys(flags.apiKeys, flags.apiKeyFile);
  const open = flags.apiKeyFile === null ? null : readableByOthers(flags.apiKeyFile);
  checkReach(host, keys.length > 0, flags.insecure);
  return {
    flags,
    host,
    modelPath: model,
    modelName: nameOf(flags, model),
    apiKeys: keys,
    limits: {
      ...LIMITS,
      queueMax: flags.queueMax,
      bodyBytesMax: flags.bodyMax,
      closeMsMax: 1000 * flags.drainSeconds,
    },
    notes: open === null ? notes : [...notes, open],
    engine: engineOptions(flags, model, env),
  };
}

/** With the file that its `hf:…` stands for. */
export function withModelFile(config: Config, modelPath: string): Config {
  return {
    ...config,
    modelPath,
    modelName: nameOf(config.flags, modelPath),
    engine: { ...config.engine, modelPath, ...threadsOf(config.flags, modelPath) },
  };
}

/** Without its ending, and without the number of its part. */
function nameOf(flags: Flags, modelPath: string): string {
  if (flags.model === null && flags.hfRepo === null) return flags.alias ?? DEMO_MODEL_NAME;
  return flags.alias ?? basename(modelPath).replace(/(-\d{5}-of-\d{5})?\.gguf$/i, "");
}

function checkTogether(flags: Flags): void {
  if (flags.chunkTokensMax > flags.ubatchSize) {
    throw new ConfigError(
      `--chunk-tokens-max is ${flags.chunkTokensMax}; allowed is at most --ubatch-size, ${flags.ubatchSize}.`,
    );
  }
  if (flags.parallel > flags.ubatchSize) {
    throw new ConfigError(
      `--parallel is ${flags.parallel}; allowed is at most --ubatch-size, ${flags.ubatchSize}: a step decodes a row of each.`,
    );
  }
  const chunkMax = flags.chunkTokensMax || flags.ubatchSize;
  if (flags.chunkTokensMin > chunkMax) {
    throw new ConfigError(
      `--chunk-tokens-min is ${flags.chunkTokensMin}; allowed is at most --chunk-tokens-max, ${chunkMax}.`,
    );
  }
  if (flags.rerank && flags.pooling !== null && flags.pooling !== "rank") {
    throw new ConfigError(`--rerank ranks; it cannot pool by --pooling ${flags.pooling} as well.`);
  }
  if (flags.pooling !== null && !flags.embeddings && !flags.rerank) {
    throw new ConfigError("--pooling is for embeddings; give --embeddings with it.");
  }
  if (flags.chatTemplateFile !== null && !existsSync(flags.chatTemplateFile)) {
    throw new ConfigError(`--chat-template-file: there is no file ${flags.chatTemplateFile}.`);
  }
}

/** Whoever reaches the address may use the model, and learn what its users ask. */
function checkReach(host: string, hasKeys: boolean, insecure: boolean): void {
  if (hasKeys || insecure || isLoopback(host)) return;
  throw new ConfigError(
    `--host ${host} lets other machines in, and no key is set: give --api-key (or WARMTURN_API_KEY), or --insecure ` +
      "if everybody who reaches it may use it.",
  );
}

function engineOptions(flags: Flags, modelPath: string, env: Env): Config["engine"] {
  return {
    modelPath,
    ctxSize: flags.ctxSize,
    parallel: flags.parallel,
    spareSequences: flags.spareSequences,
    ...threadsOf(flags, modelPath),
    gpuLayers: flags.gpuLayers,
    cacheTypeK: flags.cacheTypeK,
    cacheTypeV: flags.cacheTypeV,
    ubatch: flags.ubatchSize,
    mmap: flags.mmap,
    mlock: flags.mlock,
    tensorSplit: flags.tensorSplit,
    mainGpu: flags.mainGpu,
    overrideTensor: flags.overrideTensor,
    nCpuMoe: flags.nCpuMoe,
    rope: {
      scaling: flags.ropeScaling,
      scale: flags.ropeScale,
      freqBase: flags.ropeFreqBase,
      freqScale: flags.ropeFreqScale,
      yarnOrigCtx: flags.yarnOrigCtx,
      yarnExtFactor: flags.yarnExtFactor,
      yarnAttnFactor: flags.yarnAttnFactor,
      yarnBetaFast: flags.yarnBetaFast,
      yarnBetaSlow: flags.yarnBetaSlow,
    },
    chunkTokensMin: flags.chunkTokensMin,
    chunkTokensMax: flags.chunkTokensMax,
    taperTokens: flags.taperTokens,
    tripTokensMin: flags.tripTokensMin,
    stateRamBytes: flags.stateRam ?? -1,
    stateDisk: flags.stateDisk > 0 ? { path: stateFolder(flags, env), bytes: flags.stateDisk } : null,
    embeddings: flags.embeddings || flags.rerank ? { pooling: flags.rerank ? "rank" : flags.pooling } : null,
    exactDecode: flags.exactDecode,
    debugHashes: flags.debugHashes,
    debugIntegrity: flags.debugIntegrity,
    queueMax: flags.queueMax,
    home: cacheFolder(env),
  };
}

function stateFolder(flags: Flags, env: Env): string {
  return resolve(flags.stateDir ?? join(cacheFolder(env), "states"));
}

function threadsOf(flags: Flags, modelPath: string): Pick<Config["engine"], "threads" | "threadsBatch"> {
  const bytes = statSync(modelPath, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
  const threads = given(flags.threads) ?? defaultThreads(availableParallelism(), bytes);
  return { threads, threadsBatch: given(flags.threadsBatch) ?? threads };
}

/** -1 and 0 are none, as in llama-server. */
function given(threads: number | null): number | null {
  return threads === null || threads < 1 ? null : threads;
}

/** A model this small is evaluated in less time than threads take to wait for each other, above all on busy cores. */
const ONE_THREAD_BYTES = 64 << 20;

/** Above four, half: the other half are second threads of the same cores, which slow both. `bytes`: of the model's file. */
export function defaultThreads(cpus: number, bytes: number): number {
  if (bytes < ONE_THREAD_BYTES) return 1;
  return cpus > 4 ? Math.floor(cpus / 2) : cpus;
}
