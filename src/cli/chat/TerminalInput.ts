/**
 * Lines that a person types, with an editor and a history. From the first line to `close` the terminal is raw: what
 * is typed ahead waits for the next line without standing between the pieces of a reply, and Ctrl-C is a key. As a
 * signal it would reach the whole chain of `npx` and `bun run` in front of this program, which ends at the second.
 */
import { createInterface, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { PASTE_OFF, PASTE_ON, PasteFilter, withBreaks } from "./PasteFilter.ts";

const HISTORY_MAX = 500;

export class TerminalInput {
  readonly #input: ReadStream;
  readonly #keys = new PasteFilter();
  readonly #output: WriteStream;
  #history: string[] = [];
  /** Lines that came at once with the one that was asked for. */
  readonly #ahead: string[] = [];
  /** Ctrl-C at an empty line: the second one in a row leaves. */
  #leaving = false;

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input;
    this.#output = output;
    input.setRawMode(true);
    input.pipe(this.#keys);
  }

  /** While no line is read, Ctrl-C calls `stop`. Gives a function that ends that. */
  onInterrupt(stop: () => void): () => void {
    this.#keys.onInterrupt = stop;
    return () => {
      this.#keys.onInterrupt = null;
    };
  }

  /** The terminal is as it was. */
  close(): void {
    this.#input.setRawMode(false);
  }

  /** Null when the person leaves. */
  async readLine(prompt: string): Promise<string | null> {
    const line = this.#ahead.shift() ?? (await this.#edit(prompt));
    if (line === null) return null;
    this.#leaving = false;
    return withBreaks(line);
  }

  async #edit(prompt: string): Promise<string | null> {
    const editor = createInterface({
      input: this.#keys,
      output: this.#output,
      terminal: true,
      prompt,
      history: this.#history,
      historySize: HISTORY_MAX,
    });
    const typed: string[] = [];
    await new Promise<void>((resolve) => {
      editor.on("line", (line) => {
        typed.push(line);
        resolve();
      });
      editor.on("close", resolve);
      editor.on("history", (history) => {
        this.#history = [...history];
      });
      editor.on("SIGINT", () => {
        if (this.#interrupt(editor)) resolve();
      });
      this.#output.write(PASTE_ON);
      editor.prompt();
    });
    this.#output.write(typed.length === 0 ? `${PASTE_OFF}\n` : PASTE_OFF);
    editor.close();
    const [first = null, ...rest] = typed;
    this.#ahead.push(...rest);
    return first;
  }

  /** True where the person leaves. */
  #interrupt(editor: Interface): boolean {
    const isEmpty = editor.line === "";
    if (isEmpty && this.#leaving) return true;
    this.#leaving = isEmpty;
    // To the line's end, and away with it.
    editor.write(null, { ctrl: true, name: "e" });
    editor.write(null, { ctrl: true, name: "u" });
    if (isEmpty) this.#output.write("\n(Ctrl-C again or Ctrl-D leaves)\n");
    editor.prompt();
    return false;
  }
}
