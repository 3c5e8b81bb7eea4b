/**
 * The byte-level alphabet of GPT-2's tokenizer: each of the 256 bytes as one printable character. Printable
 * Latin-1 stands for itself; the other bytes, in order, for the characters from U+0100 on.
 */
const SYMBOLS: readonly string[] = makeSymbols();

function makeSymbols(): string[] {
  let spare = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : spare++);
  });
}

export function byteSymbol(byte: number): string {
  const symbol = SYMBOLS[byte];
  if (symbol === undefined) throw new RangeError(`${byte} is no byte`);
  return symbol;
}

/** One symbol for each UTF-8 byte of the text. */
export function byteSymbols(text: string): string[] {
  return Array.from(new TextEncoder().encode(text), byteSymbol);
}
