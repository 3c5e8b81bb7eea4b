/** Random weights in ggml's Q4_0 blocks, and in f32: what a benchmark's model is made of. */
import type { GgufTensor } from "../../test/support/gguf/writeGguf.ts";
import { Prng } from "../../test/support/tinyModels/Prng.ts";

/** ggml's Q4_0: 32 weights in 18 bytes, an f16 scale and 16 bytes of two 4-bit numbers each (ggml-common.h). */
const BLOCK = { weights: 32, bytes: 18 } as const;
/** Deviation of a 4-bit number about its middle, in steps. */
const STEP_DEVIATION = 4.6;

/** `[nIn, nOut]`; keeps the size of what passes through, times `gain`. `nIn` is a multiple of 32. */
export function randomLinear(name: string, nIn: number, nOut: number, gain = 1): GgufTensor {
  const blocks = (nIn * nOut) / BLOCK.weights;
  const bytes = new Uint8Array(blocks * BLOCK.bytes);
  const words = new Float16Array(1);
  words[0] = gain / Math.sqrt(nIn) / STEP_DEVIATION;
  const [low = 0, high = 0] = new Uint8Array(words.buffer);
  const random = new Prng(name);
  for (let at = 0; at < bytes.length; at += BLOCK.bytes) {
    bytes[at] = low;
    bytes[at + 1] = high;
    for (let i = 2; i < BLOCK.bytes; i += 4) {
      const word = random.next();
      bytes[at + i] = word;
      bytes[at + i + 1] = word >>> 8;
      bytes[at + i + 2] = word >>> 16;
      bytes[at + i + 3] = word >>> 24;
    }
  }
  return { name, type: "q4_0", shape: [nIn, nOut], data: bytes };
}

/** In f32, about `around`. */
export function randomVector(
  name: string,
  shape: readonly number[],
  around: number,
  spread = 0.1,
): GgufTensor {
  const random = new Prng(name);
  const count = shape.reduce((product, size) => product * size, 1);
  const data = Float32Array.from({ length: count }, () => around + spread * random.normal());
  return { name, type: "f32", shape, data };
}
