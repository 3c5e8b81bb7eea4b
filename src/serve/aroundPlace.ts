/** The text around a token of a prompt, short enough for a line of JSON. */
import type { TextVocab } from "../run/TextVocab.ts";

const BEFORE = 6;
const BEHIND = 12;
const CHARACTERS_MAX = 120;

export function aroundPlace(vocab: Pick<TextVocab, "piece">, tokens: Int32Array, at: number): string {
  const pieces = [...tokens.subarray(Math.max(0, at - BEFORE), at + BEHIND)].map((token) =>
    vocab.piece(token),
  );
  // What is cut through at the edges becomes a replacement character.
  const text = new TextDecoder().decode(Buffer.concat(pieces));
  return [...text].slice(0, CHARACTERS_MAX).join("");
}
