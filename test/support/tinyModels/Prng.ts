/**
 * Seeded random numbers whose bits are the same on every machine: 32-bit integer arithmetic and exact sums
 * only, no transcendental function.
 */
export class Prng {
  #state: number;

  /** Different texts give unrelated streams (FNV-1a). */
  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(seed)) hash = Math.imul(hash ^ byte, 0x01000193);
    this.#state = hash >>> 0;
  }

  /** Uniform in 0 … 2³²-1 (a Weyl sequence through a 32-bit finaliser). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** Uniform in [0, 1). */
  uniform(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** Mean 0, deviation 1, within ±6: the sum of twelve uniforms, which is exact in doubles. */
  normal(): number {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += this.uniform();
    return sum;
  }
}
