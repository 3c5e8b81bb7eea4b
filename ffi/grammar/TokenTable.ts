/**
 * The bytes of every token of a vocabulary, in order, so that tokens that begin alike are walked together.
 * Made once per model, when a grammar first has to look at the whole vocabulary.
 */
export class TokenTable {
  /** Token ids, ordered by their bytes; without tokens of no bytes and without ends. */
  readonly order: Int32Array;
  /** Bytes that token `order[i]` shares with the one before it. */
  readonly shared: Int32Array;
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
  }

  piece(token: number): Uint8Array {
    return this.#pieces[token] as Uint8Array;
  }
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
