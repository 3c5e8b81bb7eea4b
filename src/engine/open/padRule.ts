/** From a model's file to the rule by which last chunks are padded; null where they are not. */
import type { CacheType } from "../../../ffi/Context.ts";
import type { Model } from "../../../ffi/Model.ts";
import { type PadRule, TILE_ROWS } from "../../plan/padding.ts";
import type { MemoryKind } from "../../run/EngineReady.ts";

export interface PadMachine {
  readonly memory: MemoryKind;
  /** Layers lie on a GPU, whose attention has no such step. */
  readonly useDevice: boolean;
  readonly ubatch: number;
  /** KV types: quantised ones are never worked on in tiles. */
  readonly cacheTypeK: CacheType;
  readonly cacheTypeV: CacheType;
}

const TILED: readonly CacheType[] = ["f16", "f32"];

type Shape = Pick<Model, "meta" | "architecture" | "parameters" | "embedding" | "layers"> & {
  readonly vocab: { readonly size: number };
};

/** What the file does not say in plain numbers (heads that differ by layer) leaves chunks as they are. */
export function padRuleOf(model: Shape, machine: PadMachine): PadRule | null {
  const { memory, useDevice, ubatch, cacheTypeK, cacheTypeV } = machine;
  if (memory !== "dense" || useDevice || ubatch < TILE_ROWS) return null;
  if (cacheTypeK !== cacheTypeV || !TILED.includes(cacheTypeK)) return null;
  const number = (key: string): number =>
    Number(model.meta(`${model.architecture}.attention.${key}`) ?? Number.NaN);
  const heads = number("head_count");
  const headSize = Number.isNaN(number("key_length")) ? model.embedding / heads : number("key_length");
  // The embedding is looked up, not multiplied; a head of its own is counted, which only pads less.
  const weights = 2 * (model.parameters - model.vocab.size * model.embedding);
  // Scores and values: two products of two operations each.
  const attention = 4 * heads * headSize * model.layers;
  return weights > 0 && attention > 0 ? { weights, attention } : null;
}
