/**
 * The bytes of every token of a vocabulary, in order, so that tokens that begin alike are walked together.
 * Made once per model, when a grammar first has to look at the whole vocabulary.
 */
export class TokenTable {
  /** Token ids, ordered by their bytes; without tokens of no bytes and without ends. */
  readonly order: Int32Array;
  /** Bytes that token `order[i]` shares with the one before it. */
  readonly shared: Int32Array;
  /** `starts[b]` is the first place of a token whose first byte is `b` or greater; 257 of them. */
  readonly starts: Int32Array;
  /** `jumps[n - 1][i]` is the next place whose token shares fewer than `n` bytes with the one before it. */
  readonly jumps: readonly Int32Array[];
  readonly #pieces: readonly Uint8Array[];
  readonly ends: readonly number[];
  readonly size: number;

  constructor(size: number, piece: (token: number) => Uint8Array, isEnd: (token: number) => boolean) {
    const pieces = Array.from({ length: size }, (_, token) => piece(token));
    const ends: number[] = [];
    const keys: string[] = [];
    for (const [token, bytes] of pieces.entries()) {
      if (isEnd(token)) ends.push(token);
      else if (bytes.length > 0) keys.push(`${latin1(bytes)}${BEHIND}${token}`);
    }
    /* Plain strings, a character a byte, the token behind them: sorted without a call for each comparison. */
    const tokens = keys.sort().map((key) => Number(key.slice(key.indexOf(BEHIND) + 1)));
    const bytesOf = (token: number) => pieces[token] as Uint8Array;
    this.size = size;
    this.ends = ends;
    this.#pieces = pieces;
    this.order = Int32Array.from(tokens);
    this.shared = Int32Array.from(tokens, (token, index) => {
      const before = tokens[index - 1];
      return before === undefined ? 0 : commonLength(bytesOf(before), bytesOf(token));
    });
    this.starts = new Int32Array(257).fill(tokens.length);
    for (let index = 0, byte = 0; index < tokens.length; index++) {
      const first = bytesOf(tokens[index] ?? 0)[0] ?? 0;
      while (byte <= first) this.starts[byte++] = index;
    }
    this.jumps = Array.from({ length: JUMP_BYTES }, (_, index) => jumpsOf(this.shared, index + 1));
  }

  piece(token: number): Uint8Array {
    return this.#pieces[token] as Uint8Array;
  }
}

/** Bytes up to which what begins alike is passed over at once. */
const JUMP_BYTES = 4;

function jumpsOf(shared: Int32Array, bytes: number): Int32Array {
  const jumps = new Int32Array(shared.length);
  let next = shared.length;
  for (let index = shared.length - 1; index >= 0; index--) {
    jumps[index] = next;
    if ((shared[index] ?? 0) < bytes) next = index;
  }
  return jumps;
}

/** Greater than any byte. */
const BEHIND = "\u0100";

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function commonLength(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}
