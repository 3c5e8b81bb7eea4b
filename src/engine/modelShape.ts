/**
 * How many bytes a model's memory takes per token and per sequence, read from the GGUF's own keys
 * (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). Estimates, never below what llama.cpp allocates
 * by more than its padding.
 */

/** Bytes per element of the KV types that llama.cpp takes for `--cache-type-k/v`. */
export const KV_TYPE_BYTES: Readonly<Record<string, number>> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 34 / 32,
  q5_1: 24 / 32,
  q5_0: 22 / 32,
  q4_1: 20 / 32,
  iq4_nl: 18 / 32,
  q4_0: 18 / 32,
};

export interface ModelShape {
  readonly weightBytes: number;
  readonly layers: number;
  readonly embedding: number;
  readonly vocab: number;
  readonly ctxTrain: number;
  /** Elements of K (and of V) per token in one layer; 0 on layers without attention. */
  readonly kPerLayer: readonly number[];
  readonly vPerLayer: readonly number[];
  /** Tokens of the sliding window; 0 without one. */
  readonly window: number;
  /** Whether a layer keeps the window only. */
  readonly sliding: readonly boolean[];
  /** Bytes of recurrent rows in one sequence, all layers. */
  readonly recurrentBytes: number;
}

export type MetaReader = (key: string) => string | undefined;

interface ModelCounts {
  readonly weightBytes: number;
  readonly layers: number;
  readonly embedding: number;
  readonly heads: number;
  readonly headsKv: number;
  readonly window: number;
  readonly vocab: number;
  readonly ctxTrain: number;
  /** Recurrent or hybrid. */
  readonly recurrent: boolean;
}

export function modelShape(meta: MetaReader, counts: ModelCounts): ModelShape {
  const arch = meta("general.architecture") ?? "";
  const number = (key: string, otherwise: number): number => {
    const value = Number(meta(`${arch}.${key}`));
    return Number.isFinite(value) && value > 0 ? value : otherwise;
  };
  const headsKv = perLayer(meta(`${arch}.attention.head_count_kv`), counts.layers, counts.headsKv);
  const headWidth = counts.heads > 0 ? counts.embedding / counts.heads : 0;
  const keyLength = number("attention.key_length", headWidth);
  const valueLength = number("attention.value_length", headWidth);
  const pureRecurrent = counts.recurrent && headsKv.every((count) => count === 0);
  // qwen3next-like hybrids name the interval at which a layer has full attention instead of an array.
  const interval = number("full_attention_interval", 0);
  const attention = headsKv.map(
    (count, layer) => !pureRecurrent && count > 0 && (interval === 0 || (layer + 1) % interval === 0),
  );
  const pattern = number("attention.sliding_window_pattern", 6);
  return {
    weightBytes: counts.weightBytes,
    layers: counts.layers,
    embedding: counts.embedding,
    vocab: counts.vocab,
    ctxTrain: counts.ctxTrain,
    kPerLayer: headsKv.map((count, layer) => (attention[layer] === true ? count * keyLength : 0)),
    vPerLayer: headsKv.map((count, layer) => (attention[layer] === true ? count * valueLength : 0)),
    window: counts.window,
    sliding: headsKv.map((_, layer) => counts.window > 0 && (layer + 1) % pattern !== 0),
    recurrentBytes: counts.recurrent
      ? recurrentBytes(number, counts.embedding) * attention.filter((has) => !has).length
      : 0,
  };
}

/** Bytes of one recurrent layer's rows: what llama.cpp calls n_embd_r and n_embd_s, as f32. */
function recurrentBytes(number: (key: string, otherwise: number) => number, embedding: number): number {
  const shortConv = number("shortconv.l_cache", 0);
  if (shortConv > 0) return 4 * embedding * (shortConv - 1);
  const wkvHead = number("wkv.head_size", 0);
  if (wkvHead > 0) return 4 * (2 * embedding + embedding * wkvHead);
  const inner = number("ssm.inner_size", 2 * embedding);
  const state = number("ssm.state_size", 128);
  const groups = number("ssm.group_count", 1);
  const kernel = number("ssm.conv_kernel", 4);
  return 4 * ((kernel - 1) * (inner + 2 * groups * state) + state * inner);
}

function perLayer(text: string | undefined, layers: number, otherwise: number): number[] {
  if (text?.startsWith("[") === true) {
    const values = text.slice(1, -1).split(",").map(Number);
    if (values.length >= layers && values.every(Number.isFinite)) return values.slice(0, layers);
  }
  return new Array<number>(layers).fill(otherwise);
}

export interface KvWish {
  readonly ctxTokens: number;
  readonly sequences: number;
  readonly typeK: string;
  readonly typeV: string;
  readonly ubatch: number;
}

/** Bytes of the whole KV and recurrent memory, allocated up front (fact: non-unified, n_seq_max × context). */
export function memoryBytes(shape: ModelShape, wish: KvWish): number {
  const k = KV_TYPE_BYTES[wish.typeK] ?? 2;
  const v = KV_TYPE_BYTES[wish.typeV] ?? 2;
  // llama.cpp pads cells to 256; a sliding layer holds the window and one micro-batch.
  const pad = (tokens: number): number => Math.ceil(tokens / 256) * 256;
  const full = pad(wish.ctxTokens);
  const windowed = Math.min(full, pad(shape.window + wish.ubatch));
  let bytes = 0;
  for (let layer = 0; layer < shape.layers; layer++) {
    const cells = shape.sliding[layer] === true ? windowed : full;
    bytes += cells * ((shape.kPerLayer[layer] ?? 0) * k + (shape.vPerLayer[layer] ?? 0) * v);
  }
  return Math.ceil((bytes + shape.recurrentBytes) * wish.sequences);
}
