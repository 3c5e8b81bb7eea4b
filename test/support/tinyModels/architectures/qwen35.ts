/** Hybrid: gated delta-net layers, whose state cannot be cut back, between attention layers. */
import { numbers, u32 } from "../../gguf/GgufValue.ts";
import type { Weights } from "../Weights.ts";
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

const LAYERS = 4;
/** Every second layer is attention. */
const ATTENTION_INTERVAL = 2;
const KERNEL = 4;
const STATE = 32;
const KEY_HEADS = 2;
const VALUE_HEADS = 4;
const INNER = STATE * VALUE_HEADS;
const CONV = 2 * STATE * KEY_HEADS + INNER;

export const qwen35: Architecture = {
  name: "qwen35",
  nEmbd: N_EMBD,
  embeddingScale: 1,
  outputNorm: "output_norm.weight",
  metadata() {
    const metadata = commonMetadata("qwen35", N_EMBD, LAYERS);
    const sizes = { nFf: N_FF, nHead: N_HEAD, nHeadKv: u32(N_HEAD_KV), headSize: HEAD_SIZE };
    attentionMetadata(metadata, "qwen35", sizes);
    // Pairs of rotated dimensions for time, height, width: text uses the same position in all of them.
    metadata.set("qwen35.rope.dimension_sections", numbers("int32", [11, 11, 10, 0]));
    metadata.set("qwen35.full_attention_interval", u32(ATTENTION_INTERVAL));
    metadata.set("qwen35.ssm.conv_kernel", u32(KERNEL));
    metadata.set("qwen35.ssm.inner_size", u32(INNER));
    metadata.set("qwen35.ssm.state_size", u32(STATE));
    metadata.set("qwen35.ssm.time_step_rank", u32(VALUE_HEADS));
    metadata.set("qwen35.ssm.group_count", u32(KEY_HEADS));
    return metadata;
  },
  addLayers(weights) {
    for (let layer = 0; layer < LAYERS; layer++) {
      weights.norm(`blk.${layer}.attn_norm.weight`, N_EMBD);
      // The query map gives queries and output gates.
      if ((layer + 1) % ATTENTION_INTERVAL === 0) addAttention(weights, layer, 2 * N_HEAD * HEAD_SIZE);
      else addDeltaNet(weights, layer);
      weights.norm(`blk.${layer}.post_attention_norm.weight`, N_EMBD);
      addFeedForward(weights, layer);
    }
  },
};

function addDeltaNet(weights: Weights, layer: number): void {
  weights.linear(`blk.${layer}.attn_qkv.weight`, N_EMBD, CONV);
  weights.linear(`blk.${layer}.attn_gate.weight`, N_EMBD, INNER);
  weights.fill(`blk.${layer}.ssm_conv1d.weight`, [KERNEL, CONV], (random) => 0.7 * random.normal());
  // Decay a step is exp(a · softplus(alpha + dt)): heads that forget in tens to hundreds of tokens.
  weights.fill(`blk.${layer}.ssm_dt.bias`, [VALUE_HEADS], (random) => -2 + random.uniform());
  weights.fill(`blk.${layer}.ssm_a`, [VALUE_HEADS], (random) => -(0.02 + 0.3 * random.uniform()));
  weights.linear(`blk.${layer}.ssm_beta.weight`, N_EMBD, VALUE_HEADS);
  weights.linear(`blk.${layer}.ssm_alpha.weight`, N_EMBD, VALUE_HEADS);
  weights.norm(`blk.${layer}.ssm_norm.weight`, STATE);
  weights.residual(`blk.${layer}.ssm_out.weight`, INNER, 2 * BLOCK_GAIN);
}
