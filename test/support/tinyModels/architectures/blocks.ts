/** Layers that several architectures share, with gains that make random logits follow the whole context. */
import type { Weights } from "../Weights.ts";

export const N_EMBD = 128;
export const N_HEAD = 2;
export const N_HEAD_KV = 1;
export const HEAD_SIZE = 64;
export const N_FF = 256;

/** Query and key norms: scores of deviation 1.7² ≈ 3, so attention picks places instead of averaging all. */
const SCORE_GAIN = 1.7;
/** How much a block adds beside an embedding of deviation 1. */
export const BLOCK_GAIN = 1.5;

/** `queryOutputs`: outputs of the query map, which also holds gates in some architectures. */
export function addAttention(weights: Weights, layer: number, queryOutputs = N_HEAD * HEAD_SIZE): void {
  weights.linear(`blk.${layer}.attn_q.weight`, N_EMBD, queryOutputs);
  weights.linear(`blk.${layer}.attn_k.weight`, N_EMBD, N_HEAD_KV * HEAD_SIZE);
  weights.linear(`blk.${layer}.attn_v.weight`, N_EMBD, N_HEAD_KV * HEAD_SIZE);
  weights.norm(`blk.${layer}.attn_q_norm.weight`, HEAD_SIZE, SCORE_GAIN);
  weights.norm(`blk.${layer}.attn_k_norm.weight`, HEAD_SIZE, SCORE_GAIN);
  weights.residual(`blk.${layer}.attn_output.weight`, N_HEAD * HEAD_SIZE, BLOCK_GAIN);
}

export function addFeedForward(weights: Weights, layer: number): void {
  weights.linear(`blk.${layer}.ffn_gate.weight`, N_EMBD, N_FF, 1.5);
  weights.linear(`blk.${layer}.ffn_up.weight`, N_EMBD, N_FF, 1.5);
  weights.residual(`blk.${layer}.ffn_down.weight`, N_FF, BLOCK_GAIN);
}
