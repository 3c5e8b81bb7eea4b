/** Counts right and wrong per measure, and keeps what went wrong for the reader. */
export class Tally {
  readonly #counts = new Map<string, { right: number; all: number }>();
  readonly notes: string[] = [];

  add(measure: string, right: boolean): void {
    const count = this.#counts.get(measure) ?? { right: 0, all: 0 };
    this.#counts.set(measure, { right: count.right + (right ? 1 : 0), all: count.all + 1 });
  }

  note(text: string): void {
    this.notes.push(text);
  }

  /** In percent; null where nothing was measured. */
  percent(measure: string): number | null {
    const count = this.#counts.get(measure);
    return count === undefined ? null : (100 * count.right) / count.all;
  }

  /** `190/200 95.0 %`. */
  words(measure: string): string {
    const count = this.#counts.get(measure);
    if (count === undefined) return "-";
    return `${count.right}/${count.all} ${((100 * count.right) / count.all).toFixed(1)} %`;
  }
}
