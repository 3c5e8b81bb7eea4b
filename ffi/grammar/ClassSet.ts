/**
 * The classes that may come next at a place, as groups of characters: those of a group match the same classes, and
 * lead to the same place. Places of one grammar share few such sets, so that a new place looks no class up.
 */
import { type CharacterClass, matchesClass } from "./Grammar.ts";

/** The group of characters that match no class. */
export const NO_GROUP = 0;

/** Code points remembered beyond ASCII: a whole vocabulary holds tens of thousands, and sets are kept with a walk. */
const OTHERS_MAX = 4_096;

export class ClassSet {
  readonly #classes: readonly CharacterClass[];
  /** By code point, once it has been asked for. */
  readonly #ascii: (number | undefined)[] = new Array(128).fill(undefined);
  readonly #others = new Map<number, number>();
  readonly #byMatch = new Map<string, number>([["", NO_GROUP]]);
  /** Classes that a group matches, as places in the list that the set was made of. */
  readonly #members: (readonly number[])[] = [[]];

  constructor(classes: readonly CharacterClass[]) {
    this.#classes = classes;
  }

  groupOf(codePoint: number): number {
    const known = codePoint < 128 ? this.#ascii[codePoint] : this.#others.get(codePoint);
    if (known !== undefined) return known;
    const group = this.#find(codePoint);
    if (codePoint < 128) {
      this.#ascii[codePoint] = group;
      return group;
    }
    if (this.#others.size >= OTHERS_MAX) this.#others.clear();
    this.#others.set(codePoint, group);
    return group;
  }

  members(group: number): readonly number[] {
    return this.#members[group] ?? [];
  }

  #find(codePoint: number): number {
    const members: number[] = [];
    for (const [at, one] of this.#classes.entries()) if (matchesClass(one, codePoint)) members.push(at);
    const match = members.join();
    const known = this.#byMatch.get(match);
    if (known !== undefined) return known;
    const group = this.#members.length;
    this.#members.push(members);
    this.#byMatch.set(match, group);
    return group;
  }
}
