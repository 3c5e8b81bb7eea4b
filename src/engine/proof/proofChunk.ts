/** What the tests of a device evaluate. */

/** Token ids that any vocabulary has, other at every position. */
export function testChunk(index: number, length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => 3 + ((i * 7 + index * 31) % 89));
}
