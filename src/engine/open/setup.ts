/**
 * The setup: everything that decides bits but the prompt and the tenant (I5). Its hash seeds every key, so
 * that a state kept under one machine, build or setting is never found under another.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { PadRule } from "../../plan/padding.ts";
import type { EngineOptions } from "./EngineOptions.ts";

/** What only the loaded library and model can tell. */
export interface SetupFacts {
  /** This program's version and the hash of its shim: what the self-test said of another one is not its own. */
  readonly program: string;
  /** libllama's version and the bytes of its file. */
  readonly library: string;
  /** CPU variant or GPU model and driver, as the backend describes them. */
  readonly devices: readonly string[];
  readonly systemInfo: string;
  readonly ctxTokens: number;
  /** A device splits attention by the longest of its streams: how many there are may show in bits. */
  readonly sequences: number;
  readonly padding: PadRule | null;
  readonly chunkTokensMin: number;
  readonly chunkTokensMax: number;
  readonly taperTokens: number;
  readonly tripTokensMin: number;
}

const SAMPLE_BYTES = 2 ** 20;

/** Size and the first and last MiB: a whole hash of 40 GB would cost a start. */
export function fileFingerprint(path: string): string {
  const file = openSync(path, "r");
  try {
    const size = fstatSync(file).size;
    const buffer = new Uint8Array(Math.min(size, SAMPLE_BYTES));
    readSync(file, buffer, 0, buffer.length, 0);
    const head = Bun.hash.xxHash64(buffer);
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return `${size}:${head.toString(16)}:${Bun.hash.xxHash64(buffer).toString(16)}`;
  } finally {
    closeSync(file);
  }
}

export function setupHash(options: EngineOptions, facts: SetupFacts): bigint {
  const seed = {
    model: fileFingerprint(options.modelPath),
    program: facts.program,
    library: facts.library,
    devices: facts.devices,
    systemInfo: facts.systemInfo,
    threads: [options.threads, options.threadsBatch],
    ubatch: options.ubatch,
    gpuLayers: options.gpuLayers,
    tensorSplit: options.tensorSplit,
    mainGpu: options.mainGpu,
    overrideTensor: options.overrideTensor,
    nCpuMoe: options.nCpuMoe,
    kv: [options.cacheTypeK, options.cacheTypeV],
    flashAttention: true,
    swaFull: false,
    ctxTokens: facts.ctxTokens,
    sequences: facts.sequences,
    rope: options.rope,
    adapters: [],
    padding: facts.padding,
    chunks: [facts.chunkTokensMin, facts.chunkTokensMax, facts.taperTokens, facts.tripTokensMin],
  };
  return Bun.hash.xxHash64(JSON.stringify(seed));
}
