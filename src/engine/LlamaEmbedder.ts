/** The `Embedder` of a real model: a second context on it, of one sequence, that generates nothing. */
import { Context, type ContextOptions, POOLINGS, type Pooling } from "../../ffi/Context.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import type { Model } from "../../ffi/Model.ts";
import { DeviceError } from "./Device.ts";
import type { Embedder } from "./EmbedQueue.ts";

export class LlamaEmbedder implements Embedder {
  readonly #context: Context;

  private constructor(context: Context) {
    this.#context = context;
  }

  /** Inputs of up to `ubatch` tokens: pooling needs all of an input in one evaluation. Throws FfiError. */
  static on(
    model: Model,
    pooling: Pooling,
    options: Omit<ContextOptions, "sequences" | "pooling">,
  ): LlamaEmbedder {
    return new LlamaEmbedder(Context.open(model, { ...options, sequences: 1, pooling }));
  }

  embed(tokens: Int32Array): Float32Array {
    let vector: Float32Array;
    try {
      vector = this.#context.embed(tokens);
    } catch (error) {
      if (!(error instanceof FfiError)) throw error;
      const code = error.code === "out-of-memory" ? error.code : "evaluate-failed";
      throw new DeviceError(code, error.message);
    }
    if (vector.every(Number.isFinite)) return vector;
    throw new DeviceError("evaluate-failed", "the model gave an embedding that is no number");
  }

  [Symbol.dispose](): void {
    this.#context.close();
  }
}

/**
 * How a model's tokens are pooled where nobody says: as its file says, else by the last token, the only one
 * that has seen all others. Throws where the file is made for something else.
 */
export function poolingOf(model: Model, wish: Pooling | null): Pooling {
  if (wish !== null) return wish;
  const own = Number(model.meta(`${model.architecture}.pooling_type`) ?? 0);
  if (own === RANK) {
    throw new Error(
      `${model.path} ranks documents, which is not served; --pooling last embeds with it anyway.`,
    );
  }
  for (const [name, number] of Object.entries(POOLINGS)) if (number === own) return name as Pooling;
  return "last";
}

const RANK = 4;
