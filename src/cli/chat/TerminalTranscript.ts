/** A chat on a terminal, as it streams: reasoning dim, calls with their arguments, and a line on what it took. */
import { type Look, paint } from "../Look.ts";
import type { TurnWatch } from "./Conversation.ts";
import type { Delta, Reply, ToolCall } from "./messages.ts";
import { plainChars } from "./plainChars.ts";
import { turnLine } from "./turnLine.ts";

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
    const [first = "", ...rest] = `← ${text}`.split("\n");
    const isLong = rest.length > 0 || first.length >= columns;
    this.#line(isLong ? `${first.slice(0, Math.max(1, columns - 2))}…` : first, "cyan");
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
    this.#put(text, style);
    this.#put("\n");
  }

  #put(text: string, style?: "dim" | "red" | "yellow" | "cyan"): void {
    if (text === "") return;
    const plain = plainChars(text);
    this.#write(style === undefined ? plain : paint(this.#look(), style, plain));
    this.#lineOpen = !plain.endsWith("\n");
  }
}
