/**
 * Models to measure with: random weights, so that nothing has to be downloaded, in the sizes and the vocabulary of
 * real ones, because what a turn costs is a matter of those. Made once, in `.cache/models/`.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bool, type GgufValue, numbers, str, strings, u32 } from "../../test/support/gguf/GgufValue.ts";
import { type GgufTensor, writeGguf } from "../../test/support/gguf/writeGguf.ts";
import {
  attentionMetadata,
  commonMetadata,
} from "../../test/support/tinyModels/architectures/Architecture.ts";
import { makeTokens } from "../../test/support/tinyModels/largeVocabulary.ts";
import { randomLinear, randomVector } from "./randomBlocks.ts";

export const BENCH_ARCHITECTURES = ["qwen3", "qwen35"] as const;
export type BenchArchitecture = (typeof BENCH_ARCHITECTURES)[number];

const ROOT = join(import.meta.dir, "..", "..");
const VERSION = 1;
const VOCABULARY = 152_064;
const CONTEXT_TOKENS = 40_960;
const SPECIALS = [
  "<|endoftext|>",
  "<|im_start|>",
  "<|im_end|>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  "<think>",
  "</think>",
] as const;
/** CONTROL and USER_DEFINED, as llama.cpp numbers them: Qwen's tags are the latter. */
const CONTROL = 3;
const USER_DEFINED = 4;
const CONTROL_COUNT = 3;

interface Sizes {
  readonly embedding: number;
  readonly layers: number;
  readonly feedForward: number;
  readonly heads: number;
  readonly headsKv: number;
  readonly headSize: number;
}

/** Sizes whose parameters, the tied embedding included, are about `millions`. */
const SIZES: Readonly<Record<string, Sizes>> = {
  "30M": { embedding: 128, layers: 8, feedForward: 512, heads: 2, headsKv: 1, headSize: 64 },
  "120M": { embedding: 512, layers: 12, feedForward: 1536, heads: 8, headsKv: 4, headSize: 64 },
  "500M": { embedding: 1024, layers: 24, feedForward: 3072, heads: 16, headsKv: 8, headSize: 64 },
};
export const BENCH_SIZES: readonly string[] = Object.keys(SIZES);

/** Path of the file, which is made where it is not there yet. Throws RangeError for a size that is not listed. */
export function benchModel(architecture: BenchArchitecture, params: string): string {
  const sizes = SIZES[params];
  if (sizes === undefined)
    throw new RangeError(`--params must be one of ${BENCH_SIZES.join(", ")}, not ${params}`);
  const folder = join(ROOT, ".cache", "models");
  const path = join(folder, `bench-${VERSION}-${architecture}-${params}.gguf`);
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  mkdirSync(folder, { recursive: true });
  const metadata = commonMetadata(architecture, sizes.embedding, sizes.layers);
  metadata.set("general.name", str(`warmturn bench ${architecture} ${params}`));
  metadata.set(`${architecture}.context_length`, u32(CONTEXT_TOKENS));
  const { feedForward: nFf, heads: nHead, headSize } = sizes;
  attentionMetadata(metadata, architecture, { nFf, nHead, nHeadKv: u32(sizes.headsKv), headSize });
  if (architecture === "qwen35") for (const [key, value] of deltaNetMetadata(sizes)) metadata.set(key, value);
  for (const [key, value] of vocabulary()) metadata.set(key, value);
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, writeGguf({ metadata, tensors: tensorsOf(architecture, sizes) }));
  renameSync(part, path);
  return path;
}

function tensorsOf(architecture: BenchArchitecture, sizes: Sizes): GgufTensor[] {
  const { embedding: n } = sizes;
  const tensors = [
    randomLinear("token_embd.weight", n, VOCABULARY),
    randomVector("output_norm.weight", [n], 1),
  ];
  for (let layer = 0; layer < sizes.layers; layer++) {
    const at = `blk.${layer}`;
    tensors.push(randomVector(`${at}.attn_norm.weight`, [n], 1));
    if (architecture === "qwen3") tensors.push(...attention(at, sizes, 1));
    // The query map of a hybrid gives queries and output gates.
    else if ((layer + 1) % ATTENTION_INTERVAL === 0) tensors.push(...attention(at, sizes, 2));
    else tensors.push(...deltaNet(at, sizes));
    const norm = architecture === "qwen3" ? "ffn_norm" : "post_attention_norm";
    tensors.push(
      randomVector(`${at}.${norm}.weight`, [n], 1),
      randomLinear(`${at}.ffn_gate.weight`, n, sizes.feedForward),
      randomLinear(`${at}.ffn_up.weight`, n, sizes.feedForward),
      randomLinear(`${at}.ffn_down.weight`, sizes.feedForward, n),
    );
  }
  return tensors;
}

function attention(
  at: string,
  { embedding: n, heads, headsKv, headSize }: Sizes,
  maps: number,
): GgufTensor[] {
  return [
    randomLinear(`${at}.attn_q.weight`, n, maps * heads * headSize),
    randomLinear(`${at}.attn_k.weight`, n, headsKv * headSize),
    randomLinear(`${at}.attn_v.weight`, n, headsKv * headSize),
    randomVector(`${at}.attn_q_norm.weight`, [headSize], 1),
    randomVector(`${at}.attn_k_norm.weight`, [headSize], 1),
    randomLinear(`${at}.attn_output.weight`, heads * headSize, n),
  ];
}

/** As in Qwen3.5: every fourth layer is attention. */
const ATTENTION_INTERVAL = 4;
const KERNEL = 4;
const STATE = 64;

/** Inner width of the delta-net layers: that of the attention's heads. */
function deltaNetSizes({ heads, headsKv, headSize }: Sizes) {
  const inner = heads * headSize;
  const keyHeads = headsKv;
  const valueHeads = inner / STATE;
  return { inner, keyHeads, valueHeads, conv: 2 * STATE * keyHeads + inner };
}

function deltaNetMetadata(sizes: Sizes): Map<string, GgufValue> {
  const { inner, keyHeads, valueHeads } = deltaNetSizes(sizes);
  return new Map<string, GgufValue>([
    // Pairs of rotated dimensions for time, height, width: text uses the same position in all of them.
    ["qwen35.rope.dimension_sections", numbers("int32", [11, 11, 10, 0])],
    ["qwen35.full_attention_interval", u32(ATTENTION_INTERVAL)],
    ["qwen35.ssm.conv_kernel", u32(KERNEL)],
    ["qwen35.ssm.inner_size", u32(inner)],
    ["qwen35.ssm.state_size", u32(STATE)],
    ["qwen35.ssm.time_step_rank", u32(valueHeads)],
    ["qwen35.ssm.group_count", u32(keyHeads)],
  ]);
}

function deltaNet(at: string, sizes: Sizes): GgufTensor[] {
  const { embedding: n } = sizes;
  const { inner, valueHeads, conv } = deltaNetSizes(sizes);
  return [
    randomLinear(`${at}.attn_qkv.weight`, n, conv),
    randomLinear(`${at}.attn_gate.weight`, n, inner),
    randomVector(`${at}.ssm_conv1d.weight`, [KERNEL, conv], 0, 0.7),
    // Decay a step is exp(a · softplus(alpha + dt)): heads that forget in tens to hundreds of tokens.
    randomVector(`${at}.ssm_dt.bias`, [valueHeads], -1.5, 0.3),
    randomVector(`${at}.ssm_a`, [valueHeads], -0.17, 0.03),
    randomLinear(`${at}.ssm_beta.weight`, n, valueHeads),
    randomLinear(`${at}.ssm_alpha.weight`, n, valueHeads),
    randomVector(`${at}.ssm_norm.weight`, [STATE], 1),
    randomLinear(`${at}.ssm_out.weight`, inner, n),
  ];
}

function vocabulary(): Map<string, GgufValue> {
  const first = VOCABULARY - SPECIALS.length;
  const types = Array.from({ length: VOCABULARY }, (_, id) =>
    id < first ? 1 : id < first + CONTROL_COUNT ? CONTROL : USER_DEFINED,
  );
  const template = readFileSync(join(ROOT, "test/support/tinyModels/templates/qwen3.jinja"), "utf8");
  return new Map<string, GgufValue>([
    ["tokenizer.ggml.model", str("gpt2")],
    ["tokenizer.ggml.pre", str("qwen2")],
    ["tokenizer.ggml.tokens", strings(makeTokens(VOCABULARY, SPECIALS))],
    ["tokenizer.ggml.token_type", numbers("int32", types)],
    ["tokenizer.ggml.merges", strings(["a b"])],
    ["tokenizer.ggml.bos_token_id", u32(first)],
    ["tokenizer.ggml.eos_token_id", u32(first + 2)],
    ["tokenizer.ggml.add_bos_token", bool(false)],
    ["tokenizer.chat_template", str(template)],
  ]);
}
