/** One tiny model of each architecture that embeds, with random weights; those that rank have their head. */
import type { GgufValue } from "../gguf/GgufValue.ts";
import { bool, f32, str, u32 } from "../gguf/GgufValue.ts";
import { writeGguf } from "../gguf/writeGguf.ts";
import { Vocabulary } from "./Vocabulary.ts";
import type { Weights } from "./Weights.ts";
import { Weights as RandomWeights } from "./Weights.ts";

export const SIZE = 64;
const FEED_FORWARD = 128;
const HEADS = 2;
const LAYERS = 2;
const HEAD_SIZE = SIZE / HEADS;

interface EncoderKind {
  readonly layer: (weights: Weights, at: string, index: number) => void;
  /** Beside embedding and layers. */
  readonly rest: (weights: Weights) => void;
  readonly metadata?: (name: string) => readonly (readonly [string, GgufValue])[];
}

const biased = (weights: Weights, name: string, nIn: number, nOut: number): void => {
  weights.linear(`${name}.weight`, nIn, nOut);
  weights.fill(`${name}.bias`, [nOut], (random) => 0.1 * random.normal());
};
const plain = (weights: Weights, name: string, nIn: number, nOut: number): void =>
  weights.linear(`${name}.weight`, nIn, nOut);
const scale = (weights: Weights, name: string, size = SIZE): void => weights.norm(`${name}.weight`, size);
const layerNorm = (weights: Weights, name: string): void => {
  scale(weights, name);
  weights.fill(`${name}.bias`, [SIZE], (random) => 0.1 * random.normal());
};
const threeMaps = (weights: Weights, at: string, linear: typeof plain): void => {
  for (const part of ["attn_q", "attn_k", "attn_v"]) linear(weights, `${at}.${part}`, SIZE, SIZE);
};
const gated = (weights: Weights, at: string): void => {
  plain(weights, `${at}.ffn_gate`, SIZE, FEED_FORWARD);
  plain(weights, `${at}.ffn_up`, SIZE, FEED_FORWARD);
  plain(weights, `${at}.ffn_down`, FEED_FORWARD, SIZE);
};
const types = (weights: Weights): void =>
  weights.fill("token_types.weight", [SIZE, 2], (random) => 0.3 * random.normal());

/** Norms in front of attention and of the feed-forward part. */
const rmsLayer = (weights: Weights, at: string): void => {
  scale(weights, `${at}.attn_norm`);
  threeMaps(weights, at, plain);
  plain(weights, `${at}.attn_output`, SIZE, SIZE);
  scale(weights, `${at}.ffn_norm`);
  gated(weights, at);
};

export const ENCODER_KINDS = {
  "nomic-bert": {
    layer(weights, at) {
      threeMaps(weights, at, plain);
      plain(weights, `${at}.attn_output`, SIZE, SIZE);
      layerNorm(weights, `${at}.attn_output_norm`);
      gated(weights, at);
      layerNorm(weights, `${at}.layer_output_norm`);
    },
    rest(weights) {
      types(weights);
      layerNorm(weights, "token_embd_norm");
    },
  },
  "jina-bert-v2": {
    layer(weights, at) {
      threeMaps(weights, at, biased);
      biased(weights, `${at}.attn_output`, SIZE, SIZE);
      layerNorm(weights, `${at}.attn_output_norm`);
      plain(weights, `${at}.ffn_gate`, SIZE, FEED_FORWARD);
      plain(weights, `${at}.ffn_up`, SIZE, FEED_FORWARD);
      biased(weights, `${at}.ffn_down`, FEED_FORWARD, SIZE);
      layerNorm(weights, `${at}.layer_output_norm`);
    },
    rest(weights) {
      types(weights);
      layerNorm(weights, "token_embd_norm");
      biased(weights, "cls", SIZE, 1);
    },
  },
  "modern-bert": {
    layer(weights, at, index) {
      if (index > 0) scale(weights, `${at}.attn_norm`);
      plain(weights, `${at}.attn_qkv`, SIZE, 3 * SIZE);
      plain(weights, `${at}.attn_output`, SIZE, SIZE);
      scale(weights, `${at}.ffn_norm`);
      plain(weights, `${at}.ffn_up`, SIZE, 2 * FEED_FORWARD);
      plain(weights, `${at}.ffn_down`, FEED_FORWARD, SIZE);
    },
    rest(weights) {
      scale(weights, "token_embd_norm");
      scale(weights, "output_norm");
      plain(weights, "cls", SIZE, SIZE);
      scale(weights, "cls.norm");
      biased(weights, "cls.output", SIZE, 1);
    },
    metadata: (name) => [
      [`${name}.attention.sliding_window`, u32(8)],
      [`${name}.rope.freq_base_swa`, f32(10_000)],
    ],
  },
  "neo-bert": {
    layer(weights, at) {
      scale(weights, `${at}.attn_norm`);
      plain(weights, `${at}.attn_qkv`, SIZE, 3 * SIZE);
      plain(weights, `${at}.attn_output`, SIZE, SIZE);
      scale(weights, `${at}.ffn_norm`);
      plain(weights, `${at}.ffn_up`, SIZE, 2 * FEED_FORWARD);
      plain(weights, `${at}.ffn_down`, FEED_FORWARD, SIZE);
    },
    rest(weights) {
      scale(weights, "enc.output_norm");
      biased(weights, "cls", SIZE, SIZE);
      biased(weights, "cls.output", SIZE, 1);
    },
  },
  eurobert: { layer: rmsLayer, rest: (weights) => scale(weights, "output_norm") },
  "llama-embed": { layer: rmsLayer, rest: (weights) => scale(weights, "output_norm") },
  "gemma-embedding": {
    layer(weights, at) {
      rmsLayer(weights, at);
      for (const part of ["attn_q_norm", "attn_k_norm"]) scale(weights, `${at}.${part}`, HEAD_SIZE);
      scale(weights, `${at}.post_attention_norm`);
      scale(weights, `${at}.post_ffw_norm`);
    },
    rest: (weights) => scale(weights, "output_norm"),
    // llama.cpp ends the process where no layer sees everything, as by its own pattern of six.
    metadata: (name) => [
      [`${name}.attention.sliding_window`, u32(8)],
      [`${name}.attention.sliding_window_pattern`, u32(2)],
    ],
  },
} as const satisfies Record<string, EncoderKind>;

export type EncoderKindName = keyof typeof ENCODER_KINDS;

/** The file's bytes, and its tensors by name. */
export function makeEncoder(name: EncoderKindName): {
  readonly bytes: Uint8Array;
  readonly tensors: ReadonlyMap<string, Float32Array>;
} {
  const kind: EncoderKind = ENCODER_KINDS[name];
  const vocabulary = new Vocabulary();
  const weights = new RandomWeights(`tiny-${name}`, SIZE);
  weights.embedding("token_embd.weight", vocabulary.tokens.length);
  for (let index = 0; index < LAYERS; index++) kind.layer(weights, `blk.${index}`, index);
  kind.rest(weights);
  const metadata = new Map<string, GgufValue>([
    ["general.architecture", str(name)],
    ["general.file_type", u32(0)],
    [`${name}.context_length`, u32(512)],
    [`${name}.embedding_length`, u32(SIZE)],
    [`${name}.feed_forward_length`, u32(FEED_FORWARD)],
    [`${name}.block_count`, u32(LAYERS)],
    [`${name}.attention.head_count`, u32(HEADS)],
    [`${name}.attention.key_length`, u32(HEAD_SIZE)],
    [`${name}.attention.value_length`, u32(HEAD_SIZE)],
    [`${name}.attention.layer_norm_epsilon`, f32(1e-6)],
    [`${name}.attention.layer_norm_rms_epsilon`, f32(1e-6)],
    [`${name}.attention.causal`, bool(false)],
    [`${name}.rope.dimension_count`, u32(HEAD_SIZE)],
    ["tokenizer.ggml.token_type_count", u32(2)],
    ...(kind.metadata?.(name) ?? []),
  ]);
  const [bos, end] = ["<|endoftext|>", "<|im_end|>"] as const;
  for (const [key, value] of vocabulary.metadata({ pre: "qwen2", bos, eos: end, eot: end, addBos: true }, ""))
    metadata.set(key, value);
  metadata.set("tokenizer.ggml.add_eos_token", bool(true));
  return {
    bytes: writeGguf({ metadata, tensors: weights.tensors }),
    tensors: new Map(weights.tensors.map(({ name: of, data }) => [of, data])),
  };
}
