/** What an architecture gives to a tiny model: its metadata and its weights, nothing of the tokenizer. */
import type { GgufValue } from "../../gguf/GgufValue.ts";
import { f32, str, u32 } from "../../gguf/GgufValue.ts";
import type { Weights } from "../Weights.ts";

export interface Architecture {
  /** llama.cpp's name. */
  readonly name: string;
  readonly nEmbd: number;
  /** What the architecture multiplies token embeddings by. */
  readonly embeddingScale: number;
  /** Name of the norm before the head. */
  readonly outputNorm: string;
  metadata(): Map<string, GgufValue>;
  /** All weights but embedding, last norm and head. */
  addLayers(weights: Weights): void;
}

export const CONTEXT_LENGTH = 8192;

/** Keys that every architecture must have. */
export function commonMetadata(name: string, nEmbd: number, nLayer: number): Map<string, GgufValue> {
  return new Map<string, GgufValue>([
    ["general.architecture", str(name)],
    ["general.type", str("model")],
    ["general.name", str(`warmturn tiny ${name}`)],
    ["general.license", str("mit")],
    ["general.file_type", u32(0)],
    [`${name}.context_length`, u32(CONTEXT_LENGTH)],
    [`${name}.embedding_length`, u32(nEmbd)],
    [`${name}.block_count`, u32(nLayer)],
    [`${name}.attention.layer_norm_rms_epsilon`, f32(1e-6)],
  ]);
}

/** Adds attention and feed-forward sizes. */
export function attentionMetadata(
  metadata: Map<string, GgufValue>,
  name: string,
  sizes: {
    readonly nFf: number;
    readonly nHead: number;
    readonly nHeadKv: GgufValue;
    readonly headSize: number;
  },
): void {
  metadata.set(`${name}.feed_forward_length`, u32(sizes.nFf));
  metadata.set(`${name}.attention.head_count`, u32(sizes.nHead));
  metadata.set(`${name}.attention.head_count_kv`, sizes.nHeadKv);
  metadata.set(`${name}.attention.key_length`, u32(sizes.headSize));
  metadata.set(`${name}.attention.value_length`, u32(sizes.headSize));
  metadata.set(`${name}.rope.dimension_count`, u32(sizes.headSize));
  metadata.set(`${name}.rope.freq_base`, f32(10_000));
}
