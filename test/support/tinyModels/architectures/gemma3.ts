/** Sliding window: every second layer sees the last `WINDOW` tokens only, in a ring of cells. */
import { f32, u32 } from "../../gguf/GgufValue.ts";
import type { Architecture } from "./Architecture.ts";
import { attentionMetadata, commonMetadata } from "./Architecture.ts";
import { addAttention, addFeedForward, HEAD_SIZE, N_EMBD, N_FF, N_HEAD, N_HEAD_KV } from "./blocks.ts";

const LAYERS = 4;
/** Tokens. llama.cpp makes the ring `WINDOW + n_ubatch` cells, rounded up to 256. */
export const WINDOW = 64;

export const gemma3: Architecture = {
  name: "gemma3",
  nEmbd: N_EMBD,
  embeddingScale: Math.sqrt(N_EMBD),
  outputNorm: "output_norm.weight",
  metadata() {
    const metadata = commonMetadata("gemma3", N_EMBD, LAYERS);
    const sizes = { nFf: N_FF, nHead: N_HEAD, nHeadKv: u32(N_HEAD_KV), headSize: HEAD_SIZE };
    attentionMetadata(metadata, "gemma3", sizes);
    metadata.set("gemma3.attention.sliding_window", u32(WINDOW));
    metadata.set("gemma3.attention.sliding_window_pattern", u32(2));
    metadata.set("gemma3.rope.freq_base_swa", f32(10_000));
    metadata.set("gemma3.rope.freq_base", f32(100_000));
    return metadata;
  },
  addLayers(weights) {
    for (let layer = 0; layer < LAYERS; layer++) {
      weights.norm(`blk.${layer}.attn_norm.weight`, N_EMBD);
      addAttention(weights, layer);
      weights.residualNorm(`blk.${layer}.post_attention_norm.weight`, 1);
      weights.norm(`blk.${layer}.ffn_norm.weight`, N_EMBD);
      addFeedForward(weights, layer);
      weights.residualNorm(`blk.${layer}.post_ffw_norm.weight`, 1);
    }
  },
};
