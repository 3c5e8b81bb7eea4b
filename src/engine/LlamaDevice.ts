/**
 * The `Device` of a real model: one llama_context over `ffi/`. It adds no policy: which sequence, cut or
 * state is wanted is the engine's to say. It checks what the library would abort on, and turns what failed
 * into `DeviceError`.
 */
import { Backend, type BackendOptions } from "../../ffi/Backend.ts";
import { Context, type ContextOptions } from "../../ffi/Context.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import { Model, type ModelOptions } from "../../ffi/Model.ts";
import { Sampler } from "../../ffi/Sampler.ts";
import {
  type DecodeRow,
  type Device,
  DeviceError,
  type DeviceSampler,
  type SavedState,
  type StatePart,
} from "../run/Device.ts";
import type { MemoryKind } from "../run/EngineReady.ts";
import type { Sampling, TokenProbs } from "../run/RunSpec.ts";
import { LlamaStates } from "./LlamaStates.ts";
import { rowLogProbs } from "./rowLogProbs.ts";

export interface LlamaDeviceOptions {
  /** Sequences that decode. */
  readonly lanes: number;
  /** Sequences behind them that only hold states. */
  readonly spares: number;
  readonly context: Omit<ContextOptions, "sequences">;
}

/** How a model's memory can be rolled back. A hybrid with a window needs its trips, and its trips save both. */
export function memoryKind(model: Model): MemoryKind {
  if (model.isRecurrent) return "recurrent";
  if (model.window > 0) return "window";
  return model.isHybrid ? "hybrid" : "dense";
}

export class LlamaDevice implements Device {
  readonly memory: MemoryKind;
  readonly lanes: number;
  readonly spares: number;
  readonly ctxTokens: number;
  /** Without unified memory a copy moves buffers, and llama.cpp does so in the next evaluation. */
  readonly copyIsDeferred = true;
  readonly model: Model;
  readonly context: Context;
  readonly #owned: Disposable[];
  readonly #states: LlamaStates;
  /** Rows of a step and one row of logits, kept between calls. */
  readonly #rows: Int32Array;
  #row: Float32Array | null = null;

  private constructor(model: Model, context: Context, options: LlamaDeviceOptions, owned: Disposable[]) {
    this.model = model;
    this.context = context;
    this.memory = memoryKind(model);
    this.lanes = options.lanes;
    this.spares = options.spares;
    this.ctxTokens = context.ctxTokens;
    this.#rows = new Int32Array(3 * (options.lanes + options.spares));
    this.#owned = owned;
    this.#states = new LlamaStates(context, this.memory !== "dense");
  }

  /** Opens a context on a model that the caller keeps. @throws DeviceError */
  static on(model: Model, options: LlamaDeviceOptions): LlamaDevice {
    return LlamaDevice.#on(model, options, []);
  }

  /** Opens library, model and context, all closed with the device. @throws DeviceError, or FfiError of the files. */
  static open(backend: BackendOptions, model: ModelOptions, options: LlamaDeviceOptions): LlamaDevice {
    const owned: Disposable[] = [];
    try {
      const library = Backend.open(backend);
      owned.unshift(library);
      const loaded = Model.load(library, model);
      owned.unshift(loaded);
      return LlamaDevice.#on(loaded, options, owned);
    } catch (error) {
      for (const one of owned) one[Symbol.dispose]();
      throw error;
    }
  }

  static #on(model: Model, options: LlamaDeviceOptions, owned: Disposable[]): LlamaDevice {
    const sequences = options.lanes + options.spares;
    const context = orDeviceError(() => Context.open(model, { ...options.context, sequences }));
    return new LlamaDevice(model, context, options, owned);
  }

  prefill(seq: number, pos: number, tokens: Int32Array, logits: boolean, rows?: number): void {
    orDeviceError(() => this.context.prefill(seq, pos, tokens, logits, rows));
  }

  decode(rows: readonly DecodeRow[]): void {
    if (3 * rows.length > this.#rows.length) {
      throw new DeviceError(
        "evaluate-failed",
        `${rows.length} rows in a step of ${this.#rows.length / 3} at most`,
      );
    }
    for (const [index, row] of rows.entries()) {
      this.#rows[3 * index] = row.seq;
      this.#rows[3 * index + 1] = row.pos;
      this.#rows[3 * index + 2] = row.token;
    }
    orDeviceError(() => this.context.decode(this.#rows.subarray(0, 3 * rows.length)));
  }

  truncate(seq: number, pos: number): boolean {
    return orDeviceError(() => this.context.truncate(seq, pos));
  }

  clear(seq: number): void {
    orDeviceError(() => this.context.clear(seq));
  }

  wipe(): void {
    orDeviceError(() => this.context.wipe());
  }

  copy(src: number, dst: number): void {
    orDeviceError(() => this.context.copy(src, dst));
  }

  saveSize(seq: number, part: StatePart): number {
    return orDeviceError(() => this.context.stateSize(seq, part === "partial"));
  }

  save(seq: number, part: StatePart): Uint8Array {
    return orDeviceError(() => this.context.save(seq, part === "partial"));
  }

  restore(seq: number, part: StatePart, bytes: Uint8Array): boolean {
    return orDeviceError(() => this.context.restore(seq, part === "partial", bytes));
  }

  /** States are moved whole from now on. */
  keepStatesWhole(): void {
    this.#states.takesApart = false;
  }

  /** How states are laid out, from two tokens in an empty device: what comes from a file may then be the first of all. */
  learnStates(): void {
    orDeviceError(() => this.#states.learn(0));
  }

  saveState(seq: number): SavedState {
    return orDeviceError(() => this.#states.save(seq));
  }

  restoreRows(seq: number, rows: readonly Uint8Array[], partial: Uint8Array | null): boolean {
    return orDeviceError(() => this.#states.restoreRows(seq, rows, partial));
  }

  restoreWhole(seq: number, buffers: readonly Uint8Array[]): boolean {
    return orDeviceError(() => this.#states.restoreWhole(seq, buffers));
  }

  sampler(sampling: Sampling, history?: Int32Array): DeviceSampler {
    return new LlamaSampler(orDeviceError(() => Sampler.open(this.context, sampling, history)));
  }

  hashLogits(row: number, chain: bigint): bigint {
    return Bun.hash.xxHash64(this.#logits(row), chain);
  }

  logProbs(row: number, token: number, top: number): TokenProbs {
    return rowLogProbs(this.#logits(row), token, top);
  }

  #logits(row: number): Float32Array {
    this.#row ??= new Float32Array(this.model.vocab.size);
    const logits = this.#row;
    orDeviceError(() => this.context.logits(row, logits));
    return logits;
  }

  isEnd(token: number): boolean {
    return this.model.vocab.isEnd(token);
  }

  [Symbol.dispose](): void {
    this.context.close();
    for (const one of this.#owned) one[Symbol.dispose]();
  }
}

class LlamaSampler implements DeviceSampler {
  readonly #sampler: Sampler;

  constructor(sampler: Sampler) {
    this.#sampler = sampler;
  }

  sample(row: number): { readonly token: number } | { readonly deadEnd: string } {
    return orDeviceError(() => this.#sampler.sample(row));
  }

  force(token: number): boolean {
    return orDeviceError(() => this.#sampler.force(token));
  }

  probs(token: number, top: number): TokenProbs {
    return orDeviceError(() => this.#sampler.probs(token, top));
  }

  [Symbol.dispose](): void {
    this.#sampler.close();
  }
}

const AS_IT_IS: readonly DeviceError["code"][] = ["out-of-memory", "grammar-invalid", "bad-numbers"];

/** What `ffi/` throws, in the engine's words. A bad argument is the engine's own fault, and named as such. */
function orDeviceError<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof FfiError)) throw error;
    throw new DeviceError(AS_IT_IS.find((code) => code === error.code) ?? "evaluate-failed", error.message);
  }
}
