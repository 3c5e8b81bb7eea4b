/** Lists of tokens by place, the last ones used as far as their sum allows. */

/** Four bytes each: four megabytes a grammar. */
const TOKENS_MAX = 1_000_000;

export class TokenLists {
  readonly #lists = new Map<number, Int32Array>();
  #tokens = 0;

  get(place: number): Int32Array | undefined {
    const list = this.#lists.get(place);
    if (list === undefined) return undefined;
    this.#lists.delete(place);
    this.#lists.set(place, list);
    return list;
  }

  /** One that is there already is not set again. */
  set(place: number, list: Int32Array): void {
    if (list.length > TOKENS_MAX) return;
    this.#lists.set(place, list);
    this.#tokens += list.length;
    for (const [oldest, { length }] of this.#lists) {
      if (this.#tokens <= TOKENS_MAX) return;
      this.#lists.delete(oldest);
      this.#tokens -= length;
    }
  }
}
