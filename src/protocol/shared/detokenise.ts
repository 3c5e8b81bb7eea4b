/** The text that tokens spell, special ones included; bytes that are no UTF-8 as U+FFFD. */
import type { TextVocab } from "../../run/TextVocab.ts";

export function detokenise(tokens: Iterable<number>, vocab: Pick<TextVocab, "piece">): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Buffer.concat(Array.from(tokens, (token) => vocab.piece(token))),
  );
}
