/**
 * Stop strings over a stream of text: what could still become one is held back, and the one that is complete
 * first ends the text in front of it. However the text is split, the result is the same.
 */
export class StopFilter {
  readonly #stops: readonly string[];
  #held = "";
  #cutChars = 0;
  #hit: string | null = null;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** Whether there is anything to look for. */
  get isWatching(): boolean {
    return this.#stops.length > 0;
  }

  /** The stop string that ended the text, or null. */
  get hit(): string | null {
    return this.#hit;
  }

  /** Characters that have come and were not passed on: what may become a stop string, or is behind the start of one. */
  get heldChars(): number {
    return this.#held.length + this.#cutChars;
  }

  /** Text that is safe to pass on. A stop string counts only if it ends behind the first `from` characters of `text`. */
  push(text: string, from = 0): string {
    if (this.#hit !== null) return "";
    if (this.#stops.length === 0) return text;
    const all = this.#held + text;
    const found = firstComplete(all, this.#stops, this.#held.length + from);
    if (found !== null) {
      this.#hit = found.stop;
      this.#held = "";
      this.#cutChars = all.length - found.at;
      return all.slice(0, found.at);
    }
    const hold = heldLength(all, this.#stops);
    this.#held = all.slice(all.length - hold);
    return all.slice(0, all.length - hold);
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** The occurrence that ends first; of those that end together, the longest. */
function firstComplete(
  text: string,
  stops: readonly string[],
  from: number,
): { stop: string; at: number } | null {
  let best: { stop: string; at: number } | null = null;
  for (const stop of stops) {
    const at = text.indexOf(stop, Math.max(0, from - stop.length + 1));
    if (at < 0) continue;
    const end = at + stop.length;
    const bestEnd = best === null ? Number.POSITIVE_INFINITY : best.at + best.stop.length;
    if (end < bestEnd || (end === bestEnd && best !== null && at < best.at)) best = { stop, at };
  }
  return best;
}

function heldLength(text: string, stops: readonly string[]): number {
  let hold = 0;
  for (const stop of stops) hold = Math.max(hold, partialTail(text, stop));
  return hold;
}

/** Length of the longest end of `text` that is a proper start of `mark`. */
export function partialTail(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}
