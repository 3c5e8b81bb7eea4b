/**
 * Values as Python and Gemma write them, passed on as JSON text as they come: quotes of either kind (tripled
 * too) or `<|"|>`, `True` and `None`, tuples, bare keys.
 */
import { JSON_DEPTH_MAX } from "../../json/parseJson.ts";
import { JsonTextWriter } from "./JsonTextWriter.ts";
import { ReplySource, type Step } from "./ReplySource.ts";

export const GEMMA_QUOTE = '<|"|>';
const QUOTES = [GEMMA_QUOTE, '"""', "'''", '"', "'"];
const WORDS: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

/** Passes one value on; false where it is none of these, or cut off. */
export function* looseValue(source: ReplySource, emit: (json: string) => void, depth = 0): Step<boolean> {
  yield* source.space();
  const quote = yield* openQuote(source);
  if (quote !== null) return yield* quoted(source, quote, emit);
  const char = yield* source.peek();
  if (depth > JSON_DEPTH_MAX) return false;
  if (char === "{") return yield* members(source, emit, depth);
  if (char === "[" || char === "(") return yield* items(source, emit, depth);
  return yield* scalar(source, emit);
}

/** The value's JSON text if `text` is one whole value, or null. */
export function looseText(text: string): string | null {
  const source = new ReplySource();
  source.push(text);
  source.end();
  const parts: string[] = [];
  const reading = looseValue(source, (json) => parts.push(json));
  // All of the text was pushed, so the reader never waits for more.
  const { value } = reading.next();
  return value === true && source.rest.trim() === "" ? parts.join("") : null;
}

/** `key<assign>value, …` up to `close`, which is taken; the braces of the object are passed on as well. */
export function* looseArguments(
  source: ReplySource,
  emit: (json: string) => void,
  assign: "=" | ":",
  close: ")" | "}",
  depth = 0,
): Step<boolean> {
  return yield* list(source, close, emit, "{}", function* () {
    const key = yield* looseKey(source, assign);
    if (key === null) return false;
    emit(`${key}: `);
    return yield* looseValue(source, emit, depth + 1);
  });
}

/** Entries between commas, one behind the last allowed, up to `close`, which is taken; false where they are cut off. */
function* list(
  source: ReplySource,
  close: string,
  emit: (json: string) => void,
  [opened = "", closed = ""]: string,
  entry: () => Step<boolean>,
): Step<boolean> {
  emit(opened);
  for (let first = true; ; first = false) {
    yield* source.space();
    if (yield* source.match(close)) break;
    if (!first) {
      if (!(yield* source.match(","))) return false;
      yield* source.space();
      if (yield* source.match(close)) break;
      emit(", ");
    }
    if (!(yield* entry())) return false;
  }
  emit(closed);
  return true;
}

/** Longest name of an argument. */
const KEY_CHARS_MAX = 256;

function* looseKey(source: ReplySource, assign: "=" | ":"): Step<string | null> {
  const quote = yield* openQuote(source);
  const parts: string[] = [];
  if (quote !== null) {
    if (!(yield* quoted(source, quote, (json) => parts.push(json)))) return null;
    yield* source.space();
  } else {
    const mark = yield* source.until([assign], (text) => parts.push(text), KEY_CHARS_MAX);
    const key = parts.join("").trim();
    if (mark === null || key === "" || /[\s(){}[\]"',]/.test(key)) return null;
    parts.splice(0, parts.length, JSON.stringify(key));
  }
  return (yield* source.match(assign)) ? parts.join("") : null;
}

function* openQuote(source: ReplySource): Step<string | null> {
  for (const quote of QUOTES) if (yield* source.match(quote)) return quote;
  return null;
}

function* quoted(source: ReplySource, quote: string, emit: (json: string) => void): Step<boolean> {
  const writer = new JsonTextWriter(emit);
  const marks = quote === GEMMA_QUOTE ? [quote] : [quote, "\\"];
  for (;;) {
    const mark = yield* source.until(marks, (text) => writer.push(text));
    if (mark === null) return false;
    source.take(mark.length);
    if (mark === quote) {
      if (quote.length > 1) break;
      // Some templates show quotes without escapes: a quote that is not followed by what may follow a value belongs
      // to the text.
      const space = yield* source.space();
      const next = yield* source.peek();
      if (next === "" || ",)]}:<".includes(next)) break;
      writer.push(quote + space);
      continue;
    }
    const char = yield* escaped(source);
    if (char === null) return false;
    writer.push(char);
  }
  writer.end();
  return true;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\u0007",
  "0": "\0",
  "\n": "",
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function* escaped(source: ReplySource): Step<string | null> {
  const char = yield* source.peek();
  if (char === "") return null;
  source.take(1);
  const digits = HEX_DIGITS[char];
  if (digits === undefined) {
    if (Object.hasOwn(ESCAPES, char)) return ESCAPES[char] ?? "";
    // Python keeps the backslash of an escape that it does not know.
    return "\"'\\/".includes(char) ? char : `\\${char}`;
  }
  let hex = "";
  while (hex.length < digits && /[0-9a-fA-F]/.test(yield* source.peek())) hex += source.take(1);
  const code = Number.parseInt(hex, 16);
  if (hex.length < digits || code > 0x10ffff) return `\\${char}${hex}`;
  return digits === 4 ? String.fromCharCode(code) : String.fromCodePoint(code);
}

function* members(source: ReplySource, emit: (json: string) => void, depth: number): Step<boolean> {
  source.take(1);
  return yield* looseArguments(source, emit, ":", "}", depth);
}

function* items(source: ReplySource, emit: (json: string) => void, depth: number): Step<boolean> {
  const close = source.take(1) === "[" ? "]" : ")";
  return yield* list(source, close, emit, "[]", () => looseValue(source, emit, depth + 1));
}

/** Numbers are short; anything longer is no value. */
const SCALAR_CHARS_MAX = 256;

function* scalar(source: ReplySource, emit: (json: string) => void): Step<boolean> {
  const parts: string[] = [];
  yield* source.until(
    [",", ")", "]", "}", ":", " ", "\n", "\t", "\r", "<"],
    (text) => parts.push(text),
    SCALAR_CHARS_MAX,
  );
  const word = parts.join("");
  const json = Object.hasOwn(WORDS, word) ? (WORDS[word] ?? "") : word;
  try {
    JSON.parse(json);
  } catch {
    return false;
  }
  emit(json);
  return true;
}
