/** One line at a terminal's end that is written over in place; what else is written comes above it. */
export class StatusLine {
  readonly #write: (text: string) => void;
  #shown = "";

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** One line, no wider than the terminal. Empty takes it away. */
  show(line: string): void {
    if (line === this.#shown) return;
    this.#write(`${this.#shown === "" ? "" : ERASE}${line}`);
    this.#shown = line;
  }

  /** Whole lines. */
  above(text: string): void {
    // In one write: a process that is stopped between two would show neither.
    this.#write(this.#shown === "" ? text : `${ERASE}${text}${this.#shown}`);
  }
}

/** To the line's start, and nothing behind it. */
export const ERASE = "\r\x1b[K";
