/**
 * What one render may cost, so that a template that never ends is refused instead of stopping the server. It counts
 * steps, not time: the same input is always either rendered or refused.
 */
import { wrong } from "./errors.ts";

/**
 * Loop rounds, calls and items made in one render. A conversation of 600 messages takes about 30,000; this many take
 * some seconds.
 */
const STEPS_MAX = 30_000_000;
/** A macro call costs as much as this many loop rounds. */
const CALL_STEPS = 20;
/** UTF-16 units in one text. The longest context windows hold about a tenth of this. */
const TEXT_MAX = 128 * 1024 * 1024;
/** Items in one list. A request has 20,000 messages at most. */
const ITEMS_MAX = 1_000_000;
/** Macros that call each other. Schemas nest 256 deep at most, and a macro may take two calls for a level. */
const DEPTH_MAX = 600;

export class Budget {
  #steps = 0;
  #depth = 0;

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > STEPS_MAX) throw wrong(`It took more than ${STEPS_MAX} steps.`);
  }

  /** Runs `work` one call deeper. */
  deeper<T>(work: () => T): T {
    this.spend(CALL_STEPS);
    if (this.#depth >= DEPTH_MAX) throw wrong(`Its macros call each other more than ${DEPTH_MAX} deep.`);
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}

/** A length that some text is about to have. */
export function checkedLength(length: number): number {
  if (length > TEXT_MAX) throw wrong(`It made a text longer than ${TEXT_MAX}.`);
  return length;
}

/** A length that some list is about to have. */
export function checkedItems(length: number): number {
  if (length > ITEMS_MAX) throw wrong(`It made a list longer than ${ITEMS_MAX}.`);
  return length;
}
