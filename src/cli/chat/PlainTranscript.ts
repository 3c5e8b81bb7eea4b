/** A chat for scripts: the replies' text alone on one stream, calls and what each reply took on the other. */
import type { TurnWatch } from "./Conversation.ts";
import { turnLine } from "./turnLine.ts";
import type { Delta, Reply, ToolCall } from "./wireMessages.ts";

export class PlainTranscript implements TurnWatch {
  readonly #text: (text: string) => void;
  readonly #notes: (line: string) => void;
  #lineOpen = false;

  constructor(text: (text: string) => void, notes: (line: string) => void) {
    this.#text = text;
    this.#notes = notes;
  }

  delta(delta: Delta): void {
    if (delta.type !== "text") return;
    this.#text(delta.text);
    this.#lineOpen = !delta.text.endsWith("\n");
  }

  replied({ message, finish, why, report }: Reply): void {
    if (this.#lineOpen) this.#text("\n");
    this.#lineOpen = false;
    for (const { function: called } of message.tool_calls ?? [])
      this.#notes(`→ ${called.name} ${called.arguments}`);
    if (why !== null) this.#notes(why);
    else if (finish === "length") this.#notes("(cut off: the context or the limit is full)");
    const line = turnLine(report);
    if (line !== "") this.#notes(line);
  }

  result(_: ToolCall, text: string): void {
    this.#notes(`← ${text}`);
  }

  notice(text: string): void {
    this.#notes(text);
  }
}
