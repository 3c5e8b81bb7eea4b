/**
 * What a server writes to stderr, line by line, without the banner that the runtime prints when the process dies:
 * that one says the fault is the runtime's, which it is not. What was said last is kept for the log.
 */

const LAST_LINES_MAX = 8;
const LINE_CHARS_MAX = 4_096;

export class StderrLines {
  readonly #write: (text: string) => void;
  readonly #decoder = new TextDecoder();
  readonly #last: string[] = [];
  #rest = "";
  /** A line that may be the banner's first. */
  #held: string | null = null;
  #isBanner = false;
  #fault: string | null = null;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  push(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-LINE_CHARS_MAX);
    for (const line of lines) this.#take(line);
  }

  end(): void {
    if (this.#rest !== "") this.#take(this.#rest);
    this.#rest = "";
    if (this.#held !== null) this.#pass(this.#held);
    this.#held = null;
  }

  /** The last lines that are worth telling, oldest first. */
  get last(): readonly string[] {
    return this.#last;
  }

  /** What the runtime said that killed the process, such as `Segmentation fault at address 0x8`. */
  get fault(): string | null {
    return this.#fault;
  }

  #take(line: string): void {
    if (this.#isBanner) {
      this.#fault ??= /^panic\([^)]*\): (.*)$/.exec(line)?.[1] ?? null;
      return;
    }
    const held = this.#held;
    this.#held = null;
    if (held !== null) {
      if (/^Bun v\d/.test(line)) {
        this.#isBanner = true;
        return;
      }
      this.#pass(held);
    }
    if (/^={40,}$/.test(line)) this.#held = line;
    else this.#pass(line);
  }

  #pass(line: string): void {
    this.#write(`${line}\n`);
    if (line.trim() === "") return;
    this.#last.push(line.slice(0, LINE_CHARS_MAX));
    if (this.#last.length > LAST_LINES_MAX) this.#last.shift();
  }
}
