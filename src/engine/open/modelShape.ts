/**
 * How many bytes a model's memory takes per token and per sequence: measured on a context of one sequence and a
 * few tokens, so that it holds for every architecture and KV type, and nothing has to be guessed from metadata.
 */
import type { Device } from "../../run/Device.ts";

export interface ModelShape {
  readonly weightBytes: number;
  readonly embedding: number;
  readonly vocab: number;
  readonly ctxTrain: number;
  /** KV bytes of one token in all layers that keep the whole context. */
  readonly tokenBytes: number;
  /** KV bytes of one token in all layers that keep a sliding window only. */
  readonly windowTokenBytes: number;
  /** Tokens of the sliding window; 0 without one. */
  readonly window: number;
  /** Bytes of recurrent rows in one sequence. */
  readonly recurrentBytes: number;
}

export type MeasuredBytes = Pick<ModelShape, "tokenBytes" | "windowTokenBytes" | "recurrentBytes">;

const FEW_TOKENS = 4;

/** On a fresh device; leaves its sequence 0 empty. */
export function measureBytes(device: Device): MeasuredBytes {
  const chunk = Int32Array.from({ length: FEW_TOKENS }, (_, i) => i);
  const sizes = (): { full: number; partial: number } => ({
    full: device.saveSize(0, "full"),
    partial: device.memory === "dense" ? 0 : device.saveSize(0, "partial"),
  });
  device.clear(0);
  device.prefill(0, 0, chunk, false);
  const few = sizes();
  device.prefill(0, FEW_TOKENS, chunk, false);
  const more = sizes();
  device.clear(0);
  const partial = (more.partial - few.partial) / FEW_TOKENS;
  const all = (more.full - few.full) / FEW_TOKENS;
  return {
    tokenBytes: Math.max(0, all - partial),
    windowTokenBytes: device.memory === "window" ? partial : 0,
    recurrentBytes: device.memory === "hybrid" || device.memory === "recurrent" ? more.partial : 0,
  };
}

export interface KvWish {
  readonly ctxTokens: number;
  readonly sequences: number;
  readonly ubatch: number;
}

/** Bytes of the whole KV and recurrent memory, allocated up front (non-unified: n_seq_max × context). */
export function memoryBytes(shape: ModelShape, wish: KvWish): number {
  // llama.cpp pads cells to 256; a sliding layer holds the window and one micro-batch.
  const pad = (tokens: number): number => Math.ceil(tokens / 256) * 256;
  const cells = pad(wish.ctxTokens);
  const windowCells = Math.min(cells, pad(shape.window + wish.ubatch));
  const sequence = cells * shape.tokenBytes + windowCells * shape.windowTokenBytes + shape.recurrentBytes;
  return Math.ceil(sequence * wish.sequences);
}

/** Bytes of a full save of a sequence of so many tokens, less a header of some hundred bytes. */
export function stateBytes(shape: MeasuredBytes & Pick<ModelShape, "window">, tokens: number): number {
  return Math.ceil(tokens * shape.tokenBytes) + snapshotBytes(shape, tokens);
}

/** Bytes of a snapshot of what cannot be rolled back; 0 on dense models, which need none. */
export function snapshotBytes(shape: MeasuredBytes & Pick<ModelShape, "window">, tokens: number): number {
  return Math.ceil(Math.min(tokens, shape.window) * shape.windowTokenBytes) + shape.recurrentBytes;
}
