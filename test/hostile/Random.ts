/** Draws from a seed: the same campaign again. */
import { Prng } from "../support/tinyModels/Prng.ts";

export class Random {
  readonly prng: Prng;

  constructor(seed: string) {
    this.prng = new Prng(seed);
  }

  below(count: number): number {
    return Math.floor(this.prng.uniform() * count);
  }

  /** True once in `count` times. */
  once(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.below(list.length)];
    if (one === undefined) throw new RangeError("nothing to pick from");
    return one;
  }
}
