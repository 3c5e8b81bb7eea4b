/** The `Embedder` of a real model: a context on it, of one sequence, that generates nothing. */
import { Context, type ContextOptions, POOLINGS, type Pooling } from "../../ffi/Context.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import type { Model } from "../../ffi/Model.ts";
import { rankProblem } from "../../ffi/rankProblem.ts";
import { DeviceError } from "../run/Device.ts";
import type { EngineReady } from "../run/EngineReady.ts";
import type { Embedder } from "./EmbedQueue.ts";

export class LlamaEmbedder implements Embedder {
  /** What `ready` says of it. */
  readonly facts: Pick<EngineReady, "embeddings" | "ranking">;
  readonly #context: Context;

  private constructor(context: Context, pooling: Pooling) {
    const { embedTokens: tokensMax, model } = context;
    this.#context = context;
    this.facts =
      pooling === "rank"
        ? { embeddings: null, ranking: { tokensMax } }
        : { embeddings: { size: model.embeddingOut, tokensMax, pooling }, ranking: null };
  }

  /** Inputs of up to `ubatch` tokens: pooling needs all of an input in one evaluation. Throws FfiError. */
  static on(
    model: Model,
    pooling: Pooling,
    options: Omit<ContextOptions, "sequences" | "pooling">,
  ): LlamaEmbedder {
    return new LlamaEmbedder(Context.open(model, { ...options, sequences: 1, pooling }), pooling);
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

/** The model cannot do what it is started for; the message says what is missing, and what to do. */
export class PoolingError extends Error {
  override readonly name = "PoolingError";
}

/**
 * How a model's tokens are pooled where nobody says: as its file says; else by their mean where all see one another,
 * and by the last token where only that has seen all others. Throws PoolingError where
 * a model that cannot rank is to.
 */
export function poolingOf(model: Model, wish: Pooling | null): Pooling {
  const pooling = wish ?? ownPooling(model) ?? (model.isEncoder ? "mean" : "last");
  const problem = pooling === "rank" ? rankProblem(model) : null;
  if (problem === null) return pooling;
  throw new PoolingError(
    `${model.path} cannot rank: ${problem}. Leave out --rerank; --embeddings embeds with it.`,
  );
}

/** 0 stands for not saying, too. */
function ownPooling(model: Model): Pooling | undefined {
  const own = Number(model.meta(`${model.architecture}.pooling_type`) ?? 0);
  return (Object.keys(POOLINGS) as Pooling[]).find((name) => own !== 0 && POOLINGS[name] === own);
}
