/**
 * From settings to a device that is ready: library, model, measured memory, planned context, setup hash and
 * self-test, in this order. What cannot start is thrown in one sentence.
 */
import { Backend, type BackendDevice } from "../../../ffi/Backend.ts";
import { type ContextOptions, ROPE_SCALINGS, type RopeOptions } from "../../../ffi/Context.ts";
import { Model } from "../../../ffi/Model.ts";
import { shimHash } from "../../../ffi/shimSource.ts";
import { version } from "../../../package.json";
import { CHUNK_TOKENS_MIN_MAX } from "../../plan/fitRules.ts";
import type { PadRule } from "../../plan/padding.ts";
import type { Device } from "../../run/Device.ts";
import type { EngineReady, MemoryKind } from "../../run/EngineReady.ts";
import type { Embedder } from "../EmbedQueue.ts";
import { LlamaDevice } from "../LlamaDevice.ts";
import { LlamaEmbedder, poolingOf } from "../LlamaEmbedder.ts";
import {
  longSelfTest,
  NO_NUMBERS,
  type SelfTestResult,
  selfTest,
  shortSelfTest,
} from "../proof/proveStates.ts";
import { SelfTestMemory } from "../proof/RememberedProofs.ts";
import type { EngineFacts } from "./EngineFacts.ts";
import type { EngineOptions } from "./EngineOptions.ts";
import { factsOf } from "./factsOf.ts";
import { memoryRoom } from "./memoryRoom.ts";
import { type MeasuredBytes, type ModelShape, measureBytes } from "./modelShape.ts";
import { CTX_TOKENS_MIN, type MemoryRoom, planMemory, roundedSentence } from "./planMemory.ts";
import { rowCostOf } from "./rowCost.ts";
import { fileFingerprint, setupHash } from "./setup.ts";

export type OpenedEngine = OpenedGenerator | OpenedEncoder;

export interface OpenedGenerator {
  readonly device: Device;
  /** Null where nothing is embedded. */
  readonly embedder: Embedder | null;
  /** How last chunks are padded; null where they are not. */
  readonly padding: PadRule | null;
  readonly stateRamBytes: number;
  readonly ready: EngineReady;
  /** Replies that are decoded in one step are right here. */
  readonly decodesTogether: boolean;
  /** False: states are resumed only where a whole one ends. */
  readonly rollsBack: boolean;
  /** What the settings came to, for `doctor`. */
  readonly facts: EngineFacts;
}

/** A model that embeds or ranks, and remembers nothing. */
export interface OpenedEncoder {
  readonly device: null;
  readonly embedder: Embedder;
  readonly ready: EngineReady;
  readonly facts: EngineFacts;
}

const TRIP_TOKENS_MIN = 128;
/** A model that was trained on no more than this is one of short conversations: the demo model is. */
const SHORT_CTX_TOKENS = 4096;
const SHORT_CHUNK_TOKENS_MIN = 32;
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
  if (model.isEncoder) return openEncoder(model, options, { devices, room, useDevice });
  const pooling = options.embeddings === null ? null : poolingOf(model, options.embeddings.pooling);
  const shape = shapeOf(model, options);
  const deviceShare = useDevice ? deviceShareOf(options.gpuLayers, model.layers) : 0;
  const plan = planMemory(
    shape,
    { ...options, extendsRope: extendsRope(options.rope), embeds: pooling !== null, deviceShare },
    room,
  );
  const device = LlamaDevice.on(model, {
    lanes: plan.parallel,
    spares: plan.spareSequences,
    context: contextOptions(options, plan.ctxTokens),
  });
  const embedder =
    pooling === null ? null : LlamaEmbedder.on(model, pooling, contextOptions(options, options.ubatch));
  const machine = { ...options, memory: device.memory, useDevice, tokenBytes: shape.tokenBytes };
  const { padding, taperTokens: reckoned } = rowCostOf(model, machine);
  const taperTokens = options.taperTokens < 0 ? reckoned : options.taperTokens;
  const chunks = { ...chunkSettings(options, model, device.memory), taperTokens };
  const setup = setupHash(options, {
    program: `${version} ${options.shimPath === null ? shimHash() : fileFingerprint(options.shimPath)}`,
    library: `${backend.version()} ${fileFingerprint(backend.library.path)}`,
    devices: devices.map(describe),
    systemInfo: backend.systemInfo(),
    ctxTokens: device.ctxTokens,
    sequences: plan.parallel + plan.spareSequences,
    padding,
    ...chunks,
  });
  const rounded = roundedSentence(options.ctxSize, device.ctxTokens);
  const remembered = new SelfTestMemory(options.home);
  const tested = testStates(device, { remembered, setup, useDevice, window: shape.window, ...chunks });
  return {
    device,
    embedder,
    padding: tested.pads ? padding : null,
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
      notes: [
        ...plan.notes,
        ...(rounded === null ? [] : [rounded]),
        // A model whose logits are not finite cannot be tested for steps of several rows.
        ...(tested.together || tested.why === NO_NUMBERS ? [] : [DECODES_ALONE]),
      ],
      facts: factsOf(model, shape, plan, deviceNames(devices, useDevice)),
      embeddings: embedder?.facts.embeddings ?? null,
      ranking: embedder?.facts.ranking ?? null,
    },
    decodesTogether: tested.together,
    rollsBack: tested.rollsBack,
    facts: { shape, plan, layers: model.layers, room, useDevice, remembered },
  };
}

interface Machine {
  readonly devices: readonly BackendDevice[];
  readonly room: MemoryRoom;
  /** Whether any layers lie on a GPU. */
  readonly useDevice: boolean;
}

function openEncoder(
  model: Model,
  options: EngineOptions,
  { devices, room, useDevice }: Machine,
): OpenedEncoder {
  const pooling = poolingOf(model, options.embeddings?.pooling ?? null);
  const shape: ModelShape = { ...fileShape(model), tokenBytes: 0, windowTokenBytes: 0, recurrentBytes: 0 };
  const alone = {
    ctxSize: CTX_TOKENS_MIN,
    extendsRope: false,
    parallel: 1,
    spareSequences: 0,
    stateRamBytes: 0,
    embeds: false,
  };
  const deviceShare = useDevice ? deviceShareOf(options.gpuLayers, model.layers) : 0;
  // Neither logits nor a memory: what is left is the weights and one evaluation.
  const plan = planMemory({ ...shape, vocab: 0 }, { ...alone, ubatch: options.ubatch, deviceShare }, room);
  const embedder = LlamaEmbedder.on(model, pooling, {
    ...contextOptions(options, options.ubatch),
    flashAttention: "auto",
  });
  const { embeddings, ranking } = embedder.facts;
  return {
    device: null,
    embedder,
    ready: {
      type: "ready",
      memory: "dense",
      setup: 0n,
      ctxTokens: (embeddings ?? ranking)?.tokensMax ?? 0,
      lanes: 0,
      spares: 0,
      chunkTokensMin: 0,
      chunkTokensMax: 0,
      taperTokens: 0,
      tripTokensMin: 0,
      resume: { allowed: false, why: "an encoder remembers nothing" },
      notes: [],
      facts: factsOf(model, shape, plan, deviceNames(devices, useDevice)),
      embeddings,
      ranking,
    },
    facts: {
      shape,
      plan,
      layers: model.layers,
      room,
      useDevice,
      remembered: new SelfTestMemory(options.home),
    },
  };
}

/** Bytes of the weights, and bytes that a token takes in the memory. */
function shapeOf(model: Model, options: EngineOptions): ModelShape {
  using device = LlamaDevice.on(model, {
    lanes: 1,
    spares: 0,
    context: contextOptions(options, MEASURE_CTX_TOKENS),
  });
  return { ...fileShape(model), ...measureBytes(device) };
}

function fileShape(model: Model): Omit<ModelShape, keyof MeasuredBytes> {
  return {
    weightBytes: model.bytes,
    embedding: model.embedding,
    vocab: model.vocab.size,
    ctxTrain: model.ctxTrain,
    window: model.window,
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

/** Whoever sets RoPE by hand means to go beyond the length that the model was trained on. */
function extendsRope({ scaling, scale, freqScale, freqBase }: EngineOptions["rope"]): boolean {
  return (scaling !== null && scaling !== "none") || scale > 0 || freqScale > 0 || freqBase > 0;
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
function deviceShareOf(gpuLayers: number, layers: number): number {
  return gpuLayers < 0 ? 1 : Math.min(1, gpuLayers / (layers + 1));
}

type ChunkSettings = Pick<EngineReady, "chunkTokensMin" | "chunkTokensMax" | "tripTokensMin">;

/**
 * Under 64 rows a CPU's attention works row by row (`plan/padding.ts`), and on a GPU small chunks cost more than they save.
 * A model of short conversations has little in front of a row, and messages that would else hold no cut at all.
 */
function chunkSettings(options: EngineOptions, model: Model, memory: MemoryKind): ChunkSettings {
  const defaultMin = model.ctxTrain > SHORT_CTX_TOKENS ? CHUNK_TOKENS_MIN_MAX : SHORT_CHUNK_TOKENS_MIN;
  const trip = options.tripTokensMin > 0 ? options.tripTokensMin : TRIP_TOKENS_MIN;
  const min = options.chunkTokensMin > 0 ? options.chunkTokensMin : defaultMin;
  const max = options.chunkTokensMax > 0 ? options.chunkTokensMax : options.ubatch;
  const chunkTokensMax = Math.min(max, options.ubatch);
  return {
    chunkTokensMin: Math.min(min, chunkTokensMax),
    chunkTokensMax,
    tripTokensMin: memory === "window" ? trip : 0,
  };
}

interface SelfTestNeeds {
  readonly remembered: SelfTestMemory;
  readonly setup: bigint;
  readonly useDevice: boolean;
  readonly window: number;
  readonly chunkTokensMax: number;
}

/**
 * What is remembered of this setup, or found now. A GPU evaluates the long form in a second or two, and its kernels choose
 * by the rows of a chunk; a CPU takes minutes.
 */
function testStates(device: LlamaDevice, needs: SelfTestNeeds): SelfTestResult {
  const { remembered, setup, useDevice, window, chunkTokensMax } = needs;
  const size = useDevice
    ? longSelfTest(chunkTokensMax, window, device.ctxTokens)
    : shortSelfTest(chunkTokensMax);
  let result = remembered.read(setup);
  if (result === undefined) {
    result = selfTest(device, size);
    remembered.write(setup, result);
  }
  if (result.rows) device.learnStates();
  else device.keepStatesWhole();
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
