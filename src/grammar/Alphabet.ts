/**
 * The code points that an expression tells apart, as classes: two that are in the same of its sets are one letter
 * to an automaton, however many ranges its sets have.
 */
import { type CharRange, type CharSet, charSet } from "./CharSet.ts";
import { pieces } from "./Dfa.ts";
import { spend } from "./Work.ts";

export class Alphabet {
  readonly #sets: CharSet[] = [];
  readonly #classes = new Map<CharSet, readonly number[]>();

  /** `sets` are told apart by identity. */
  constructor(sets: readonly CharSet[]) {
    spend(sets.reduce((sum, set) => sum + set.length, 0));
    const parts = pieces(sets);
    const holders = parts.map((): number[] => []);
    for (const [index, set] of sets.entries()) {
      let at = 0;
      for (const [low, high] of set) {
        at = firstFrom(parts, at, low);
        for (let part = parts[at]; part !== undefined && part[0] <= high; part = parts[++at]) {
          holders[at]?.push(index);
        }
      }
      spend(at);
    }
    const numbers = new Map<string, number>();
    const ranges: CharRange[][] = [];
    const classes = sets.map((): number[] => []);
    for (const [at, part] of parts.entries()) {
      const key = (holders[at] ?? []).join();
      const known = numbers.get(key) ?? ranges.push([]) - 1;
      ranges[known]?.push(part);
      if (numbers.has(key)) continue;
      numbers.set(key, known);
      for (const index of holders[at] ?? []) classes[index]?.push(known);
    }
    for (const one of ranges) this.#sets.push(charSet(one));
    for (const [index, set] of sets.entries()) this.#classes.set(set, classes[index] ?? []);
  }

  get size(): number {
    return this.#sets.length;
  }

  /** Classes that one of the given sets is made of. */
  classesOf(set: CharSet): readonly number[] {
    return this.#classes.get(set) ?? [];
  }

  setOf(index: number): CharSet {
    return this.#sets[index] ?? [];
  }
}

/** The first piece from `from` on that does not end before `low`. */
function firstFrom(parts: readonly CharRange[], from: number, low: number): number {
  let [a, b] = [from, parts.length];
  while (a < b) {
    const middle = (a + b) >> 1;
    if ((parts[middle]?.[1] ?? 0) < low) a = middle + 1;
    else b = middle;
  }
  return a;
}
