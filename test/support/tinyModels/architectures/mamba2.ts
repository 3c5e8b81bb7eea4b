/** Pure recurrent: no attention at all, the whole past is one state of fixed size. */
import { u32 } from "../../gguf/GgufValue.ts";
import type { Architecture } from "./Architecture.ts";
import { commonMetadata } from "./Architecture.ts";
import { BLOCK_GAIN, N_EMBD } from "./blocks.ts";

const LAYERS = 4;
const KERNEL = 4;
const STATE = 32;
const HEADS = 8;
const GROUPS = 1;
const INNER = 2 * N_EMBD;
const CONV = INNER + 2 * GROUPS * STATE;

export const mamba2: Architecture = {
  name: "mamba2",
  nEmbd: N_EMBD,
  embeddingScale: 1,
  outputNorm: "output_norm.weight",
  metadata() {
    const metadata = commonMetadata("mamba2", N_EMBD, LAYERS);
    metadata.set("mamba2.feed_forward_length", u32(0));
    metadata.set("mamba2.attention.head_count", u32(0));
    metadata.set("mamba2.ssm.conv_kernel", u32(KERNEL));
    metadata.set("mamba2.ssm.inner_size", u32(INNER));
    metadata.set("mamba2.ssm.state_size", u32(STATE));
    metadata.set("mamba2.ssm.time_step_rank", u32(HEADS));
    metadata.set("mamba2.ssm.group_count", u32(GROUPS));
    return metadata;
  },
  addLayers(weights) {
    for (let layer = 0; layer < LAYERS; layer++) {
      const ssm = `blk.${layer}.ssm`;
      weights.norm(`blk.${layer}.attn_norm.weight`, N_EMBD);
      weights.linear(`${ssm}_in.weight`, N_EMBD, INNER + CONV + HEADS);
      weights.fill(`${ssm}_conv1d.weight`, [KERNEL, CONV], (random) => 0.7 * random.normal());
      weights.fill(`${ssm}_conv1d.bias`, [CONV], (random) => 0.1 * random.normal());
      // Decay a step is exp(a · softplus(dt + bias)): heads that forget in tens to hundreds of tokens.
      weights.fill(`${ssm}_dt.bias`, [HEADS], (random) => -1 + random.uniform());
      weights.fill(`${ssm}_a`, [1, HEADS], (random) => -(0.01 + 0.1 * random.uniform()));
      weights.fill(`${ssm}_d`, [1, HEADS], (random) => 0.05 * random.normal());
      weights.norm(`${ssm}_norm.weight`, INNER);
      weights.residual(`${ssm}_out.weight`, INNER, 3 * BLOCK_GAIN);
    }
  },
};
