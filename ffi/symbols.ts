/**
 * Every function of the shim, once, with the C type beside each argument. A test compares this table with
 * `shim/shim.h`, name by name; nothing else in `ffi/` knows how a C type is passed.
 */

/** C types at the border, as `bun:ffi` names them. Pointers are caller-owned typed arrays. */
export const FFI_TYPES = {
  int32_t: "i32",
  uint32_t: "u32",
  int64_t: "i64_fast",
  "const char *": "ptr",
  "char *": "ptr",
  "const uint8_t *": "ptr",
  "uint8_t *": "ptr",
  "const int32_t *": "ptr",
  "int32_t *": "ptr",
  "const float *": "ptr",
  "float *": "ptr",
  "int64_t *": "ptr",
} as const;

export type CType = keyof typeof FFI_TYPES;
type Argument = readonly [type: CType, name: string];

const TEXT = [
  ["char *", "text"],
  ["int32_t", "size"],
] as const satisfies readonly Argument[];

export const SYMBOLS = {
  wt_shim_version: ["int32_t"],
  wt_open: ["int32_t", ["const char *", "llama_path"], ["char *", "why"], ["int32_t", "why_size"]],
  wt_preload: ["int32_t", ["const char *", "path"]],
  wt_backends_load: ["int32_t", ["const char *", "folder"]],
  wt_version_text: ["int32_t", ...TEXT],
  wt_system_text: ["int32_t", ...TEXT],
  wt_log_mark: ["uint32_t"],
  wt_log_read: ["int32_t", ["uint32_t", "since"], ...TEXT],

  wt_device_count: ["int32_t"],
  wt_device_text: ["int32_t", ["int32_t", "device"], ["int32_t", "which"], ...TEXT],
  wt_device_type: ["int32_t", ["int32_t", "device"]],
  wt_device_memory: ["int32_t", ["int32_t", "device"], ["int64_t *", "bytes"]],

  wt_model_load: [
    "int32_t",
    ["const char *", "path"],
    ["const int32_t *", "integers"],
    ["const float *", "split"],
    ["const char *", "overrides"],
    ["int32_t *", "progress"],
  ],
  wt_model_free: ["int32_t", ["int32_t", "model"]],
  wt_model_number: ["int64_t", ["int32_t", "model"], ["int32_t", "which"]],
  wt_model_meta: ["int32_t", ["int32_t", "model"], ["const char *", "key"], ...TEXT],
  wt_model_meta_at: ["int32_t", ["int32_t", "model"], ["int32_t", "index"], ["int32_t", "value"], ...TEXT],
  wt_model_describe: ["int32_t", ["int32_t", "model"], ...TEXT],
  wt_model_template: ["int32_t", ["int32_t", "model"], ["const char *", "name"], ...TEXT],
  wt_vocab_attributes: [
    "int32_t",
    ["int32_t", "model"],
    ["int32_t *", "attributes"],
    ["uint8_t *", "ends"],
    ["int32_t", "count"],
  ],
  wt_vocab_text: ["int32_t", ["int32_t", "model"], ["int32_t", "token"], ...TEXT],
  wt_vocab_piece: [
    "int32_t",
    ["int32_t", "model"],
    ["int32_t", "token"],
    ["uint8_t *", "bytes"],
    ["int32_t", "size"],
  ],
  wt_tokenise: [
    "int32_t",
    ["int32_t", "model"],
    ["const uint8_t *", "text"],
    ["int32_t", "bytes"],
    ["int32_t *", "tokens"],
    ["int32_t", "size"],
    ["int32_t", "special"],
  ],

  wt_context_new: [
    "int32_t",
    ["int32_t", "model"],
    ["const int32_t *", "integers"],
    ["const float *", "floats"],
  ],
  wt_context_free: ["int32_t", ["int32_t", "context"]],
  wt_context_number: ["int64_t", ["int32_t", "context"], ["int32_t", "which"]],
  wt_prefill: [
    "int32_t",
    ["int32_t", "context"],
    ["int32_t", "seq"],
    ["int32_t", "pos"],
    ["const int32_t *", "tokens"],
    ["int32_t", "count"],
    ["int32_t", "logits"],
    ["int32_t", "padded"],
  ],
  wt_decode: ["int32_t", ["int32_t", "context"], ["const int32_t *", "rows"], ["int32_t", "count"]],
  wt_logits: [
    "int32_t",
    ["int32_t", "context"],
    ["int32_t", "row"],
    ["float *", "logits"],
    ["int32_t", "count"],
  ],
  wt_embed: [
    "int32_t",
    ["int32_t", "context"],
    ["const int32_t *", "tokens"],
    ["int32_t", "count"],
    ["float *", "vector"],
    ["int32_t", "size"],
  ],
  wt_seq_first: ["int32_t", ["int32_t", "context"], ["int32_t", "seq"]],
  wt_seq_last: ["int32_t", ["int32_t", "context"], ["int32_t", "seq"]],
  wt_seq_truncate: ["int32_t", ["int32_t", "context"], ["int32_t", "seq"], ["int32_t", "pos"]],
  wt_seq_clear: ["int32_t", ["int32_t", "context"], ["int32_t", "seq"]],
  wt_memory_wipe: ["int32_t", ["int32_t", "context"]],
  wt_seq_copy: ["int32_t", ["int32_t", "context"], ["int32_t", "from"], ["int32_t", "to"]],
  wt_state_size: ["int64_t", ["int32_t", "context"], ["int32_t", "seq"], ["int32_t", "partial"]],
  wt_state_save: [
    "int64_t",
    ["int32_t", "context"],
    ["int32_t", "seq"],
    ["int32_t", "partial"],
    ["uint8_t *", "bytes"],
    ["int64_t", "size"],
  ],
  wt_state_restore: [
    "int32_t",
    ["int32_t", "context"],
    ["int32_t", "seq"],
    ["int32_t", "partial"],
    ["const uint8_t *", "bytes"],
    ["int64_t", "size"],
  ],

  wt_held_save: ["int64_t", ["int32_t", "context"], ["int32_t", "seq"]],
  wt_held_make: ["int32_t", ["int32_t", "context"], ["int64_t", "size"]],
  wt_held_read: [
    "int32_t",
    ["int32_t", "context"],
    ["int64_t", "from"],
    ["uint8_t *", "bytes"],
    ["int64_t", "size"],
  ],
  wt_held_write: [
    "int32_t",
    ["int32_t", "context"],
    ["int64_t", "from"],
    ["const uint8_t *", "bytes"],
    ["int64_t", "size"],
  ],
  wt_held_restore: ["int32_t", ["int32_t", "context"], ["int32_t", "seq"]],
  wt_held_done: ["int32_t", ["int32_t", "context"]],

  wt_sampler_new: [
    "int32_t",
    ["int32_t", "context"],
    ["const int32_t *", "integers"],
    ["const float *", "floats"],
    ["const int32_t *", "bias_tokens"],
    ["const float *", "bias_values"],
    ["const int32_t *", "links"],
    ["const char *", "breakers"],
  ],
  wt_sampler_free: ["int32_t", ["int32_t", "sampler"]],
  wt_sampler_choose: [
    "int32_t",
    ["int32_t", "sampler"],
    ["int32_t", "row"],
    ["const int32_t *", "tokens"],
    ["int32_t", "count"],
  ],
  wt_sampler_left: ["int32_t", ["int32_t", "sampler"], ["int32_t *", "tokens"], ["int32_t", "size"]],
  wt_sampler_probs: [
    "int32_t",
    ["int32_t", "sampler"],
    ["int32_t *", "tokens"],
    ["float *", "probs"],
    ["int32_t", "size"],
  ],
  wt_sampler_accept: ["int32_t", ["int32_t", "sampler"], ["const int32_t *", "tokens"], ["int32_t", "count"]],
} as const satisfies Record<string, readonly [returns: CType, ...args: Argument[]]>;

type Table = typeof SYMBOLS;
type Buffers = Uint8Array | Int32Array | Float32Array | BigInt64Array;
type Passed<A> = A extends readonly [infer T, string] ? (T extends `${string}*` ? Buffers : number) : never;
type Arguments<R> = R extends readonly [CType, ...infer A] ? { [K in keyof A]: Passed<A[K]> } : never;

/** The bound shim. Every function returns a number: a count, a handle, a token, or a negative status. */
export type Shim = {
  readonly [K in keyof Table]: (...args: Extract<Arguments<Table[K]>, readonly unknown[]>) => number;
};

/** The table in the form that `cc` and `dlopen` take. */
export function ffiSymbols(): Record<string, { args: string[]; returns: string }> {
  const out: Record<string, { args: string[]; returns: string }> = {};
  for (const [name, [returns, ...args]] of Object.entries(SYMBOLS) as [
    string,
    readonly [CType, ...Argument[]],
  ][]) {
    out[name] = { args: args.map(([type]) => FFI_TYPES[type]), returns: FFI_TYPES[returns] };
  }
  return out;
}

/** Numbers of `shim.h`'s enums that TypeScript needs; the same test compares them. */
export const CODES = {
  WT_SHIM_VERSION: 6,
  WT_BAD_HANDLE: -1,
  WT_BUSY: -2,
  WT_RANGE: -3,
  WT_FAILED: -4,
  WT_OUT_OF_MEMORY: -5,
  WT_NOT_OPEN: -6,
  WT_DEAD_END: -7,
  WT_BAD_NUMBERS: -8,
  WT_TOO_SMALL: -9,
  WT_FULL: -10,
  WT_MODEL_CTX_TRAIN: 0,
  WT_MODEL_EMBD: 1,
  WT_MODEL_LAYERS: 2,
  WT_MODEL_HEADS: 3,
  WT_MODEL_HEADS_KV: 4,
  WT_MODEL_WINDOW: 5,
  WT_MODEL_BYTES: 6,
  WT_MODEL_PARAMETERS: 7,
  WT_MODEL_RECURRENT: 8,
  WT_MODEL_HYBRID: 9,
  WT_MODEL_ENCODER: 10,
  WT_MODEL_DECODER: 11,
  WT_MODEL_VOCAB: 12,
  WT_MODEL_VOCAB_TYPE: 13,
  WT_MODEL_BOS: 14,
  WT_MODEL_EOS: 15,
  WT_MODEL_EOT: 16,
  WT_MODEL_ADD_BOS: 17,
  WT_MODEL_ADD_EOS: 18,
  WT_MODEL_DIFFUSION: 20,
  WT_MODEL_META_COUNT: 21,
  WT_MODEL_FIM_PRE: 22,
  WT_MODEL_FIM_SUF: 23,
  WT_MODEL_FIM_MID: 24,
  WT_MODEL_FIM_REP: 25,
  WT_MODEL_FIM_SEP: 26,
  WT_MODEL_EMBD_OUT: 27,
  WT_MODEL_CLS_OUT: 28,
  WT_MODEL_SEP: 29,
  WT_MODEL_ADD_SEP: 30,
  WT_MODEL_ENDS: 31,
  WT_MODEL_SUPPRESSED: 32,
  WT_CONTEXT_TOKENS: 0,
  WT_CONTEXT_SEQUENCES: 1,
  WT_CONTEXT_BATCH: 2,
  WT_CONTEXT_UBATCH: 3,
  WT_CONTEXT_ROWS: 4,
  WT_CONTEXT_EMBED_TOKENS: 6,
  WT_DEVICE_NAME: 0,
  WT_DEVICE_DESCRIPTION: 1,
  WT_DEVICE_BACKEND: 2,
  WT_DEVICE_LIBRARY: 3,
  WT_DEVICE_BUFFER: 4,
} as const;

/** The shim's integer and float arrays, in the order of the enums named beside them. */
export const ORDERS = {
  load: [
    "WT_LOAD_VOCAB_ONLY",
    "WT_LOAD_GPU_LAYERS",
    "WT_LOAD_SPLIT_MODE",
    "WT_LOAD_MODE",
    "WT_LOAD_MAIN_GPU",
    "WT_LOAD_SPLITS",
    "WT_LOAD_OVERRIDES",
  ],
  context: [
    "WT_CTX_TOKENS",
    "WT_CTX_SEQUENCES",
    "WT_CTX_BATCH",
    "WT_CTX_UBATCH",
    "WT_CTX_THREADS",
    "WT_CTX_THREADS_BATCH",
    "WT_CTX_TYPE_K",
    "WT_CTX_TYPE_V",
    "WT_CTX_FLASH",
    "WT_CTX_OFFLOAD_KQV",
    "WT_CTX_OP_OFFLOAD",
    "WT_CTX_ROPE_SCALING",
    "WT_CTX_YARN_ORIG",
    "WT_CTX_POOLING",
  ],
  rope: [
    "WT_ROPE_FREQ_BASE",
    "WT_ROPE_FREQ_SCALE",
    "WT_YARN_EXT_FACTOR",
    "WT_YARN_ATTN_FACTOR",
    "WT_YARN_BETA_FAST",
    "WT_YARN_BETA_SLOW",
  ],
  sample: [
    "WT_SAMPLE_TOP_K",
    "WT_SAMPLE_PENALTY_LAST",
    "WT_SAMPLE_SEED",
    "WT_SAMPLE_BIASES",
    "WT_SAMPLE_IGNORE_EOS",
    "WT_SAMPLE_MIN_KEEP",
    "WT_SAMPLE_DRY_ALLOWED",
    "WT_SAMPLE_DRY_LAST",
    "WT_SAMPLE_BREAKERS",
    "WT_SAMPLE_MIROSTAT",
    "WT_SAMPLE_LINKS",
  ],
  sampleFloats: [
    "WT_SAMPLE_TEMPERATURE",
    "WT_SAMPLE_TOP_P",
    "WT_SAMPLE_MIN_P",
    "WT_SAMPLE_REPEAT",
    "WT_SAMPLE_FREQUENCY",
    "WT_SAMPLE_PRESENCE",
    "WT_SAMPLE_DYNATEMP_RANGE",
    "WT_SAMPLE_DYNATEMP_EXPONENT",
    "WT_SAMPLE_TYPICAL_P",
    "WT_SAMPLE_TOP_N_SIGMA",
    "WT_SAMPLE_XTC_PROBABILITY",
    "WT_SAMPLE_XTC_THRESHOLD",
    "WT_SAMPLE_DRY_MULTIPLIER",
    "WT_SAMPLE_DRY_BASE",
    "WT_SAMPLE_MIROSTAT_TAU",
    "WT_SAMPLE_MIROSTAT_ETA",
    "WT_SAMPLE_ADAPTIVE_TARGET",
    "WT_SAMPLE_ADAPTIVE_DECAY",
  ],
  links: [
    "WT_LINK_PENALTIES",
    "WT_LINK_DRY",
    "WT_LINK_TOP_N_SIGMA",
    "WT_LINK_TOP_K",
    "WT_LINK_TYPICAL_P",
    "WT_LINK_TOP_P",
    "WT_LINK_MIN_P",
    "WT_LINK_XTC",
    "WT_LINK_TEMPERATURE",
    "WT_LINK_ADAPTIVE_P",
    "WT_LINK_INFILL",
  ],
} as const;

type Order = keyof typeof ORDERS;

/** An array for the shim with each number at its named place; the compiler asks for every name. */
export function integers<O extends Order>(
  order: O,
  values: Record<(typeof ORDERS)[O][number], number>,
): Int32Array {
  return Int32Array.from(ORDERS[order] as readonly (typeof ORDERS)[O][number][], (name) => values[name]);
}

/** As `integers`, of floats. */
export function floats<O extends Order>(
  order: O,
  values: Record<(typeof ORDERS)[O][number], number>,
): Float32Array {
  return Float32Array.from(ORDERS[order] as readonly (typeof ORDERS)[O][number][], (name) => values[name]);
}
