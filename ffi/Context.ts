/**
 * One llama_context: non-unified memory, one sequence per prefill, flash attention. Every number is checked
 * before the library sees it; a refused call says what was wrong and changes nothing.
 */
import { FfiError, statusError, unwrap, withWords, wordsSince } from "./FfiError.ts";
import { Handle } from "./Handle.ts";
import type { Model } from "./Model.ts";
import { LogitRow } from "./rows/LogitRow.ts";
import { CODES, floats, integers, type Shim } from "./symbols.ts";

/** KV cell types by llama-server's names, with ggml's numbers. */
export const CACHE_TYPES = {
  f32: 0,
  f16: 1,
  bf16: 30,
  q8_0: 8,
  q4_0: 2,
  q4_1: 3,
  iq4_nl: 20,
  q5_0: 6,
  q5_1: 7,
} as const;
export type CacheType = keyof typeof CACHE_TYPES;

/**
 * How the tokens of an input become one embedding, by llama-server's names, with llama.cpp's numbers: `none` gives
 * each token's, `rank` the numbers of the model's classification head.
 */
export const POOLINGS = { none: 0, mean: 1, cls: 2, last: 3, rank: 4 } as const;
export type Pooling = keyof typeof POOLINGS;

const FLASH = { auto: -1, false: 0, true: 1 } as const;

export const ROPE_SCALINGS = { none: 0, linear: 1, yarn: 2, longrope: 3 } as const;

/** Absent numbers are as the model says. */
export interface RopeOptions {
  readonly scaling?: keyof typeof ROPE_SCALINGS;
  readonly freqBase?: number;
  readonly freqScale?: number;
  readonly yarnExtFactor?: number;
  readonly yarnAttnFactor?: number;
  readonly yarnBetaFast?: number;
  readonly yarnBetaSlow?: number;
  readonly yarnOrigCtx?: number;
}

export interface ContextOptions {
  /** Tokens per sequence; llama.cpp rounds up to a multiple of 256. */
  readonly ctxTokens: number;
  readonly sequences: number;
  /** Tokens of one evaluation at most. */
  readonly ubatch: number;
  /** At least `ubatch`; that by default. */
  readonly batch?: number;
  readonly threads: number;
  /** For prefill; `threads` by default. */
  readonly threadsBatch?: number;
  readonly cacheTypeK?: CacheType;
  readonly cacheTypeV?: CacheType;
  /** Default true; `auto` is where the device can. */
  readonly flashAttention?: boolean | "auto";
  /** Default true. */
  readonly offloadKqv?: boolean;
  readonly rope?: RopeOptions;
  /** A context that embeds, and generates nothing. */
  readonly pooling?: Pooling;
}

export class Context extends Handle {
  readonly #shim: Shim;
  readonly #id: number;
  readonly model: Model;
  /** Tokens per sequence, rounded up. */
  readonly ctxTokens: number;
  readonly sequences: number;
  readonly ubatch: number;
  /** Tokens of one input to embed at most; `rank` needs a model that `rankProblem` finds nothing about. */
  readonly embedTokens: number;
  readonly #pooling: Pooling | null;
  #searched: LogitRow | null | undefined;

  private constructor(model: Model, id: number, pooling: Pooling | null) {
    super("context", model);
    const { shim } = model.native();
    const number = (which: number) => Number(shim.wt_context_number(id, which));
    this.#shim = shim;
    this.#id = id;
    this.model = model;
    this.ctxTokens = number(CODES.WT_CONTEXT_TOKENS);
    this.sequences = number(CODES.WT_CONTEXT_SEQUENCES);
    this.ubatch = number(CODES.WT_CONTEXT_UBATCH);
    this.embedTokens = number(CODES.WT_CONTEXT_EMBED_TOKENS);
    this.#pooling = pooling;
  }

  /** @throws FfiError: `range` for a bad number, `failed` or `out-of-memory` with llama.cpp's words. */
  static open(model: Model, options: ContextOptions): Context {
    const { shim, id } = model.native();
    if (model.vocabOnly) throw new FfiError("range", "the model was opened for its vocabulary only");
    const embeds = options.pooling !== undefined && model.isEncoder;
    if (!model.isCausal && !embeds) {
      throw new FfiError("range", `${model.path} is no model that generates text`);
    }
    checkOptions(options);
    const rope = options.rope ?? {};
    const numbers = integers("context", {
      WT_CTX_TOKENS: Math.ceil(options.ctxTokens / 256) * 256,
      WT_CTX_SEQUENCES: options.sequences,
      WT_CTX_BATCH: Math.max(options.batch ?? options.ubatch, options.sequences),
      WT_CTX_UBATCH: options.ubatch,
      WT_CTX_THREADS: options.threads,
      WT_CTX_THREADS_BATCH: options.threadsBatch ?? options.threads,
      WT_CTX_TYPE_K: CACHE_TYPES[options.cacheTypeK ?? "f16"],
      WT_CTX_TYPE_V: CACHE_TYPES[options.cacheTypeV ?? "f16"],
      WT_CTX_FLASH: FLASH[`${options.flashAttention ?? true}`],
      WT_CTX_OFFLOAD_KQV: (options.offloadKqv ?? true) ? 1 : 0,
      WT_CTX_OP_OFFLOAD: 1,
      WT_CTX_ROPE_SCALING: rope.scaling === undefined ? -1 : ROPE_SCALINGS[rope.scaling],
      WT_CTX_YARN_ORIG: rope.yarnOrigCtx ?? 0,
      WT_CTX_POOLING: options.pooling === undefined ? -1 : POOLINGS[options.pooling],
    });
    const scales = floats("rope", {
      WT_ROPE_FREQ_BASE: rope.freqBase ?? 0,
      WT_ROPE_FREQ_SCALE: rope.freqScale ?? 0,
      WT_YARN_EXT_FACTOR: rope.yarnExtFactor ?? -1,
      WT_YARN_ATTN_FACTOR: rope.yarnAttnFactor ?? -1,
      WT_YARN_BETA_FAST: rope.yarnBetaFast ?? -1,
      WT_YARN_BETA_SLOW: rope.yarnBetaSlow ?? -1,
    });
    const doing = `Cannot open a context of ${options.sequences} × ${options.ctxTokens} tokens`;
    return new Context(
      model,
      withWords(shim, doing, () => shim.wt_context_new(id, numbers, scales)),
      options.pooling ?? null,
    );
  }

  /** The shim and this context's handle, for a sampler. @throws FfiError("closed") */
  native(): { readonly shim: Shim; readonly id: number } {
    this.use();
    return { shim: this.#shim, id: this.#id };
  }

  /**
   * Evaluates one chunk of one sequence; `logits` keeps those of its last token, as row 0. With more `rows` than tokens
   * the last token is evaluated again behind the chunk, and those rows are removed: the memory has to be able to.
   */
  prefill(seq: number, pos: number, tokens: Int32Array, logits: boolean, rows = tokens.length): void {
    this.use();
    if (tokens.length === 0) throw new FfiError("range", "a chunk of no tokens");
    const mark = this.#shim.wt_log_mark();
    const status = this.#shim.wt_prefill(this.#id, seq, pos, tokens, tokens.length, logits ? 1 : 0, rows);
    if (status >= 0) return;
    if (status === CODES.WT_RANGE) throw this.#chunkProblem(seq, pos, tokens);
    throw statusError(status, "Cannot evaluate tokens", wordsSince(this.#shim, mark));
  }

  /** `rows` holds seq, pos and token of each row; row i of the logits is that of rows[i]. */
  decode(rows: Int32Array): void {
    this.use();
    if (rows.length === 0 || rows.length % 3 !== 0)
      throw new FfiError("range", "rows are seq, pos, token each");
    const mark = this.#shim.wt_log_mark();
    const status = this.#shim.wt_decode(this.#id, rows, rows.length / 3);
    if (status >= 0) return;
    if (status === CODES.WT_RANGE) throw this.#rowsProblem(rows);
    throw statusError(status, "Cannot evaluate tokens", wordsSince(this.#shim, mark));
  }

  /**
   * One input as one vector, not normalised; with `none` one of each token, one behind the other; with `rank` the
   * scores of the model's labels. At most `embedTokens` tokens, and only with `pooling`.
   */
  embed(tokens: Int32Array): Float32Array {
    this.use();
    if (tokens.length === 0) throw new FfiError("range", "an input of no tokens");
    const mark = this.#shim.wt_log_mark();
    const one = this.#pooling === "rank" ? this.model.rankOut : this.model.embeddingOut;
    const vector = new Float32Array(this.#pooling === "none" ? one * tokens.length : one);
    const status = this.#shim.wt_embed(this.#id, tokens, tokens.length, vector, vector.length);
    if (status >= 0) return vector;
    if (status === CODES.WT_RANGE) throw this.#inputProblem(tokens);
    throw statusError(status, "Cannot embed tokens", wordsSince(this.#shim, mark));
  }

  #inputProblem(tokens: Int32Array): FfiError {
    if (tokens.length > this.embedTokens) {
      return new FfiError(
        "range",
        `an input of ${tokens.length} tokens; at most ${this.embedTokens} fit one evaluation`,
      );
    }
    for (const token of tokens) {
      const problem = this.#tokenProblem(token);
      if (problem) return problem;
    }
    return new FfiError("range", "the context was not opened to embed");
  }

  /** Found only when a call was refused, so that the path of every token asks once. */
  #chunkProblem(seq: number, pos: number, tokens: Int32Array): FfiError {
    if (tokens.length > this.ubatch) {
      return new FfiError(
        "range",
        `a chunk of ${tokens.length} tokens; at most ${this.ubatch} fit one evaluation`,
      );
    }
    for (const token of tokens) {
      const problem = this.#tokenProblem(token);
      if (problem) return problem;
    }
    return this.#placeProblem(seq, pos, tokens.length);
  }

  #rowsProblem(rows: Int32Array): FfiError {
    const seen = new Set<number>();
    for (let i = 0; i < rows.length; i += 3) {
      const [seq = -1, pos = -1, token = -1] = rows.subarray(i, i + 3);
      if (seen.has(seq)) return new FfiError("range", `sequence ${seq} is twice in one step`);
      seen.add(seq);
      const problem = this.#tokenProblem(token);
      if (problem) return problem;
      if (pos !== this.last(seq) + 1 || pos >= this.ctxTokens) return this.#placeProblem(seq, pos, 1);
    }
    return new FfiError("range", `${rows.length / 3} rows in one step`);
  }

  #tokenProblem(token: number): FfiError | null {
    const { size } = this.model.vocab;
    return token >= 0 && token < size
      ? null
      : new FfiError("range", `there is no token ${token}: the vocabulary has ${size}`);
  }

  #placeProblem(seq: number, pos: number, count: number): FfiError {
    if (!(seq >= 0 && seq < this.sequences)) {
      return new FfiError("range", `there is no sequence ${seq}: the context has ${this.sequences}`);
    }
    const last = this.last(seq);
    if (pos !== last + 1) {
      return new FfiError("range", `position ${pos} of sequence ${seq} does not follow its last, ${last}`);
    }
    return new FfiError("range", `${pos + count} tokens are more than the context's ${this.ctxTokens}`);
  }

  /** A copy of one row of logits. */
  logits(row: number, into: Float32Array = new Float32Array(this.model.vocab.size)): Float32Array {
    this.use();
    unwrap(this.#shim.wt_logits(this.#id, row, into, into.length), `Cannot read logits row ${row}`);
    return into;
  }

  /** A row of logits to search in, which the next one asked for takes the place of; null where that is not possible. */
  searchRow(row: number): LogitRow | null {
    if (this.#searched === undefined) this.#searched = LogitRow.of(this.model.vocab.size);
    if (this.#searched !== null) this.logits(row, this.#searched.logits);
    return this.#searched;
  }

  /** First position that a sequence holds; -1 when it is empty. Above 0 only where a window has moved. */
  first(seq: number): number {
    this.use();
    return this.#position(this.#shim.wt_seq_first(this.#id, seq), seq);
  }

  /** Last position that a sequence holds; -1 when it is empty. */
  last(seq: number): number {
    this.use();
    return this.#position(this.#shim.wt_seq_last(this.#id, seq), seq);
  }

  #position(result: number, seq: number): number {
    if (result < -1)
      throw new FfiError("range", `there is no sequence ${seq}: the context has ${this.sequences}`);
    return result;
  }

  /** Removes `pos` and what is behind; false where the memory cannot. */
  truncate(seq: number, pos: number): boolean {
    this.use();
    return (
      unwrap(this.#shim.wt_seq_truncate(this.#id, seq, pos), `Cannot truncate sequence ${seq} at ${pos}`) ===
      1
    );
  }

  clear(seq: number): void {
    this.use();
    unwrap(this.#shim.wt_seq_clear(this.#id, seq), `Cannot clear sequence ${seq}`);
  }

  /** Empties every sequence, and sets what their cells held to 0. */
  wipe(): void {
    this.use();
    unwrap(this.#shim.wt_memory_wipe(this.#id), "Cannot wipe the memory");
  }

  /** Queued: the copy is carried out by the next evaluation. */
  copy(from: number, to: number): void {
    this.use();
    unwrap(this.#shim.wt_seq_copy(this.#id, from, to), `Cannot copy sequence ${from} to ${to}`);
  }

  /** Bytes that `save` would take now. */
  stateSize(seq: number, partial: boolean): number {
    this.use();
    return Number(
      unwrap(Number(this.#shim.wt_state_size(this.#id, seq, partial ? 1 : 0)), `Cannot size sequence ${seq}`),
    );
  }

  save(seq: number, partial: boolean): Uint8Array {
    const size = this.stateSize(seq, partial);
    let bytes: Uint8Array;
    try {
      bytes = new Uint8Array(size);
    } catch {
      throw new FfiError(
        "out-of-memory",
        `Cannot save sequence ${seq}: ${size} bytes are more than one buffer holds`,
      );
    }
    const result = Number(this.#shim.wt_state_save(this.#id, seq, partial ? 1 : 0, bytes, size));
    const written = unwrap(result, `Cannot save sequence ${seq}`);
    return written === size ? bytes : bytes.subarray(0, written);
  }

  /** Replaces that part of a sequence; false when the bytes do not fit, and then the sequence is empty. */
  restore(seq: number, partial: boolean, bytes: Uint8Array): boolean {
    this.use();
    if (bytes.byteLength === 0) return false;
    const status = this.#shim.wt_state_restore(this.#id, seq, partial ? 1 : 0, bytes, bytes.byteLength);
    return unwrap(status, `Cannot restore sequence ${seq}`) === 1;
  }

  protected release(): void {
    unwrap(this.#shim.wt_context_free(this.#id), "Cannot close the context");
  }
}

function checkOptions(options: ContextOptions): void {
  const whole = (name: string, value: number, least: number, most: number) => {
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new FfiError("range", `${name} is ${value}; allowed is ${least} to ${most}`);
    }
  };
  whole("sequences", options.sequences, 1, 256);
  whole("ctx-size", options.ctxTokens, 1, Math.floor((2 ** 31 - 1) / options.sequences) - 256);
  whole("ubatch-size", options.ubatch, 1, 2 ** 20);
  whole("batch-size", options.batch ?? options.ubatch, options.ubatch, 2 ** 20);
  whole("threads", options.threads, 1, 512);
  whole("threads-batch", options.threadsBatch ?? options.threads, 1, 512);
}
