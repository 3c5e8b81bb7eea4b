/**
 * Streams a part of the reply so that the deltas put together are what `replyMessage` gives: no white space
 * at the edges, nothing at all for a blank part.
 */
import { isEdge } from "./replyMessage.ts";

export class EdgeTrimmer {
  #started = false;
  #held = "";
  #all = "";

  /** Everything that was pushed, untrimmed. */
  get all(): string {
    return this.#all;
  }

  push(text: string): string {
    this.#all += text;
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
