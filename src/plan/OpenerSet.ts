/** Token sequences to look for, found by their first token: one look-up for each token that opens nothing. */
export class OpenerSet {
  /** Sequences by first token, longest first. */
  readonly #byFirst = new Map<number, (readonly number[])[]>();
  readonly isEmpty: boolean;

  constructor(openers: readonly (readonly number[])[]) {
    for (const opener of [...openers].sort((a, b) => b.length - a.length)) {
      const first = opener[0];
      if (first === undefined) continue;
      const same = this.#byFirst.get(first);
      if (same === undefined) this.#byFirst.set(first, [opener]);
      else same.push(opener);
    }
    this.isEmpty = this.#byFirst.size === 0;
  }

  /** Rules are fixed for a run, so each list of openers is prepared once. */
  static of(openers: readonly (readonly number[])[]): OpenerSet {
    let set = PREPARED.get(openers);
    if (set === undefined) {
      set = new OpenerSet(openers);
      PREPARED.set(openers, set);
    }
    return set;
  }

  startingWith(token: number): readonly (readonly number[])[] | undefined {
    return this.#byFirst.get(token);
  }
}

const PREPARED = new WeakMap<readonly (readonly number[])[], OpenerSet>();

/**
 * Length of the longest opener at `at`, 0 where there is none; "undecided" where none matches yet and one
 * would if the tokens went on.
 */
export function matchAt(set: OpenerSet, tokens: ArrayLike<number>, at: number): number | "undecided" {
  const openers = set.startingWith(tokens[at] ?? -1);
  if (openers === undefined) return 0;
  let undecided = false;
  for (const opener of openers) {
    const there = Math.min(opener.length, tokens.length - at);
    let same = 1;
    while (same < there && tokens[at + same] === opener[same]) same++;
    if (same === opener.length) return same;
    if (same === there && there < opener.length) undecided = true;
  }
  return undecided ? "undecided" : 0;
}
