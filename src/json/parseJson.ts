/**
 * Lossless JSON: accepts exactly what `JSON.parse` accepts (RFC 8259), and keeps what `JSON.parse` loses: the
 * order of integer-like keys and the spelling of numbers. Written by hand: libraries that keep numbers give
 * plain objects, and so lose key order. Nesting is bounded, so that no body can exhaust the stack, and so is the number
 * of values, each of which takes its time and its memory.
 */
import type { Json } from "./json.ts";

/** Deepest nesting of arrays and objects. Real tool schemas nest 10 to 30 deep. */
export const JSON_DEPTH_MAX = 256;
/**
 * Values of one text, keys not counted: two seconds of reading at the worst. A request to embed 2,048 inputs of 512
 * token ids holds half of it.
 */
export const JSON_VALUES_MAX = 2 * 1024 * 1024;

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

/** Values that may still be read, over all texts that share it. */
export interface JsonBudget {
  values: number;
}

export function jsonBudget(): JsonBudget {
  return { values: JSON_VALUES_MAX };
}

/** Reads one JSON value. Throws JsonSyntaxError, naming the position. A duplicate key's last value wins. */
export function parseJson(text: string, budget: JsonBudget = jsonBudget()): Json {
  const reader = new Reader(text, budget);
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
/** What may stand behind a backslash, besides `u`. */
const ESCAPES = '"\\/bfnrt';
const [SPACE, BACKSLASH] = [0x20, 0x5c];

class Reader {
  at = 0;
  readonly text: string;
  readonly #budget: JsonBudget;
  constructor(text: string, budget: JsonBudget) {
    this.text = text;
    this.#budget = budget;
  }

  fail(what: string): never {
    throw new JsonSyntaxError(what, this.text, this.at);
  }

  blank(): void {
    if (this.text.charCodeAt(this.at) > SPACE) return;
    BLANK.lastIndex = this.at;
    BLANK.test(this.text);
    this.at = BLANK.lastIndex;
  }

  value(depth: number): Json {
    this.#budget.values -= 1;
    if (this.#budget.values < 0) this.fail(`More than ${JSON_VALUES_MAX} values`);
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
    const { text, at } = this;
    PLAIN.lastIndex = at + 1;
    PLAIN.test(text);
    const end = text[PLAIN.lastIndex] === '"' ? PLAIN.lastIndex : this.escapedEnd(PLAIN.lastIndex);
    if (end < 0) return this.failInString();
    this.at = end + 1;
    const whole = text.slice(at, end + 1);
    if (end === PLAIN.lastIndex) return whole.slice(1, -1);
    try {
      // The engine's own reader takes all escapes at once; one by one, megabytes of them took seconds.
      return JSON.parse(whole) as string;
    } catch {
      this.at = at;
      return this.failInString();
    }
  }

  /** Position of the next quote that no backslash escapes; -1 where there is none. */
  private escapedEnd(from: number): number {
    for (let end = this.text.indexOf('"', from); end >= 0; end = this.text.indexOf('"', end + 1)) {
      let before = end;
      while (this.text[before - 1] === "\\") before--;
      if ((end - before) % 2 === 0) return end;
    }
    return -1;
  }

  /** For a string that is not valid: says what is wrong with it, and where. */
  private failInString(): never {
    const { text } = this;
    this.at++;
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (Number.isNaN(code)) this.fail("Unterminated string");
      if (code < SPACE) this.fail("Unescaped control character in a string");
      this.at += code === BACKSLASH ? this.escapeLength() : 1;
    }
  }

  private escapeLength(): number {
    const letter = this.text[this.at + 1] ?? "";
    if (letter === "u") {
      if (/^[0-9a-fA-F]{4}$/.test(this.text.slice(this.at + 2, this.at + 6))) return 6;
      this.fail("Bad \\u escape");
    }
    return letter !== "" && ESCAPES.includes(letter) ? 2 : this.fail("Bad escape");
  }

  private number(): Json {
    const { at } = this;
    NUMBER.lastIndex = at;
    if (!NUMBER.test(this.text)) return this.fail(`Unexpected ${JSON.stringify(this.text[at])}`);
    this.at = NUMBER.lastIndex;
    return { raw: this.text.slice(at, this.at) };
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
