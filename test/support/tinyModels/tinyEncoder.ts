/**
 * A small true encoder: BERT with random weights, word pieces for its vocabulary and, where it ranks, a head. Its
 * weights are told beside its file, so that a test can work out by itself what it must give.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bool, f32, type GgufValue, numbers, str, strings, u32 } from "../gguf/GgufValue.ts";
import { type FloatTensor, writeGguf } from "../gguf/writeGguf.ts";
import { Weights } from "./Weights.ts";

/** Sizes of the model: hidden, feed-forward, heads, layers; tokens of its longest input. */
export const ENCODER = {
  size: 64,
  feedForward: 128,
  heads: 4,
  layers: 2,
  positions: 96,
  epsilon: 1e-12,
} as const;

const POOLING = { mean: 1, cls: 2, last: 3, rank: 4 } as const;

export interface EncoderOptions {
  /** As the file says; absent: it says nothing. */
  readonly pooling?: keyof typeof POOLING;
  /** With a classification head. */
  readonly head?: boolean;
  /** Special tokens that the file does not name: llama.cpp's own of that name lie beyond this vocabulary. */
  readonly without?: "bos" | "sep";
  /** SentencePiece's unigrams, as XLM-RoBERTa has them, for word pieces. */
  readonly unigrams?: boolean;
}

export interface TinyEncoder extends AsyncDisposable {
  readonly path: string;
  readonly vocabulary: readonly string[];
  readonly tensors: ReadonlyMap<string, FloatTensor>;
}

const SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
export const CLS = 2;
export const SEP = 3;
const WORDS = ["the", "tea", "stove", "lit", "warm", "drink", "stone", "is", "a", "cold"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
const MARKS = [..."[].,?!'-"];

/** A word's first piece has llama.cpp's mark of a blank in front, the others nothing. */
function pieces(): string[] {
  const first = [...new Set([...WORDS, ...LETTERS, ...MARKS])].map((piece) => `\u2581${piece}`);
  return [...SPECIALS, ...first, ...LETTERS];
}

/** `<s>` and `</s>` of the unigrams. */
export const [UNIGRAM_BOS, UNIGRAM_EOS] = [0, 2];

function unigrams(): string[] {
  const rest = [...WORDS.map((word) => `\u2581${word}`), "\u2581", ...LETTERS, ...MARKS];
  return ["<s>", "<pad>", "</s>", "<unk>", ...rest];
}

/** In a folder of its own, which goes with it. */
export async function tinyEncoder(options: EncoderOptions = {}): Promise<TinyEncoder> {
  const vocabulary = options.unigrams ? unigrams() : pieces();
  const weights = new Weights("tiny-bert", ENCODER.size);
  addWeights(weights, vocabulary.length, options.head ?? false);
  const folder = await mkdtemp(join(tmpdir(), "warmturn-encoder-"));
  const path = join(folder, "tiny-bert.gguf");
  await writeFile(path, writeGguf({ metadata: metadataOf(vocabulary, options), tensors: weights.tensors }));
  return {
    path,
    vocabulary,
    tensors: new Map(weights.tensors.map((tensor) => [tensor.name, tensor])),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function addWeights(weights: Weights, vocab: number, head: boolean): void {
  const { size, feedForward, layers, positions } = ENCODER;
  const norm = (name: string): void => {
    weights.norm(`${name}.weight`, size);
    weights.fill(`${name}.bias`, [size], (random) => 0.1 * random.normal());
  };
  const linear = (name: string, nIn: number, nOut: number, gain = 1): void => {
    weights.linear(`${name}.weight`, nIn, nOut, gain);
    weights.fill(`${name}.bias`, [nOut], (random) => 0.1 * random.normal());
  };
  weights.embedding("token_embd.weight", vocab);
  weights.fill("token_types.weight", [size, 2], (random) => 0.3 * random.normal());
  weights.fill("position_embd.weight", [size, positions], (random) => 0.5 * random.normal());
  norm("token_embd_norm");
  for (let layer = 0; layer < layers; layer++) {
    // Scores of some size, so that attention picks places.
    for (const part of ["attn_q", "attn_k"]) linear(`blk.${layer}.${part}`, size, size, 2);
    linear(`blk.${layer}.attn_v`, size, size);
    linear(`blk.${layer}.attn_output`, size, size);
    norm(`blk.${layer}.attn_output_norm`);
    linear(`blk.${layer}.ffn_up`, size, feedForward);
    linear(`blk.${layer}.ffn_down`, feedForward, size);
    norm(`blk.${layer}.layer_output_norm`);
  }
  if (!head) return;
  linear("cls", size, size);
  linear("cls.output", size, 1, 3);
}

function metadataOf(vocabulary: readonly string[], options: EncoderOptions): Map<string, GgufValue> {
  const { size, feedForward, heads, layers, positions, epsilon } = ENCODER;
  const metadata = new Map<string, GgufValue>([
    ["general.architecture", str("bert")],
    ["general.name", str("warmturn tiny bert")],
    ["general.file_type", u32(0)],
    ["bert.context_length", u32(positions)],
    ["bert.embedding_length", u32(size)],
    ["bert.feed_forward_length", u32(feedForward)],
    ["bert.block_count", u32(layers)],
    ["bert.attention.head_count", u32(heads)],
    ["bert.attention.layer_norm_epsilon", f32(epsilon)],
    ["bert.attention.causal", bool(false)],
    ["tokenizer.ggml.token_type_count", u32(2)],
    ["tokenizer.ggml.tokens", strings(vocabulary)],
    ...(options.unigrams ? unigramMetadata(vocabulary) : pieceMetadata(vocabulary, options)),
  ]);
  if (options.pooling !== undefined) metadata.set("bert.pooling_type", u32(POOLING[options.pooling]));
  return metadata;
}

type Entries = (readonly [string, GgufValue])[];

function pieceMetadata(vocabulary: readonly string[], { without }: EncoderOptions): Entries {
  const types = vocabulary.map((_, id) => (id < SPECIALS.length ? 3 : 1));
  const entries: Entries = [
    ["tokenizer.ggml.model", str("bert")],
    ["tokenizer.ggml.token_type", numbers("int32", types)],
    ["tokenizer.ggml.unknown_token_id", u32(1)],
    ["tokenizer.ggml.padding_token_id", u32(0)],
    ["tokenizer.ggml.mask_token_id", u32(4)],
  ];
  if (without !== "bos") entries.push(["tokenizer.ggml.bos_token_id", u32(CLS)]);
  // As the format spells it.
  if (without !== "sep") entries.push(["tokenizer.ggml.seperator_token_id", u32(SEP)]);
  return entries;
}

function unigramMetadata(vocabulary: readonly string[]): Entries {
  const types = vocabulary.map((_, id) => (id === 3 ? 2 : id < 3 ? 3 : 1));
  const scores = vocabulary.map((piece) => (piece.length > 2 ? -1 : -8));
  return [
    ["tokenizer.ggml.model", str("t5")],
    ["tokenizer.ggml.scores", numbers("float32", scores)],
    ["tokenizer.ggml.token_type", numbers("int32", types)],
    ["tokenizer.ggml.unknown_token_id", u32(3)],
    ["tokenizer.ggml.padding_token_id", u32(1)],
    ["tokenizer.ggml.bos_token_id", u32(UNIGRAM_BOS)],
    ["tokenizer.ggml.eos_token_id", u32(UNIGRAM_EOS)],
    ["tokenizer.ggml.add_bos_token", bool(true)],
    ["tokenizer.ggml.add_eos_token", bool(true)],
    ["tokenizer.ggml.add_space_prefix", bool(true)],
    ["tokenizer.ggml.remove_extra_whitespaces", bool(true)],
  ];
}
