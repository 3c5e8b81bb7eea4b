/**
 * Random tensors of one model. Each is drawn from its own stream (seed and name), so that a new tensor leaves
 * the others as they are. Dimension 0 of the residual stream is kept at a constant: nothing writes to it, so
 * the head can use it as a bias and make a random model speak in words.
 */
import type { FloatTensor } from "../gguf/writeGguf.ts";
import { Prng } from "./Prng.ts";
import type { Speech } from "./Vocabulary.ts";

/** Deviation of a word's logit; large, so that greedy choices are clear and sampling keeps to words. */
const LOGIT_DEVIATION = 3;
/** Bias of a token's logit, and how much of the random part it keeps. */
const SPEECH: Readonly<Record<Speech, { readonly bias: number; readonly noise: number }>> = {
  word: { bias: 0, noise: 1 },
  mark: { bias: -5, noise: 0.5 },
  tag: { bias: -16, noise: 0.1 },
  end: { bias: -18, noise: 0.1 },
  never: { bias: -30, noise: 0.1 },
};

export class Weights {
  readonly tensors: FloatTensor[] = [];
  readonly #seed: string;
  readonly #nEmbd: number;

  constructor(seed: string, nEmbd: number) {
    this.#seed = seed;
    this.#nEmbd = nEmbd;
  }

  /** `[nIn, nOut]`; keeps the size of what passes through, times `gain`. */
  linear(name: string, nIn: number, nOut: number, gain = 1): void {
    const deviation = gain / Math.sqrt(nIn);
    this.fill(name, [nIn, nOut], (random) => random.normal() * deviation);
  }

  /** A linear map back into the residual stream; leaves dimension 0 alone. */
  residual(name: string, nIn: number, gain: number): void {
    const deviation = gain / Math.sqrt(nIn);
    this.fill(name, [nIn, this.#nEmbd], (random, index) => {
      const value = random.normal() * deviation;
      return index < nIn ? 0 : value;
    });
  }

  /** Norm weights about `around`. */
  norm(name: string, size: number, around = 1): void {
    this.fill(name, [size], (random) => around * (1 + 0.1 * random.normal()));
  }

  /** Norm weights of a block's output on its way into the residual stream. */
  residualNorm(name: string, around: number): void {
    this.fill(name, [this.#nEmbd], (random, index) => {
      const value = around * (1 + 0.1 * random.normal());
      return index === 0 ? 0 : value;
    });
  }

  /** `scale` is what the architecture multiplies embeddings by. */
  embedding(name: string, nVocab: number, scale = 1): void {
    this.fill(name, [this.#nEmbd, nVocab], (random, index) => {
      const value = random.normal();
      return (index % this.#nEmbd === 0 ? 2 : value) / scale;
    });
  }

  /** The head of an untied model, which reads dimension 0 as its bias. */
  head(name: string, speech: readonly Speech[]): void {
    const n = this.#nEmbd;
    const deviation = LOGIT_DEVIATION / Math.sqrt(n);
    this.fill(name, [n, speech.length], (random, index) => {
      const { bias, noise } = SPEECH[speech[Math.floor(index / n)] ?? "never"];
      const value = random.normal() * deviation * noise;
      return index % n === 0 ? bias : value;
    });
  }

  fill(name: string, shape: readonly number[], value: (random: Prng, index: number) => number): void {
    const random = new Prng(`${this.#seed}/${name}`);
    const count = shape.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length: count }, (_, index) => value(random, index));
    this.tensors.push({ name, type: "f32", shape, data });
  }
}
