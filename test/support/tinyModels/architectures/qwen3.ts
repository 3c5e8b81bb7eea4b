/** Dense: attention in every layer, so the memory can be cut at any token. */
import { u32 } from "../../gguf/GgufValue.ts";
import type { Architecture } from "./Architecture.ts";
import { attentionMetadata, commonMetadata } from "./Architecture.ts";
import { addAttention, addFeedForward, HEAD_SIZE, N_EMBD, N_FF, N_HEAD, N_HEAD_KV } from "./blocks.ts";

const LAYERS = 3;

export const qwen3: Architecture = {
  name: "qwen3",
  nEmbd: N_EMBD,
  embeddingScale: 1,
  outputNorm: "output_norm.weight",
  metadata() {
    const metadata = commonMetadata("qwen3", N_EMBD, LAYERS);
    const sizes = { nFf: N_FF, nHead: N_HEAD, nHeadKv: u32(N_HEAD_KV), headSize: HEAD_SIZE };
    attentionMetadata(metadata, "qwen3", sizes);
    return metadata;
  },
  addLayers(weights) {
    for (let layer = 0; layer < LAYERS; layer++) {
      weights.norm(`blk.${layer}.attn_norm.weight`, N_EMBD);
      addAttention(weights, layer);
      weights.norm(`blk.${layer}.ffn_norm.weight`, N_EMBD);
      addFeedForward(weights, layer);
    }
  },
};
