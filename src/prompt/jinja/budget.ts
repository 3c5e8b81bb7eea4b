/**
 * What one render may cost, so that a template that never ends is refused instead of stopping the server. It counts
 * steps, not time: the same input is always either rendered or refused.
 */
import { wrong } from "./errors.ts";

/**
 * Loop rounds, calls and items made in one render. A conversation of 600 messages takes about 30,000; this many take
 * some seconds.
 */
export const STEPS_MAX = 30_000_000;
/** UTF-16 units in one text. The longest context windows hold about a tenth of this. */
export const TEXT_MAX = 128 * 1024 * 1024;
/** Macros that call each other. Schemas nest 256 deep at most, and a macro may take two calls for a level. */
export const DEPTH_MAX = 600;

export class Budget {
  #steps = 0;
  #depth = 0;

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > STEPS_MAX) throw wrong(`It took more than ${STEPS_MAX} steps.`);
  }

  /** Runs `work` one call deeper. */
  deeper<T>(work: () => T): T {
    this.spend(1);
    if (this.#depth >= DEPTH_MAX) throw wrong(`Its macros call each other more than ${DEPTH_MAX} deep.`);
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}

/** A length that some text or list is about to have. */
export function checkedLength(length: number): number {
  if (length > TEXT_MAX) throw wrong(`It made a text or list longer than ${TEXT_MAX}.`);
  return length;
}
