/**
 * What a row costs on a CPU, in the weights and in attention, from a model's file and its measured memory: it decides how
 * long chunks are, and whether last chunks are padded. Reckoned, never timed, so that two starts of one setup agree.
 */
import type { CacheType } from "../../../ffi/Context.ts";
import type { Model } from "../../../ffi/Model.ts";
import { type PadRule, TILE_ROWS, taperTokensOf } from "../../plan/padding.ts";
import type { MemoryKind } from "../../run/EngineReady.ts";

export interface CostMachine {
  readonly memory: MemoryKind;
  /** Layers lie on a GPU: its attention has no step at a tile, and a chunk takes little time wherever it stands. */
  readonly useDevice: boolean;
  readonly ubatch: number;
  readonly cacheTypeK: CacheType;
  readonly cacheTypeV: CacheType;
  /** KV bytes of one token in all layers that keep the whole context. */
  readonly tokenBytes: number;
}

export interface RowCost {
  readonly padding: PadRule | null;
  /** As in `ChunkRules`. */
  readonly taperTokens: number;
}

type Shape = Pick<Model, "parameters" | "embedding" | "heads" | "headsKv"> & {
  readonly vocab: { readonly size: number };
};

/** Bytes of one number in a KV cache that attention works on in tiles; quantised ones are read row by row always. */
const TILED_BYTES: Partial<Record<CacheType, number>> = { f16: 2, f32: 4 };

const PLAIN: RowCost = { padding: null, taperTokens: 0 };

/** What the file does not tell (heads that differ by layer) leaves chunks as they are. */
export function rowCostOf(model: Shape, machine: CostMachine): RowCost {
  const { memory, useDevice, ubatch, cacheTypeK, cacheTypeV, tokenBytes } = machine;
  if (useDevice || (memory !== "dense" && memory !== "hybrid")) return PLAIN;
  const bytes = cacheTypeK === cacheTypeV ? TILED_BYTES[cacheTypeK] : undefined;
  if (bytes === undefined || ubatch < TILE_ROWS) return PLAIN;
  // The embedding is looked up, not multiplied; a head of its own is counted, which only pads and tapers less.
  const weights = 2 * (model.parameters - model.vocab.size * model.embedding);
  // Scores and values, two operations each; a token's keys and values are `tokenBytes`, shared by groups of heads.
  const attention = (2 * (model.heads / model.headsKv) * tokenBytes) / bytes;
  if (!(weights > 0 && attention > 0 && Number.isFinite(attention))) return PLAIN;
  const rule = { weights, attention };
  return { padding: memory === "dense" ? rule : null, taperTokens: taperTokensOf(rule) };
}
