/**
 * Memory is planned before the context is made: weights + KV × (parallel + spare) + kept states + compute must
 * fit. What does not fit is lowered in a fixed order (`--parallel`, then `--ctx-size`), and said; what cannot
 * fit ends the start with the numbers.
 */
import { type KvWish, type ModelShape, memoryBytes } from "./modelShape.ts";

export interface MemoryWish {
  /** 0: the model's own. */
  readonly ctxSize: number;
  /** Whether RoPE flags take the model beyond the length that it was trained on. */
  readonly extendsRope: boolean;
  readonly parallel: number;
  readonly spareSequences: number;
  readonly ubatch: number;
  /** Whether a second context embeds. */
  readonly embeds: boolean;
  /** -1: a quarter of what is left after the weights, at most 8 GiB. */
  readonly stateRamBytes: number;
  /** Share of the weights (and of the KV) that lies on the device, 0 … 1. */
  readonly deviceShare: number;
}

/** Bytes that may be used. */
export interface MemoryRoom {
  readonly hostBytes: number;
  /** 0 without a device. */
  readonly deviceBytes: number;
  /** On a Mac host and device memory are one pool. */
  readonly unified: boolean;
}

export interface MemoryPlan {
  readonly ctxTokens: number;
  readonly parallel: number;
  readonly spareSequences: number;
  readonly stateRamBytes: number;
  readonly kvBytes: number;
  readonly computeBytes: number;
  readonly totalBytes: number;
  /** One sentence for each thing that was lowered. */
  readonly notes: readonly string[];
}

/** The model cannot be served here; the message has the numbers. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
}

const GIB = 2 ** 30;
const STATE_RAM_AUTO_MAX = 8 * GIB;
/** The system, the HTTP side and the allocator's own need stay free. */
const RESERVE_BYTES = 256 * 2 ** 20;
export const CTX_TOKENS_MIN = 512;

export function planMemory(shape: ModelShape, wish: MemoryWish, room: MemoryRoom): MemoryPlan {
  const trained = Math.max(shape.ctxTrain, CTX_TOKENS_MIN);
  const beyond = !wish.extendsRope && shape.ctxTrain > 0 && wish.ctxSize > trained;
  const ctxWish = wish.ctxSize > 0 && !beyond ? wish.ctxSize : trained;
  const capped = beyond ? [cappedSentence(wish.ctxSize, trained)] : [];
  const stateRamBytes = wish.stateRamBytes >= 0 ? wish.stateRamBytes : autoStateRam(shape, wish, room);
  const fits = (ctxTokens: number, parallel: number, spares: number): MemoryPlan | undefined =>
    tryPlan(shape, wish, room, { ctxTokens, parallel, spares, stateRamBytes });

  for (let parallel = wish.parallel; parallel >= 1; parallel--) {
    const plan = fits(ctxWish, parallel, wish.spareSequences);
    if (plan !== undefined) return { ...plan, notes: [...capped, ...lowered(wish, ctxWish, plan)] };
  }
  const ctxTokens = largest(
    CTX_TOKENS_MIN,
    ctxWish,
    (tokens) => fits(tokens, 1, wish.spareSequences) !== undefined,
  );
  const plan = ctxTokens === undefined ? undefined : fits(ctxTokens, 1, wish.spareSequences);
  if (plan !== undefined) return { ...plan, notes: [...capped, ...lowered(wish, ctxWish, plan)] };
  throw new MemoryError(doesNotFit(shape, wish, room, stateRamBytes));
}

function tryPlan(
  shape: ModelShape,
  wish: MemoryWish,
  room: MemoryRoom,
  tried: { ctxTokens: number; parallel: number; spares: number; stateRamBytes: number },
): MemoryPlan | undefined {
  const kv: KvWish = {
    ctxTokens: tried.ctxTokens,
    sequences: tried.parallel + tried.spares,
    ubatch: wish.ubatch,
  };
  const kvBytes = memoryBytes(shape, kv) + (wish.embeds ? embeddingKv(shape, wish) : 0);
  const computeBytes = allCompute(shape, wish);
  const onDevice = (shape.weightBytes + kvBytes + computeBytes) * wish.deviceShare;
  const onHost = (shape.weightBytes + kvBytes + computeBytes) * (1 - wish.deviceShare) + tried.stateRamBytes;
  const deviceFits = onDevice === 0 || onDevice <= room.deviceBytes;
  const hostFits = onHost + (room.unified ? onDevice : 0) + RESERVE_BYTES <= room.hostBytes;
  if (!deviceFits || !hostFits) return undefined;
  return {
    ctxTokens: tried.ctxTokens,
    parallel: tried.parallel,
    spareSequences: tried.spares,
    stateRamBytes: tried.stateRamBytes,
    kvBytes,
    computeBytes,
    totalBytes: Math.ceil(onDevice + onHost),
    notes: [],
  };
}

/** Activations of one micro-batch and one row of logits a lane: generous, small beside weights and KV. */
function computeEstimate(shape: ModelShape, ubatch: number): number {
  return 4 * (ubatch * shape.embedding * 24 + shape.vocab * 16) + 64 * 2 ** 20;
}

function allCompute(shape: ModelShape, wish: MemoryWish): number {
  const compute = computeEstimate(shape, wish.ubatch);
  if (!wish.embeds) return compute;
  // llama.cpp makes logits of every token that it pools, on the device and once more on the host.
  return 2 * compute + 8 * wish.ubatch * shape.vocab;
}

/** One sequence, of one input. */
function embeddingKv(shape: ModelShape, { ubatch }: MemoryWish): number {
  return memoryBytes(shape, { ctxTokens: ubatch, sequences: 1, ubatch });
}

function autoStateRam(shape: ModelShape, wish: MemoryWish, room: MemoryRoom): number {
  const weightsOnHost = room.unified ? shape.weightBytes : shape.weightBytes * (1 - wish.deviceShare);
  return Math.floor(
    Math.min(STATE_RAM_AUTO_MAX, Math.max(0, room.hostBytes - weightsOnHost - RESERVE_BYTES) / 4),
  );
}

/** The largest multiple of 256 in `[low, high]` that satisfies a condition which large values fail. */
function largest(low: number, high: number, ok: (value: number) => boolean): number | undefined {
  let yes = Math.ceil(low / 256);
  let no = Math.floor(high / 256) + 1;
  if (!ok(yes * 256)) return undefined;
  while (no - yes > 1) {
    const middle = Math.floor((yes + no) / 2);
    if (ok(middle * 256)) yes = middle;
    else no = middle;
  }
  return yes * 256;
}

/** As llama-server: what a model says beyond its training is hardly ever what was meant. */
function cappedSentence(asked: number, trained: number): string {
  return (
    `--ctx-size lowered from ${asked} to ${trained}, the length that the model was trained on; ` +
    "--rope-scaling yarn with --rope-scale reaches further."
  );
}

/** A sentence where llama.cpp gives more than was asked for; null elsewhere. */
export function roundedSentence(asked: number, given: number): string | null {
  if (asked === 0 || given <= asked) return null;
  return `--ctx-size raised from ${asked} to ${given}: a context is a multiple of 256 tokens.`;
}

function lowered(wish: MemoryWish, ctxWish: number, plan: MemoryPlan): string[] {
  const notes: string[] = [];
  if (plan.parallel < wish.parallel)
    notes.push(
      `--parallel lowered from ${wish.parallel} to ${plan.parallel} so that the model fits into memory.`,
    );
  if (plan.ctxTokens < ctxWish)
    notes.push(`--ctx-size lowered from ${ctxWish} to ${plan.ctxTokens} so that the model fits into memory.`);
  return notes;
}

export function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

function doesNotFit(shape: ModelShape, wish: MemoryWish, room: MemoryRoom, stateRamBytes: number): string {
  const kv = memoryBytes(shape, {
    ctxTokens: CTX_TOKENS_MIN,
    sequences: 1 + wish.spareSequences,
    ubatch: wish.ubatch,
  });
  const have =
    room.deviceBytes > 0 && !room.unified
      ? `${inMiB(room.deviceBytes)} on the device and ${inMiB(room.hostBytes)} on the host are free`
      : `${inMiB(room.hostBytes)} are free`;
  return (
    `The model does not fit into memory, even with --parallel 1 and --ctx-size ${CTX_TOKENS_MIN}: ` +
    `weights ${inMiB(shape.weightBytes)}, KV cache ${inMiB(kv)}, kept states ${inMiB(stateRamBytes)} (--state-ram), ` +
    `compute ${inMiB(allCompute(shape, wish))}; ${have}. ` +
    "Use a smaller quantisation, a smaller --state-ram, --cache-type-k q8_0, or other --gpu-layers."
  );
}
