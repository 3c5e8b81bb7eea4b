/** A chat on a terminal, as it streams: reasoning dim, calls with their arguments, and a line on what it took. */

import { wrap } from "../../base/wrap.ts";
import { type Look, paint } from "../Look.ts";
import type { TurnWatch } from "./Conversation.ts";
import { plainChars } from "./plainChars.ts";
import { turnLine } from "./turnLine.ts";
import type { Delta, Reply, ToolCall } from "./wireMessages.ts";

type Part = "nothing" | "reasoning" | "text" | "call";

export class TerminalTranscript implements TurnWatch {
  readonly #write: (text: string) => void;
  readonly #look: () => Look;
  #part: Part = "nothing";
  #lineOpen = false;

  /** `look` is asked anew for each line: terminals are resized. */
  constructor(write: (text: string) => void, look: () => Look) {
    this.#write = write;
    this.#look = look;
  }

  delta(delta: Delta): void {
    switch (delta.type) {
      case "reasoning":
        if (this.#begin("reasoning") && !this.#look().colour) this.#put("(thinks) ");
        this.#put(delta.text, "dim");
        break;
      case "text":
        this.#begin("text");
        this.#put(delta.text);
        break;
      case "call":
        this.#begin("nothing");
        this.#begin("call");
        this.#put(`→ ${delta.name} `, "cyan");
        break;
      case "arguments":
        this.#put(delta.text, "cyan");
    }
  }

  replied({ finish, why, report }: Reply): void {
    this.#begin("nothing");
    if (finish === "failed") this.#line(why ?? "It failed.", "red");
    if (finish === "stopped") this.#line("(stopped)", "yellow");
    if (finish === "length") this.#line("(cut off: the context or the limit is full)", "yellow");
    const line = turnLine(report);
    if (line !== "") this.#line(line, "dim");
  }

  result(_: ToolCall, text: string): void {
    const { columns } = this.#look();
    const [first = "", ...rest] = plainChars(`← ${text}`).split("\n");
    const fitting = fitted(first, Math.max(3, columns - 2));
    this.#line(rest.length > 0 || fitting !== first ? `${fitting}…` : first, "cyan");
  }

  notice(text: string): void {
    this.#begin("nothing");
    this.#line(text, "yellow");
  }

  /** True where another part begins. */
  #begin(part: Part): boolean {
    if (part === this.#part) return false;
    if (this.#lineOpen) this.#put("\n");
    this.#part = part;
    return true;
  }

  #line(text: string, style: "dim" | "red" | "yellow" | "cyan"): void {
    const columns = this.#look().columns - 1;
    for (const line of text.split("\n").flatMap((one) => wrap(one, columns))) {
      this.#put(line, style);
      this.#put("\n");
    }
  }

  #put(text: string, style?: "dim" | "red" | "yellow" | "cyan"): void {
    if (text === "") return;
    const plain = plainChars(text);
    this.#write(style === undefined ? plain : paint(this.#look(), style, plain));
    this.#lineOpen = !plain.endsWith("\n");
  }
}

/** As much of the beginning as is no wider; wide characters take two columns. */
function fitted(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const char of text) {
    width += Bun.stringWidth(char);
    if (width > columns) break;
    end += char.length;
  }
  return text.slice(0, end);
}
