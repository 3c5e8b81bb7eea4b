/**
 * Keys of kept states (I5): each names the plan and the machine up to a cut, not only the tokens. A key is
 * looked up, never trusted: whoever finds a hit compares the tokens as well.
 */

/** Starts a prompt's key chain: two tenants, or two setups, share no key. */
export function chainSeed(setup: bigint, tenant: string): bigint {
  return Bun.hash.xxHash64(new TextEncoder().encode(`tenant\0${tenant}`), setup);
}

/** Chains keys over the chunks of one prompt; chunks hold at most `chunkTokensMax` tokens. */
export class KeyChain {
  #key: bigint;
  /** Tokens of one chunk and the trip byte behind them, hashed in one go. */
  readonly #bytes: Uint8Array;

  constructor(seed: bigint, chunkTokensMax: number) {
    this.#key = seed;
    this.#bytes = new Uint8Array(chunkTokensMax * 4 + 1);
  }

  /** Key of the state after `tokens[from .. to)`, given that the chain stands at `from`. */
  next(tokens: Int32Array, from: number, to: number, trip: boolean): bigint {
    const size = (to - from) * 4;
    this.#bytes.set(new Uint8Array(tokens.buffer, tokens.byteOffset + from * 4, size));
    this.#bytes[size] = trip ? 1 : 0;
    this.#key = Bun.hash.xxHash64(this.#bytes.subarray(0, size + 1), this.#key);
    return this.#key;
  }
}
