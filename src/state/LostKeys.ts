/** Keys of states that were kept and are gone: lets a response say "evicted" instead of "cold". */
const LOST_KEYS_MAX = 4096;

export class LostKeys {
  readonly #keys = new Set<bigint>();

  add(key: bigint): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= LOST_KEYS_MAX) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  /** Chunks of the longest lost state of these keys, 0 where none was lost. */
  longest(keys: BigUint64Array): number {
    for (let index = keys.length; index > 0; index--) {
      const key = keys[index - 1];
      if (key !== undefined && this.#keys.has(key)) return index;
    }
    return 0;
  }
}
