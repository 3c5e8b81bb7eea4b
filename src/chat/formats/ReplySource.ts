/**
 * A reply's text as its readers see it: they are coroutines that ask for what they need and wait where it has
 * not come yet. Every question is answered from the text alone, never from how it was split. What has been
 * taken is dropped, so that no text is looked at twice but for the few characters that may become a mark.
 */
import { partialTail } from "../replyStop.ts";

/** A coroutine of the reader; it yields where it waits for text. */
export type Step<T> = Generator<undefined, T, undefined>;

export class ReplySource {
  #text = "";
  #at = 0;
  #ended = false;
  #record: string[] | null = null;

  push(text: string): void {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
  }

  end(): void {
    this.#ended = true;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** All text that has come and was not taken. */
  get rest(): string {
    if (this.#at > 0) this.push("");
    return this.#text;
  }

  take(chars: number): string {
    const taken = this.#text.slice(this.#at, this.#at + chars);
    this.#at += taken.length;
    this.#record?.push(taken);
    return taken;
  }

  /** From here on `recorded` tells what was taken, until it is asked or `forget` is called. */
  record(start = ""): void {
    this.#record = [start];
  }

  recorded(): string {
    const text = this.#record?.join("") ?? "";
    this.#record = null;
    return text;
  }

  forget(): void {
    this.#record = null;
  }

  /** The next character, or "" at the end; nothing is taken. */
  *peek(): Step<string> {
    while (this.#at >= this.#text.length) {
      if (this.#ended) return "";
      yield;
    }
    return this.#text.charAt(this.#at);
  }

  /** Whether `literal` comes next; nothing is taken. */
  *starts(literal: string): Step<boolean> {
    for (;;) {
      const have = this.#text.slice(this.#at, this.#at + literal.length);
      if (have === literal) return true;
      if (!literal.startsWith(have) || this.#ended) return false;
      yield;
    }
  }

  /** Takes `literal` if it comes next. */
  *match(literal: string): Step<boolean> {
    if (!(yield* this.starts(literal))) return false;
    this.take(literal.length);
    return true;
  }

  /** Takes the words in order, with any white space or none in front of each; false at the first that differs. */
  *words(words: readonly string[]): Step<boolean> {
    for (const word of words) {
      yield* this.space();
      if (!(yield* this.match(word))) return false;
    }
    return true;
  }

  /** Takes what there is of closing words, white space in front of each included; a cut-off last one too. */
  *closing(words: readonly string[]): Step<void> {
    for (const word of words) {
      yield* this.space();
      if ((yield* this.match(word)) || (yield* this.match(singular(word))) || !this.#ended) continue;
      const { rest } = this;
      if (word.startsWith(rest)) this.take(rest.length);
    }
  }

  /** Takes white space. */
  *space(): Step<string> {
    let out = "";
    for (;;) {
      const have = /^[ \t\r\n]*/.exec(this.rest)?.[0] ?? "";
      out += this.take(have.length);
      if (this.#at < this.#text.length || this.#ended) return out;
      yield;
    }
  }

  /**
   * Passes on all text in front of the first of `marks` and says which it is; the mark is not taken. Null where
   * the text ends, or `charsMax` of it were passed on, without one.
   */
  *until(
    marks: readonly string[],
    emit: (text: string) => void,
    charsMax = Number.POSITIVE_INFINITY,
  ): Step<string | null> {
    let passed = 0;
    for (;;) {
      const { rest } = this;
      const found = firstMark(rest, marks, this.#ended);
      const left = charsMax - passed;
      const safe = Math.min(found.at, left);
      if (safe > 0) emit(this.take(safe));
      passed += safe;
      if (found.mark !== null && found.at <= left) return found.mark;
      if (passed >= charsMax || (this.#ended && found.mark === null)) return null;
      yield;
    }
  }
}

/** The first mark, or the place from which the text may still become one. */
function firstMark(
  text: string,
  marks: readonly string[],
  ended: boolean,
): { at: number; mark: string | null } {
  let mark: string | null = null;
  let at = text.length;
  for (const one of marks) {
    const found = text.indexOf(one);
    if (found < 0 || found > at) continue;
    if (found < at || mark === null || one.length > mark.length) mark = one;
    at = found;
  }
  if (ended) return { at, mark };
  for (const one of marks) {
    const from = text.length - partialTail(text, one);
    // Of two that begin at one place the longer counts, so that it has to be waited for.
    if (from < at || (from === at && mark !== null && one.length > mark.length && from < text.length)) {
      at = from;
      mark = null;
    }
  }
  return { at, mark };
}

/** `<|tool_calls_section_end|>` is written `<|tool_call_section_end|>` now and then (Kimi). */
export function singular(word: string): string {
  return word.startsWith("<|") ? word.replace("_calls_", "_call_") : word;
}

/** A complete tag, or what stands between tags and white space. */
const WORD = /<[^<>\s]+>|\[\/?[A-Z_]+\]|(?:(?!<[^<>\s]+>|\[\/?[A-Z_]+\])\S)+/g;

/** The words of a literal: tags, and what white space and tags divide. */
export function wordsOf(literal: string): string[] {
  return literal.match(WORD) ?? [];
}
