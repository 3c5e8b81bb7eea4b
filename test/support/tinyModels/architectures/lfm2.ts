/** Hybrid: short convolutions, whose few last inputs cannot be cut back, between attention layers. */
import { numbers, u32 } from "../../gguf/GgufValue.ts";
import type { Architecture } from "./Architecture.ts";
import { attentionMetadata, commonMetadata } from "./Architecture.ts";
import {
  addAttention,
  addFeedForward,
  BLOCK_GAIN,
  HEAD_SIZE,
  N_EMBD,
  N_FF,
  N_HEAD,
  N_HEAD_KV,
} from "./blocks.ts";

/** Key-value heads of each layer; 0 makes it a convolution. */
const HEADS_KV = [0, N_HEAD_KV, 0, N_HEAD_KV];
const KERNEL = 3;

export const lfm2: Architecture = {
  name: "lfm2",
  nEmbd: N_EMBD,
  embeddingScale: 1,
  outputNorm: "token_embd_norm.weight",
  metadata() {
    const metadata = commonMetadata("lfm2", N_EMBD, HEADS_KV.length);
    const sizes = { nFf: N_FF, nHead: N_HEAD, nHeadKv: numbers("int32", HEADS_KV), headSize: HEAD_SIZE };
    attentionMetadata(metadata, "lfm2", sizes);
    metadata.set("lfm2.shortconv.l_cache", u32(KERNEL));
    return metadata;
  },
  addLayers(weights) {
    HEADS_KV.forEach((headsKv, layer) => {
      weights.norm(`blk.${layer}.attn_norm.weight`, N_EMBD);
      if (headsKv > 0) {
        addAttention(weights, layer);
      } else {
        const conv = `blk.${layer}.shortconv`;
        weights.fill(`${conv}.conv.weight`, [KERNEL, N_EMBD], (random) => 0.7 * random.normal());
        weights.linear(`${conv}.in_proj.weight`, N_EMBD, 3 * N_EMBD);
        weights.residual(`${conv}.out_proj.weight`, N_EMBD, BLOCK_GAIN);
      }
      weights.norm(`blk.${layer}.ffn_norm.weight`, N_EMBD);
      addFeedForward(weights, layer);
    });
  },
};
