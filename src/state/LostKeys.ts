/** Keys of states that were kept and are gone: lets a response say "evicted" instead of "cold". */
const LOST_KEYS_MAX = 4096;

export class LostKeys {
  /** Key → tenant. */
  readonly #keys = new Map<bigint, string>();

  add(key: bigint, tenant: string): void {
    this.#keys.delete(key);
    this.#keys.set(key, tenant);
    if (this.#keys.size <= LOST_KEYS_MAX) return;
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest);
      return;
    }
  }

  /** Chunks of the tenant's longest lost state of these keys, 0 where none was lost. */
  longest(keys: BigUint64Array, tenant: string): number {
    for (let index = keys.length; index > 0; index--) {
      const key = keys[index - 1];
      if (key !== undefined && this.#keys.get(key) === tenant) return index;
    }
    return 0;
  }
}
