/**
 * Streams a part of the reply so that the deltas put together are what `replyMessage` gives: no white space
 * at the edges, nothing at all for a blank part. Where something else stands between two stretches of a part
 * (calls in a text, a text in reasoning), one line break stands between them in the message: protocols that give
 * each stretch a block of its own then get the same text back.
 */
import { isEdge } from "./replyMessage.ts";

export class EdgeTrimmer {
  #started = false;
  #held = "";
  #all = "";

  /** `continues`: the first stretch goes on from text that the client has, and has no edge there. */
  constructor(continues = false) {
    this.#started = continues;
  }

  /** Everything that was given out. */
  get all(): string {
    return this.#all;
  }

  push(text: string): string {
    const out = this.#trim(text);
    this.#all += out;
    return out;
  }

  /** A stretch has ended; what follows is a new one. */
  newStretch(): void {
    this.#started = false;
    this.#held = this.#all === "" ? "" : "\n";
  }

  #trim(text: string): string {
    let start = 0;
    if (!this.#started) {
      while (start < text.length && isEdge(text.charCodeAt(start))) start += 1;
      if (start === text.length) return "";
      this.#started = true;
    }
    let end = text.length;
    while (end > start && isEdge(text.charCodeAt(end - 1))) end -= 1;
    if (end === start) {
      this.#held += text.slice(start);
      return "";
    }
    const out = this.#held + text.slice(start, end);
    this.#held = text.slice(end);
    return out;
  }
}
