/** Growing little-endian buffer: what is put comes out of `bytes()` in order, with nothing between. */
export class ByteSink {
  #buffer = new Uint8Array(1 << 16);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  bytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  put(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  u32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: number | bigint): void {
    const at = this.#reserve(8);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  /** Room for `size` bytes, filled by `write` through a view of the whole buffer. */
  with(size: number, write: (view: DataView, at: number) => void): void {
    const at = this.#reserve(size);
    write(this.#view, at);
  }

  /** Length in bytes as u64, then UTF-8 without a terminator: GGUF's string. */
  string(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.u64(bytes.length);
    this.put(bytes);
  }

  /** Zero bytes up to the next multiple of `alignment`. */
  align(alignment: number): void {
    this.#reserve((alignment - (this.#length % alignment)) % alignment);
  }

  #reserve(size: number): number {
    const at = this.#length;
    const end = at + size;
    if (end > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(end, this.#buffer.length * 2));
      grown.set(this.#buffer);
      this.#buffer = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#length = end;
    return at;
  }
}
