import type { CacheType, Pooling } from "../../../ffi/Context.ts";

/** What the engine Worker is started with: settings only, resolved and checked by `src/config/Config.ts`. */
export interface EngineOptions {
  readonly modelPath: string;
  /** libllama to load (file), found by `ffi/library.ts` on the HTTP side. */
  readonly libraryPath: string;
  /** Prebuilt shim, or null to compile it at start-up. */
  readonly shimPath: string | null;
  /** Tokens per conversation; 0 is the model's own. */
  readonly ctxSize: number;
  /** Lanes. */
  readonly parallel: number;
  readonly spareSequences: number;
  readonly threads: number;
  readonly threadsBatch: number;
  /** -1 all. */
  readonly gpuLayers: number;
  readonly cacheTypeK: CacheType;
  readonly cacheTypeV: CacheType;
  /** Tokens of one chunk at most: llama.cpp's n_ubatch. */
  readonly ubatch: number;
  readonly mmap: boolean;
  readonly mlock: boolean;
  readonly tensorSplit: readonly number[];
  readonly mainGpu: number;
  /** `pattern=buffer type`, as llama-server's `--override-tensor`. */
  readonly overrideTensor: readonly { readonly pattern: string; readonly bufferType: string }[];
  readonly nCpuMoe: number;
  readonly rope: {
    /** null: from the model. */
    readonly scaling: "none" | "linear" | "yarn" | null;
    readonly scale: number;
    readonly freqBase: number;
    readonly freqScale: number;
    readonly yarnOrigCtx: number;
    readonly yarnExtFactor: number;
    readonly yarnAttnFactor: number;
    readonly yarnBetaFast: number;
    readonly yarnBetaSlow: number;
  };
  /** 0: 64, or 32 for a model of short conversations. */
  readonly chunkTokensMin: number;
  /** 0: `ubatch`. */
  readonly chunkTokensMax: number;
  /** 0: 128, on sliding-window models only. */
  readonly tripTokensMin: number;
  /** As in `ChunkRules`; -1: by the model's shape on a CPU, else 0. */
  readonly taperTokens: number;
  /** Host memory for snapshots and full saves; -1: a quarter of what the weights leave, at most 8 GiB. */
  readonly stateRamBytes: number;
  /** Null: states are kept in memory alone. */
  readonly stateDisk: { readonly path: string; readonly bytes: number } | null;
  /** Null: nothing is embedded, but by encoders, which do nothing else. `pooling` null: as the model's file says. */
  readonly embeddings: { readonly pooling: Pooling | null } | null;
  readonly exactDecode: boolean;
  readonly debugHashes: boolean;
  /** Books of runs and kept states are checked whenever nothing is left to do. */
  readonly debugIntegrity: boolean;
  /** Requests that may wait for a lane. */
  readonly queueMax: number;
  /** Folder for what is remembered between starts (self-test results). */
  readonly home: string;
}
