/** Token bytes to text: a character that spans tokens comes out whole, bytes that are no UTF-8 as U+FFFD. */
export class ReplyDecoder {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  push(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** What is left of an unfinished character. */
  end(): string {
    return this.#decoder.decode();
  }
}
