/**
 * A vector's first numbers, brought to one length: llama.cpp's ways of it, by its numbers and in its arithmetic. A
 * shortened vector is normalised as it is then, as OpenAI's `dimensions` do.
 */

/** `--embd-normalize` of llama.cpp; its default. */
export const EUCLIDEAN = 2;
export const NORMALISE_MAX = 64;
/** What the largest number becomes with 0: sixteen bits and a little room. */
const MAX_ABSOLUTE = 32_760;

/** `way`: -1 as it is, 0 by the largest number, 1 taxicab, 2 Euclidean, above that the p-norm. */
export function normalised(vector: Float32Array, size: number, way: number): Float32Array {
  const some = vector.subarray(0, size);
  if (way < 0) return some;
  const length = lengthOf(some, way);
  const factor = length > 0 ? Math.fround(1 / length) : 0;
  return some.map((value) => value * factor);
}

function lengthOf(vector: Float32Array, way: number): number {
  if (way === 0) return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / MAX_ABSOLUTE;
  if (way === EUCLIDEAN) return Math.sqrt(vector.reduce((sum, value) => sum + Math.fround(value * value), 0));
  return vector.reduce((sum, value) => sum + Math.abs(value) ** way, 0) ** (1 / way);
}
