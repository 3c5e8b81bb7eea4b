/**
 * From settings to a device that is ready: library, model, measured memory, planned context, setup hash and
 * self-test, in this order. What cannot start is thrown in one sentence.
 */
import { Backend, type BackendDevice } from "../../ffi/Backend.ts";
import { type ContextOptions, ROPE_SCALINGS, type RopeOptions } from "../../ffi/Context.ts";
import { Model } from "../../ffi/Model.ts";
import type { Device } from "./Device.ts";
import type { Embedder } from "./EmbedQueue.ts";
import type { EngineFacts } from "./EngineFacts.ts";
import type { EngineOptions } from "./EngineOptions.ts";
import { factsOf } from "./factsOf.ts";
import { LlamaDevice } from "./LlamaDevice.ts";
import { LlamaEmbedder, poolingOf } from "./LlamaEmbedder.ts";
import { planMemory } from "./memory.ts";
import { memoryRoom } from "./memoryRoom.ts";
import { type ModelShape, measureBytes } from "./modelShape.ts";
import type { EngineReady, MemoryKind } from "./protocol.ts";
import { SelfTestMemory } from "./SelfTestMemory.ts";
import { type SelfTestResult, selfTest, shortSelfTest } from "./selfTest.ts";
import { setupHash } from "./setup.ts";

export interface OpenedEngine {
  readonly device: Device;
  /** Null where nothing is embedded. */
  readonly embedder: Embedder | null;
  readonly stateRamBytes: number;
  readonly ready: EngineReady;
  /** Replies that are decoded in one step are right here. */
  readonly decodesTogether: boolean;
  /** What the settings came to, for `doctor`. */
  readonly facts: EngineFacts;
}

const TRIP_TOKENS_MIN = 128;
/** Measuring needs a few tokens; llama.cpp rounds a context up to this anyway. */
const MEASURE_CTX_TOKENS = 256;
const DECODES_ALONE =
  "llama.cpp decodes several replies of this model in one step wrongly on this machine: each is decoded alone";

/** `progress[0]` grows from 0 to 1000 while the model is loaded. */
export function openEngine(options: EngineOptions, progress: Int32Array = new Int32Array(1)): OpenedEngine {
  const backend = Backend.open({ explicit: options.libraryPath, shim: options.shimPath ?? undefined });
  const devices = backend.devices();
  const gpus = devices.filter((device) => device.type === "gpu" || device.type === "integrated-gpu");
  const useDevice = gpus.length > 0 && options.gpuLayers !== 0;
  const room = memoryRoom(devices, useDevice);
  const model = Model.load(backend, {
    path: options.modelPath,
    gpuLayers: options.gpuLayers,
    mmap: options.mmap,
    mlock: options.mlock,
    mainGpu: options.mainGpu,
    tensorSplit: options.tensorSplit,
    overrideTensor: options.overrideTensor,
    nCpuMoe: options.nCpuMoe,
    progress,
  });
  const pooling = options.embeddings === null ? null : poolingOf(model, options.embeddings.pooling);
  const shape = shapeOf(model, options);
  const share = useDevice ? deviceShare(options.gpuLayers, model.layers) : 0;
  const plan = planMemory(shape, { ...options, embeds: pooling !== null, deviceShare: share }, room);
  const device = LlamaDevice.on(model, {
    lanes: plan.parallel,
    spares: plan.spareSequences,
    context: contextOptions(options, plan.ctxTokens),
  });
  const embedder =
    pooling === null ? null : LlamaEmbedder.on(model, pooling, contextOptions(options, options.ubatch));
  const chunks = chunkSettings(options, device.memory, useDevice);
  const setup = setupHash(options, {
    library: `${backend.version()} ${backend.library.path.split("/").at(-1)}`,
    devices: devices.map(describe),
    systemInfo: backend.systemInfo(),
    ctxTokens: device.ctxTokens,
    sequences: plan.parallel + plan.spareSequences,
    ...chunks,
  });
  const remembered = new SelfTestMemory(options.home);
  const tested = rememberedSelfTest(device, remembered, setup, chunks.chunkTokensMax);
  return {
    device,
    embedder,
    stateRamBytes: plan.stateRamBytes,
    ready: {
      type: "ready",
      memory: device.memory,
      setup,
      ctxTokens: device.ctxTokens,
      lanes: device.lanes,
      spares: device.spares,
      ...chunks,
      resume: { allowed: tested.allowed, why: tested.why },
      notes: tested.together ? plan.notes : [...plan.notes, DECODES_ALONE],
      facts: factsOf(model, shape, plan, deviceNames(devices, useDevice)),
      embeddings: pooling && { size: model.embeddingOut, tokensMax: options.ubatch, pooling },
    },
    decodesTogether: tested.together,
    facts: { shape, plan, layers: model.layers, room, useDevice, remembered },
  };
}

/** Two numbers in one GGUF: what the weights take, and what a token takes in the memory. */
function shapeOf(model: Model, options: EngineOptions): ModelShape {
  using device = LlamaDevice.on(model, {
    lanes: 1,
    spares: 0,
    context: contextOptions(options, MEASURE_CTX_TOKENS),
  });
  return {
    weightBytes: model.bytes,
    embedding: model.embedding,
    vocab: model.vocab.size,
    ctxTrain: model.ctxTrain,
    window: model.window,
    ...measureBytes(device),
  };
}

function contextOptions(options: EngineOptions, ctxTokens: number): Omit<ContextOptions, "sequences"> {
  return {
    ctxTokens,
    ubatch: options.ubatch,
    threads: options.threads,
    threadsBatch: options.threadsBatch,
    cacheTypeK: options.cacheTypeK,
    cacheTypeV: options.cacheTypeV,
    rope: ropeOptions(options.rope),
  };
}

function ropeOptions(rope: EngineOptions["rope"]): RopeOptions {
  const { scaling, scale, freqScale, ...others } = rope;
  // `--rope-scale N` expands the context by N, `--rope-freq-scale` by 1/N.
  const factor = freqScale > 0 ? freqScale : scale > 0 ? 1 / scale : 0;
  return {
    ...others,
    freqScale: factor,
    ...(scaling !== null && scaling in ROPE_SCALINGS ? { scaling } : {}),
  };
}

/** llama.cpp counts the output layer as one more. */
function deviceShare(gpuLayers: number, layers: number): number {
  return gpuLayers < 0 ? 1 : Math.min(1, gpuLayers / (layers + 1));
}

type ChunkSettings = Pick<EngineReady, "chunkTokensMin" | "chunkTokensMax" | "tripTokensMin">;

/** Small chunks cost little on a CPU and more on a GPU. */
function chunkSettings(options: EngineOptions, memory: MemoryKind, useDevice: boolean): ChunkSettings {
  const trip = options.tripTokensMin > 0 ? options.tripTokensMin : TRIP_TOKENS_MIN;
  const min = options.chunkTokensMin > 0 ? options.chunkTokensMin : useDevice ? 64 : 32;
  const max = options.chunkTokensMax > 0 ? options.chunkTokensMax : options.ubatch;
  const chunkTokensMax = Math.min(max, options.ubatch);
  return {
    chunkTokensMin: Math.min(min, chunkTokensMax),
    chunkTokensMax,
    tripTokensMin: memory === "window" ? trip : 0,
  };
}

function rememberedSelfTest(
  device: LlamaDevice,
  memory: SelfTestMemory,
  setup: bigint,
  chunkTokens: number,
): SelfTestResult {
  const known = memory.read(setup);
  if (known !== undefined) return known;
  const result = selfTest(device, shortSelfTest(chunkTokens));
  memory.write(setup, result);
  return result;
}

/** A CPU is told by its variant, a GPU by its name. Free memory does not belong to a setup. */
function describe(device: BackendDevice): string {
  return [device.backend, device.name, device.description, device.library.split("/").at(-1)].join(" ");
}

function deviceNames(devices: readonly BackendDevice[], useDevice: boolean): string[] {
  return useDevice
    ? devices
        .filter((device) => device.type !== "cpu")
        .map((device) => `${device.name} (${device.description})`)
    : devices
        .filter((device) => device.type === "cpu")
        .map((device) => device.library.split("/").at(-1) ?? "CPU");
}
