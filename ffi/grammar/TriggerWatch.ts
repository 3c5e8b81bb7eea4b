/**
 * Reads a reply's bytes until the text comes that starts its grammar: behind the reasoning, if there is any.
 * Bytes are held as Latin-1 text, a character each.
 */
import type { GrammarTrigger } from "../../src/run/RunSpec.ts";

/** `start`: a skipped stretch may open here; `skip`: inside it; `text`: behind it; `off`: no start can come. */
interface Reading {
  readonly phase: "start" | "skip" | "text" | "off";
  /** What is not decided yet. */
  readonly pending: string;
}

export class TriggerWatch {
  readonly #text: string;
  readonly #onlyAtStart: boolean;
  readonly #skipStart: string;
  readonly #skipEnd: string;
  #at: Reading;

  constructor({ text, onlyAtStart, skip }: GrammarTrigger) {
    this.#text = latin1(text);
    this.#onlyAtStart = onlyAtStart;
    this.#skipStart = latin1(skip?.start ?? "");
    this.#skipEnd = latin1(skip?.end ?? "");
    const canSkip = skip !== null && this.#skipEnd !== "";
    const phase = canSkip && skip.opened ? "skip" : canSkip && this.#skipStart !== "" ? "start" : "text";
    this.#at = { phase, pending: "" };
  }

  /** The bytes from the grammar's start on, if it comes with these; else null. Changes nothing. */
  startIn(bytes: Uint8Array): Uint8Array | null {
    const { found } = this.#read(bytes);
    return found === null ? null : new Uint8Array(Buffer.from(found, "latin1"));
  }

  take(bytes: Uint8Array): void {
    this.#at = this.#read(bytes).at;
  }

  #read(bytes: Uint8Array): { readonly at: Reading; readonly found: string | null } {
    let { phase } = this.#at;
    let pending = this.#at.pending + Buffer.from(bytes).toString("latin1");
    if (phase === "start") {
      const body = pending.trimStart();
      if (body.startsWith(this.#skipStart)) {
        phase = "skip";
        pending = body.slice(this.#skipStart.length);
      } else if (this.#skipStart.startsWith(body)) return { at: { phase, pending }, found: null };
      else phase = "text";
    }
    if (phase === "skip") {
      const end = pending.indexOf(this.#skipEnd);
      if (end < 0) return { at: { phase, pending: tail(pending, this.#skipEnd) }, found: null };
      phase = "text";
      pending = pending.slice(end + this.#skipEnd.length);
    }
    if (phase === "off") return { at: this.#at, found: null };
    return this.#onlyAtStart ? this.#atStart(pending) : this.#anywhere(pending);
  }

  #anywhere(pending: string): { readonly at: Reading; readonly found: string | null } {
    const start = pending.indexOf(this.#text);
    if (start >= 0) return { at: { phase: "off", pending: "" }, found: pending.slice(start) };
    return { at: { phase: "text", pending: tail(pending, this.#text) }, found: null };
  }

  #atStart(pending: string): { readonly at: Reading; readonly found: string | null } {
    const body = pending.trimStart();
    if (body.startsWith(this.#text)) return { at: { phase: "off", pending: "" }, found: body };
    const mayCome = this.#text.startsWith(body);
    return { at: mayCome ? { phase: "text", pending: body } : { phase: "off", pending: "" }, found: null };
  }
}

function latin1(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** As much of the end as may belong to `wanted`. */
function tail(text: string, wanted: string): string {
  return text.slice(Math.max(0, text.length - wanted.length + 1));
}
