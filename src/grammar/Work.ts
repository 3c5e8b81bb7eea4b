/**
 * The work of making one grammar, counted and not timed: a schema comes with a request and is compiled on the
 * thread that serves all of them, so that the same schema is always either compiled soon or refused.
 */

/** Its message follows the name of a keyword. */
export class DfaTooLarge extends Error {
  override readonly name = "DfaTooLarge";
  constructor(message = "is too large for a grammar") {
    super(message);
  }
}

/**
 * Steps of automata, characters of literals, ranges of classes: some tenths of a second for all of them on a slow
 * core. A hundred tools of real clients take a tenth of that.
 */
export const SCHEMA_WORK_MAX = 2_500_000;

/** What is left to the grammar at hand; outside of one, to single automata such as those of known formats. */
let left = Number.POSITIVE_INFINITY;

/** Runs `make`, which is not asynchronous, with a budget of its own; inside another one, with what that has left. */
export function withinWork<T>(make: () => T, max = SCHEMA_WORK_MAX): T {
  if (left !== Number.POSITIVE_INFINITY) return make();
  left = max;
  try {
    return make();
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Runs `make` uncounted: what is kept from request to request must not cost one of them more than another. */
export function beyondWork<T>(make: () => T): T {
  const before = left;
  left = Number.POSITIVE_INFINITY;
  try {
    return make();
  } finally {
    left = before;
  }
}

/** @throws DfaTooLarge where nothing is left, from then on each time. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new DfaTooLarge("takes too much work to compile");
}
