/**
 * Lossless JSON: accepts exactly what `JSON.parse` accepts (RFC 8259), and keeps what `JSON.parse` loses: the
 * order of integer-like keys and the spelling of numbers. Libraries that keep numbers give plain objects and
 * so lose key order; hence own code. Nesting is bounded, so that no body can exhaust the stack.
 */
import type { Json } from "./json.ts";

/** Deepest nesting of arrays and objects. Real tool schemas nest 10 to 30 deep. */
export const JSON_DEPTH_MAX = 256;

export class JsonSyntaxError extends Error {
  /** Offset in UTF-16 units at which reading stopped. */
  readonly position: number;
  constructor(what: string, text: string, position: number) {
    const before = text.slice(0, position);
    const line = before.split("\n").length;
    const column = position - before.lastIndexOf("\n");
    super(`${what} at position ${position} (line ${line}, column ${column})`);
    this.name = "JsonSyntaxError";
    this.position = position;
  }
}

/** Reads one JSON value. Throws JsonSyntaxError, naming the position. A duplicate key's last value wins. */
export function parseJson(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.blank();
  if (reader.at < text.length) reader.fail("Unexpected text after the value");
  return value;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const BLANK = /[ \t\n\r]*/y;
/** Characters of a string that need no attention. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids raw control characters in strings
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

class Reader {
  at = 0;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  fail(what: string): never {
    throw new JsonSyntaxError(what, this.text, this.at);
  }

  blank(): void {
    BLANK.lastIndex = this.at;
    BLANK.test(this.text);
    this.at = BLANK.lastIndex;
  }

  value(depth: number): Json {
    this.blank();
    switch (this.text[this.at]) {
      case undefined:
        return this.fail("Unexpected end of JSON");
      case "{":
        return this.object(this.deeper(depth));
      case "[":
        return this.array(this.deeper(depth));
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  private deeper(depth: number): number {
    if (depth >= JSON_DEPTH_MAX) this.fail(`Nested deeper than ${JSON_DEPTH_MAX} levels`);
    this.at++;
    return depth + 1;
  }

  private object(depth: number): Json {
    const entries = new Map<string, Json>();
    this.blank();
    if (this.take("}")) return entries;
    for (;;) {
      this.blank();
      if (this.text[this.at] !== '"') this.fail("Expected a key in double quotes");
      const key = this.string();
      this.blank();
      if (!this.take(":")) this.fail("Expected ':' after a key");
      entries.set(key, this.value(depth));
      this.blank();
      if (this.take("}")) return entries;
      if (!this.take(",")) this.fail("Expected ',' or '}'");
    }
  }

  private array(depth: number): Json {
    const items: Json[] = [];
    this.blank();
    if (this.take("]")) return items;
    for (;;) {
      items.push(this.value(depth));
      this.blank();
      if (this.take("]")) return items;
      if (!this.take(",")) this.fail("Expected ',' or ']'");
    }
  }

  private string(): string {
    this.at++;
    let out = "";
    for (;;) {
      const start = this.at;
      PLAIN.lastIndex = start;
      PLAIN.test(this.text);
      this.at = PLAIN.lastIndex;
      out += this.text.slice(start, this.at);
      const next = this.text[this.at];
      if (next === '"') {
        this.at++;
        return out;
      }
      if (next === undefined) this.fail("Unterminated string");
      if (next !== "\\") this.fail("Unescaped control character in a string");
      out += this.escape();
    }
  }

  private escape(): string {
    const letter = this.text[this.at + 1] ?? "";
    if (letter === "u") {
      const hex = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.fail("Bad \\u escape");
      this.at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (plain === undefined) this.fail("Bad escape");
    this.at += 2;
    return plain;
  }

  private number(): Json {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    if (found === null) return this.fail(`Unexpected ${JSON.stringify(this.text[this.at])}`);
    this.at += found[0].length;
    return { raw: found[0] };
  }

  private word(word: string, value: boolean | null): Json {
    if (!this.text.startsWith(word, this.at)) this.fail(`Expected ${word}`);
    this.at += word.length;
    return value;
  }

  private take(mark: string): boolean {
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }
}
