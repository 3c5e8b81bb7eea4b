/**
 * What is typed, with the line breaks of a paste as a sign, so that a line editor takes the whole paste as one
 * line (terminals mark a paste when they are asked to), and without a Ctrl-C that is for whoever listens.
 */
import { Transform, type TransformCallback } from "node:stream";

export const PASTE_ON = "\x1b[?2004h";
export const PASTE_OFF = "\x1b[?2004l";
/** Stands for a pasted line break until the line is taken. */
const BREAK_SIGN = "⏎";

const START = "\x1b[200~";
const END = "\x1b[201~";
/** Ctrl-C in raw mode. */
const INTERRUPT = "\x03";

export class PasteFilter extends Transform {
  readonly isTTY = true;
  /** Takes each Ctrl-C that is typed; null leaves it to the line editor. */
  onInterrupt: (() => void) | null = null;
  readonly #decoder = new TextDecoder();
  /** The beginning of a mark whose end has not come yet. */
  #held = "";
  #pasting = false;
  #afterReturn = false;

  /** Asked for by the line editor; the terminal's mode is not its own affair. */
  setRawMode(): this {
    return this;
  }

  override _transform(bytes: Uint8Array, _: BufferEncoding, done: TransformCallback): void {
    let text = this.#held + this.#decoder.decode(bytes, { stream: true });
    let out = "";
    for (;;) {
      const mark = this.#pasting ? END : START;
      const at = text.indexOf(mark);
      if (at < 0) break;
      out += this.#through(text.slice(0, at));
      text = text.slice(at + mark.length);
      this.#pasting = !this.#pasting;
      this.#afterReturn = false;
    }
    const held = heldChars(text, this.#pasting ? END : START);
    this.#held = text.slice(text.length - held);
    out += this.#through(text.slice(0, text.length - held));
    done(null, out === "" ? undefined : out);
  }

  #withoutInterrupts(text: string): string {
    if (this.onInterrupt === null || !text.includes(INTERRUPT)) return text;
    this.onInterrupt();
    return text.replaceAll(INTERRUPT, "");
  }

  #through(text: string): string {
    if (!this.#pasting) return this.#withoutInterrupts(text);
    // A line break may be two characters, and they may come apart.
    const whole = this.#afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.#afterReturn = text.endsWith("\r");
    return whole.replace(/\r\n|\r|\n/g, BREAK_SIGN);
  }
}

/** The line as it was pasted. */
export function withBreaks(line: string): string {
  return line.replaceAll(BREAK_SIGN, "\n");
}

/** How many characters at the end may be the beginning of `mark`. */
function heldChars(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (mark.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}
