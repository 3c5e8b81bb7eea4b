/** A loaded GGUF: what it says of itself, and its vocabulary. Refuses to close while a context lives. */
import type { Backend } from "./Backend.ts";
import { askText, cString } from "./cText.ts";
import { FfiError, unwrap, withWords } from "./FfiError.ts";
import { Handle } from "./Handle.ts";
import { checkModelFile } from "./modelFile.ts";
import { CODES, integers, type Shim } from "./symbols.ts";
import { Vocab } from "./Vocab.ts";

export interface TensorOverride {
  /** Regular expression over tensor names. */
  readonly pattern: string;
  /** Buffer type by name: `CPU`, `CUDA0`, … */
  readonly bufferType: string;
}

export interface ModelOptions {
  readonly path: string;
  /** Only the vocabulary and the metadata; no context can be opened from it. */
  readonly vocabOnly?: boolean;
  /** Layers on the GPU; -1 (the default) is all. */
  readonly gpuLayers?: number;
  /** Default true. */
  readonly mmap?: boolean;
  readonly mlock?: boolean;
  readonly splitMode?: "none" | "layer" | "row";
  readonly mainGpu?: number;
  /** Share of each GPU, at most 16. */
  readonly tensorSplit?: readonly number[];
  readonly overrideTensor?: readonly TensorOverride[];
  /** Keeps the experts of the first n layers on the CPU. */
  readonly nCpuMoe?: number;
  /** One number that grows from 0 to 1000 while the file is loaded; over shared memory, for another thread. */
  readonly progress?: Int32Array;
}

/** Those of llama.cpp whose tokens all see one another, and that are made to embed. */
const ENCODERS: ReadonlySet<string> = new Set([
  "bert",
  "nomic-bert",
  "nomic-bert-moe",
  "jina-bert-v2",
  "jina-bert-v3",
  "modern-bert",
  "neo-bert",
  "eurobert",
  "gemma-embedding",
  "llama-embed",
]);

const SPLIT_MODES = { none: 0, layer: 1, row: 2 } as const;
const SPLITS_MAX = 16;

export class Model extends Handle {
  readonly #shim: Shim;
  readonly #id: number;
  readonly path: string;
  readonly vocabOnly: boolean;
  readonly #vocab: Vocab;

  private constructor(backend: Backend, id: number, options: ModelOptions) {
    super("model", backend);
    this.#shim = backend.shim;
    this.#id = id;
    this.path = options.path;
    this.vocabOnly = options.vocabOnly ?? false;
    this.#vocab = new Vocab(this);
  }

  /** @throws FfiError in one sentence that names the file and the reason. */
  static load(backend: Backend, options: ModelOptions): Model {
    if (!backend.isOpen) throw new FfiError("closed", "the backend is closed");
    checkModelFile(options.path);
    const split = options.tensorSplit ?? [];
    if (split.length > SPLITS_MAX || split.some((share) => !(share >= 0))) {
      throw new FfiError("range", `tensor split: at most ${SPLITS_MAX} shares of 0 and above`);
    }
    const overrides = allOverrides(options);
    checkBuffers(backend, overrides);
    const numbers = integers("load", {
      WT_LOAD_VOCAB_ONLY: options.vocabOnly ? 1 : 0,
      WT_LOAD_GPU_LAYERS: options.gpuLayers ?? -1,
      WT_LOAD_SPLIT_MODE: SPLIT_MODES[options.splitMode ?? "layer"],
      WT_LOAD_MODE: loadMode(options),
      WT_LOAD_MAIN_GPU: options.mainGpu ?? 0,
      WT_LOAD_SPLITS: split.length,
      WT_LOAD_OVERRIDES: overrides.length,
    });
    const pairs = new TextEncoder().encode(
      `${overrides.map((one) => `${one.pattern}\0${one.bufferType}\0`).join("")}\0`,
    );
    const { shim } = backend;
    const shares = Float32Array.from(split.length > 0 ? split : [0]);
    const id = withWords(shim, `Cannot load ${options.path}`, () =>
      shim.wt_model_load(
        cString(options.path),
        numbers,
        shares,
        pairs,
        options.progress ?? new Int32Array(1),
      ),
    );
    return new Model(backend, id, options);
  }

  /** The shim and this model's handle, for what is opened from it. @throws FfiError("closed") */
  native(): { readonly shim: Shim; readonly id: number } {
    this.use();
    return { shim: this.#shim, id: this.#id };
  }

  get vocab(): Vocab {
    this.use();
    return this.#vocab;
  }

  #number(which: number): number {
    this.use();
    return Number(this.#shim.wt_model_number(this.#id, which));
  }

  /** Tokens of context the model was trained for. */
  get ctxTrain(): number {
    return this.#number(CODES.WT_MODEL_CTX_TRAIN);
  }
  get layers(): number {
    return this.#number(CODES.WT_MODEL_LAYERS);
  }
  get embedding(): number {
    return this.#number(CODES.WT_MODEL_EMBD);
  }
  /** Numbers of one embedding. */
  get embeddingOut(): number {
    return this.#number(CODES.WT_MODEL_EMBD_OUT);
  }
  /** Numbers of one rank: one, or one of each label. */
  get rankOut(): number {
    return this.#number(CODES.WT_MODEL_CLS_OUT);
  }
  get heads(): number {
    return this.#number(CODES.WT_MODEL_HEADS);
  }
  get headsKv(): number {
    return this.#number(CODES.WT_MODEL_HEADS_KV);
  }
  /** Tokens of the sliding window; 0 without one. */
  get window(): number {
    return this.#number(CODES.WT_MODEL_WINDOW);
  }
  /** Bytes of all tensors. */
  get bytes(): number {
    return this.#number(CODES.WT_MODEL_BYTES);
  }
  /** Tokens that end a generation. */
  get ends(): number {
    return this.#number(CODES.WT_MODEL_ENDS);
  }
  /** Tokens that the file itself says are never to be chosen. */
  get suppressed(): number {
    return this.#number(CODES.WT_MODEL_SUPPRESSED);
  }
  get parameters(): number {
    return this.#number(CODES.WT_MODEL_PARAMETERS);
  }
  get isRecurrent(): boolean {
    return this.#number(CODES.WT_MODEL_RECURRENT) === 1;
  }
  get isHybrid(): boolean {
    return this.#number(CODES.WT_MODEL_HYBRID) === 1;
  }
  /** Generates text from left to right: no encoder, no diffusion. */
  get isCausal(): boolean {
    return (
      this.#number(CODES.WT_MODEL_DECODER) === 1 &&
      this.#number(CODES.WT_MODEL_ENCODER) === 0 &&
      this.#number(CODES.WT_MODEL_DIFFUSION) === 0 &&
      !this.isEncoder &&
      this.meta(`${this.architecture}.attention.causal`) !== "false"
    );
  }

  /** Every token sees all others, as in BERT: it embeds or ranks, and generates nothing. */
  get isEncoder(): boolean {
    return ENCODERS.has(this.architecture);
  }

  /** `qwen3`, `lfm2`, … */
  get architecture(): string {
    return this.meta("general.architecture") ?? "";
  }

  /** The library's own short description, e.g. `lfm2 230M Q8_0`. */
  get description(): string {
    this.use();
    return askText("describe the model", (text, size) => this.#shim.wt_model_describe(this.#id, text, size));
  }

  /** A scalar metadata value as text; null where the key is absent or an array. */
  meta(key: string): string | null {
    this.use();
    const name = cString(key);
    const oneByte = new Uint8Array(1);
    if (this.#shim.wt_model_meta(this.#id, name, oneByte, 1) < 0) return null;
    return askText("read metadata", (text, size) => this.#shim.wt_model_meta(this.#id, name, text, size));
  }

  /** All metadata that is not the vocabulary, in the file's order. */
  metadata(): Map<string, string> {
    const count = this.#number(CODES.WT_MODEL_META_COUNT);
    const out = new Map<string, string>();
    const read = (index: number, value: number) =>
      askText("read metadata", (text, size) =>
        this.#shim.wt_model_meta_at(this.#id, index, value, text, size),
      );
    for (let index = 0; index < count; index++) out.set(read(index, 0), read(index, 1));
    return out;
  }

  /** The chat template inside the file; a named one such as `tool_use` where there are several. */
  chatTemplate(name = ""): string | null {
    this.use();
    const named = cString(name);
    const text = askText("read the chat template", (buffer, size) =>
      this.#shim.wt_model_template(this.#id, named, buffer, size),
    );
    return text === "" ? null : text;
  }

  protected release(): void {
    unwrap(this.#shim.wt_model_free(this.#id), "Cannot close the model");
  }
}

function loadMode(options: ModelOptions): number {
  const mmap = options.mmap ?? true;
  if (options.mlock) return mmap ? 3 : 2;
  return mmap ? -1 : 0;
}

function checkBuffers(backend: Backend, overrides: readonly TensorOverride[]): void {
  if (overrides.length === 0) return;
  const known = backend.bufferTypes();
  const strange = overrides.find(({ bufferType }) => !known.includes(bufferType));
  if (strange === undefined) return;
  throw new FfiError(
    "range",
    `--override-tensor places ${strange.pattern} in ${strange.bufferType}; allowed here is ${known.join(", ")}.`,
  );
}

/** Experts of a layer are the tensors `blk.<layer>.ffn_{up,down,gate,gate_up}_{exps,chexps}`. */
function allOverrides(options: ModelOptions): TensorOverride[] {
  const experts = Array.from({ length: options.nCpuMoe ?? 0 }, (_, layer) => ({
    pattern: `blk\\.${layer}\\.ffn_(up|down|gate|gate_up)_(ch)?exps`,
    bufferType: "CPU",
  }));
  return [...(options.overrideTensor ?? []), ...experts];
}
