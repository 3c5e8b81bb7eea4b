/**
 * The machine that evaluates tokens, as the engine loop sees it. `LlamaDevice` is the real one (over `ffi/`);
 * the fake in `test/support` keeps a running hash of what it evaluated. Calls block; none throws for bad
 * tokens or grammars, all throw `DeviceError` when the backend fails; `bad-numbers` is a row of logits that are not all
 * finite, from which nothing can be sampled.
 */
import type { MemoryKind } from "./EngineReady.ts";
import type { Sampling, TokenProbs } from "./RunSpec.ts";

export class DeviceError extends Error {
  readonly code: "evaluate-failed" | "out-of-memory" | "grammar-invalid" | "bad-numbers";
  constructor(code: DeviceError["code"], message: string) {
    super(message);
    this.name = "DeviceError";
    this.code = code;
  }
}

/** One row of a decode step: the token at `pos` of `seq`, whose logits are wanted. */
export interface DecodeRow {
  readonly seq: number;
  readonly pos: number;
  readonly token: number;
}

/**
 * A sampler chain with its grammar, for one run. `sample` never throws: a dead end is a value.
 * The chosen token has been accepted by chain and grammar when it is returned.
 */
export interface DeviceSampler extends Disposable {
  /** Samples from the logits of row `row` of the last `prefill` (row 0) or `decode` (index in its rows). */
  sample(row: number): { readonly token: number } | { readonly deadEnd: string };
  /** Takes a token that was not sampled. False, and nothing is taken, where the grammar does not allow it. */
  force(token: number): boolean;
  /** Of the last token taken and of the `top` likeliest: probabilities among the candidates that were left. */
  probs(token: number, top: number): TokenProbs;
}

/** `partial`: what cannot be rolled back (recurrent rows, window), PARTIAL_ONLY; `full`: all of a sequence. */
export type StatePart = "partial" | "full";

/** Everything of a sequence as it was when it was saved, until it is disposed or the next one is saved. */
export interface SavedState extends Disposable {
  readonly bytes: number;
  /** Tokens whose rows can be taken out of it, and the bytes of a row; 0 where it can only be had whole. */
  readonly tokens: number;
  readonly rowBytes: number;
  /**
   * Attention rows of the tokens `[cuts[i], cuts[i+1])`, each stretch in a buffer of its own, the same bytes whatever
   * lies in front and behind, and in whichever sequence. @throws DeviceError("out-of-memory")
   */
  rows(cuts: readonly number[]): readonly Uint8Array[];
  /** All of it, in buffers that are not too large. @throws DeviceError("out-of-memory") */
  whole(): readonly Uint8Array[];
}

export interface Device {
  readonly memory: MemoryKind;
  /** Sequences 0 … lanes-1 decode; lanes … lanes+spares-1 only hold states. */
  readonly lanes: number;
  readonly spares: number;
  /** Tokens per sequence. */
  readonly ctxTokens: number;
  /**
   * Evaluates one chunk (≤ n_ubatch) in one sequence, at `pos`. `logits` asks for those of its last token. `rows` beyond
   * the chunk's tokens are evaluated behind it and removed again; dense memory only, and the context has to have room.
   */
  prefill(seq: number, pos: number, tokens: Int32Array, logits: boolean, rows?: number): void;
  /** One token for each row, in one call. */
  decode(rows: readonly DecodeRow[]): void;
  /** Removes what lies at `pos` and behind. False where the memory cannot (hybrid, recurrent). */
  truncate(seq: number, pos: number): boolean;
  /** Empties a sequence. Numbers that it held may still be read, times 0. */
  clear(seq: number): void;
  /** Empties all sequences, and sets what their cells held to 0. */
  wipe(): void;
  /**
   * Copies the whole of `src` over `dst`. On non-unified memory the copy is queued and runs first in the
   * next `prefill` or `decode` of any sequence; until then neither may be saved, restored or copied again.
   */
  copy(src: number, dst: number): void;
  /** True when `copy` is carried out only by the next evaluation. */
  readonly copyIsDeferred: boolean;
  /** Bytes a save would take now. */
  saveSize(seq: number, part: StatePart): number;
  save(seq: number, part: StatePart): Uint8Array;
  /** Replaces that part of `seq`. False when the bytes do not fit this context. */
  restore(seq: number, part: StatePart, bytes: Uint8Array): boolean;
  /** @throws DeviceError("out-of-memory") */
  saveState(seq: number): SavedState;
  /**
   * Replaces all of `seq` by these rows, one stretch behind the other from the first token on; `partial` as `save` gave
   * it behind the last of them, null on dense memory. False when they do not fit.
   */
  restoreRows(seq: number, rows: readonly Uint8Array[], partial: Uint8Array | null): boolean;
  /** Replaces all of `seq` by what `whole` gave. */
  restoreWhole(seq: number, buffers: readonly Uint8Array[]): boolean;
  /**
   * `history` is the prompt, which the penalties look back on.
   * Throws DeviceError("grammar-invalid") where the grammar does not parse.
   */
  sampler(sampling: Sampling, history: Int32Array): DeviceSampler;
  /** XXH64 of the raw f32 logits of a row, seeded with `chain`. */
  hashLogits(row: number, chain: bigint): bigint;
  /** Log-probabilities of a row before any sampler: of `token`, and of the `top` likeliest. */
  logProbs(row: number, token: number, top: number): TokenProbs;
  /** End-of-generation token? */
  isEnd(token: number): boolean;
  [Symbol.dispose](): void;
}
