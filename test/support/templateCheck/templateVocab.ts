/** A vocabulary whose special tokens are whatever looks like a marker in a template, and those of the golden rows. */
import { FakeVocab } from "../FakeVocab.ts";

const MARKER =
  /<[|｜][^<>\s]{1,60}?[|｜]?>|<\/?[A-Za-z_][\w:.-]{0,40}[|｜]?>|\[\/?[A-Z][A-Z_ ]{1,30}\]|\][<~][a-z]?[\w:[\]]{0,12}\[?/g;
/** Tags of every second kind are USER_DEFINED, as tags of words are in most vocabularies. */
const IS_TAG = /^<\/?[a-z]/;

export const BOS = "<|BOS|>";
export const EOS = "<|EOS|>";

export function templateMarkers(source: string): string[] {
  const found = new Set([BOS, EOS, "<think>", "</think>", "<tool_call>", "</tool_call>"]);
  // Escapes in string literals would split a marker: `\n<tag>`.
  for (const [marker] of source.replace(/\\[nt]/g, "\n").matchAll(MARKER)) found.add(marker);
  return [...found];
}

export function templateVocab(source: string): FakeVocab {
  const markers = templateMarkers(source);
  return new FakeVocab({
    control: markers.filter((marker) => !IS_TAG.test(marker)),
    userDefined: markers.filter((marker) => IS_TAG.test(marker)),
    bos: BOS,
    eos: EOS,
  });
}
