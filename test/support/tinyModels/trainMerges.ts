/**
 * Byte-pair merges learnt from a text, deterministically: the most frequent neighbouring pair first, ties by
 * spelling. Symbols are in the byte-level alphabet, and no merge crosses a word's edge.
 */
import { byteSymbols } from "./byteAlphabet.ts";

export interface Merge {
  readonly left: string;
  readonly right: string;
}

export function trainMerges(text: string, count: number): readonly Merge[] {
  const words = countWords(text);
  const merges: Merge[] = [];
  const made = new Set<string>();
  while (merges.length < count) {
    const merge = mostFrequentPair(words, made);
    if (merge === undefined) throw new Error(`the text gives only ${merges.length} merges of ${count}`);
    merges.push(merge);
    made.add(merge.left + merge.right);
    for (const word of words) word.symbols = join(word.symbols, merge);
  }
  return merges;
}

interface Word {
  symbols: readonly string[];
  readonly times: number;
}

/** A word takes the one space before it, as byte-level pre-tokenisers split. */
function countWords(text: string): Word[] {
  const times = new Map<string, number>();
  for (const word of text.match(/ ?[A-Za-z]+|["{}[\]:,.]+ ?/g) ?? []) {
    times.set(word, (times.get(word) ?? 0) + 1);
  }
  return [...times].map(([word, n]) => ({ symbols: byteSymbols(word), times: n }));
}

/** A pair whose joined spelling exists already is passed over: every token has one spelling. */
function mostFrequentPair(words: readonly Word[], made: ReadonlySet<string>): Merge | undefined {
  const counts = new Map<string, { merge: Merge; times: number }>();
  for (const { symbols, times } of words) {
    for (let i = 1; i < symbols.length; i++) {
      const left = symbols[i - 1] ?? "";
      const right = symbols[i] ?? "";
      if (made.has(left + right)) continue;
      const key = `${left} ${right}`;
      const seen = counts.get(key);
      if (seen === undefined) counts.set(key, { merge: { left, right }, times });
      else seen.times += times;
    }
  }
  let best: { key: string; merge: Merge; times: number } | undefined;
  for (const [key, { merge, times }] of counts) {
    if (best === undefined || times > best.times || (times === best.times && key < best.key)) {
      best = { key, merge, times };
    }
  }
  return best?.merge;
}

function join(symbols: readonly string[], merge: Merge): readonly string[] {
  const joined: string[] = [];
  for (let i = 0; i < symbols.length; i++) {
    const symbol = symbols[i] ?? "";
    if (symbol === merge.left && symbols[i + 1] === merge.right) {
      joined.push(symbol + merge.right);
      i++;
    } else {
      joined.push(symbol);
    }
  }
  return joined;
}
