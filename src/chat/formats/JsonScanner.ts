/**
 * Reads one JSON value as it comes and passes its text on. What it passed on is valid JSON once the value is
 * complete: raw control characters and unknown escapes in strings, which models write, are mended on the way.
 */
import { JSON_DEPTH_MAX } from "../../json/parseJson.ts";
import type { ReplySource, Step } from "./ReplySource.ts";

/** Passes the value's text on; false where it is no JSON (from there on nothing is taken) or cut off. */
export function* jsonValue(source: ReplySource, emit: (text: string) => void): Step<boolean> {
  const scanner = new JsonScanner();
  for (;;) {
    const { rest } = source;
    const used = scanner.feed(rest, emit);
    source.take(used);
    if (scanner.failed) return false;
    if (scanner.done || (source.ended && scanner.finish())) return true;
    if (source.ended) return false;
    yield;
  }
}

/** The value's text whole, or null. */
export function* jsonText(source: ReplySource): Step<string | null> {
  const parts: string[] = [];
  return (yield* jsonValue(source, (text) => parts.push(text))) ? parts.join("") : null;
}

type State = "value" | "item" | "first" | "key" | "colon" | "after" | "string" | "escape" | "hex" | "scalar";

const SCALAR = /^[-+.0-9a-zA-Z]$/;

class JsonScanner {
  done = false;
  failed = false;
  #state: State = "value";
  /** "{" or "[" of each open level. */
  readonly #levels: string[] = [];
  #stringIsKey = false;
  #scalar = "";
  #hex = 0;
  /** The character at hand stands behind the value, which is a number or a word. */
  #left = false;

  /** Characters used of `text`; fewer than all only where the value is complete or broken. */
  feed(text: string, emit: (text: string) => void): number {
    let from = 0;
    let at = 0;
    const flush = (instead = "") => {
      if (at > from || instead !== "") emit(text.slice(from, at) + instead);
      from = at;
    };
    for (; at < text.length && !this.done && !this.failed; at += 1) {
      const char = text.charAt(at);
      const mended = this.#step(char);
      if (this.failed || this.#left) break;
      if (mended === null) continue;
      flush(mended);
      from = at + 1;
    }
    flush();
    return at;
  }

  /** At the end of all text a number or word is complete. */
  finish(): boolean {
    if (this.#state !== "scalar" || this.#levels.length > 0) return false;
    return isJson(this.#scalar);
  }

  /** Null, or the text to pass on instead of the character. */
  #step(char: string): string | null {
    switch (this.#state) {
      case "string":
        return this.#inString(char);
      case "escape":
        return this.#escaped(char);
      case "hex":
        if (!/[0-9a-fA-F]/.test(char)) return this.#fail();
        this.#hex -= 1;
        if (this.#hex === 0) this.#state = "string";
        return null;
      case "scalar":
        if (SCALAR.test(char)) {
          this.#scalar += char;
          return null;
        }
        if (!isJson(this.#scalar)) return this.#fail();
        this.#valueEnds();
        this.#left = this.done;
        return this.done ? null : this.#between(char);
      default:
        return this.#between(char);
    }
  }

  #inString(char: string): string | null {
    if (char === "\\") {
      this.#state = "escape";
      // Passed on with what follows, which may have to be mended.
      return "";
    }
    if (char === '"') {
      if (this.#stringIsKey) this.#state = "colon";
      else this.#valueEnds();
      return null;
    }
    return char < " " ? JSON.stringify(char).slice(1, -1) : null;
  }

  #escaped(char: string): string {
    this.#state = "string";
    if (char === "u") {
      this.#state = "hex";
      this.#hex = 4;
    } else if (!'"\\/bfnrt'.includes(char)) {
      // A path or a pattern whose backslash was not doubled.
      return `\\\\${char < " " ? JSON.stringify(char).slice(1, -1) : char}`;
    }
    return `\\${char}`;
  }

  #between(char: string): string | null {
    if (char === " " || char === "\n" || char === "\t" || char === "\r") return null;
    switch (this.#state) {
      case "first":
        if (char === "}") return this.#close("{");
        return this.#key(char);
      case "key":
        return this.#key(char);
      case "colon":
        if (char !== ":") return this.#fail();
        this.#state = "value";
        return null;
      case "after": {
        const level = this.#levels.at(-1);
        if (char === ",") {
          this.#state = level === "{" ? "key" : "value";
          return null;
        }
        return this.#close(char === "}" ? "{" : char === "]" ? "[" : "");
      }
      default:
        return this.#value(char);
    }
  }

  #key(char: string): string | null {
    if (char !== '"') return this.#fail();
    this.#stringIsKey = true;
    this.#state = "string";
    return null;
  }

  #value(char: string): string | null {
    if (char === '"') {
      this.#stringIsKey = false;
      this.#state = "string";
    } else if (char === "{" || char === "[") {
      if (this.#levels.length >= JSON_DEPTH_MAX) return this.#fail();
      this.#levels.push(char);
      this.#state = char === "{" ? "first" : "item";
    } else if (char === "]" && this.#state === "item") {
      return this.#close("[");
    } else if (/[-0-9tfn]/.test(char)) {
      this.#scalar = char;
      this.#state = "scalar";
    } else return this.#fail();
    return null;
  }

  #close(level: string): string | null {
    if (this.#levels.at(-1) !== level) return this.#fail();
    this.#levels.pop();
    this.#valueEnds();
    return null;
  }

  #valueEnds(): void {
    this.#state = "after";
    this.done = this.#levels.length === 0;
  }

  #fail(): string | null {
    this.failed = true;
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
