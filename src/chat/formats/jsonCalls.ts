/**
 * Calls that are JSON objects, `{"name": …, "arguments": {…}}`, alone or in a list, between a family's marks.
 * A call opens once its name is known and its arguments begin. Spacing, further keys, key order, a list where
 * one call was expected or the reverse, and missing closing marks make no difference.
 */
import type { CallFormat } from "../CallFormat.ts";
import { jsonText, jsonValue } from "./JsonScanner.ts";
import type { CallRead, ReplySink } from "./ReplySink.ts";
import { type ReplySource, type Step, wordsOf } from "./ReplySource.ts";

export interface JsonCallMarks {
  /** Words in front of the first object. */
  readonly open: readonly string[];
  /** Words behind the last. */
  readonly close: readonly string[];
  readonly keys: JsonCallKeys;
  readonly bare: boolean;
}

interface JsonCallKeys {
  /** `{"f": {…}}`: the only key is the name. */
  readonly nameIsKey: boolean;
  readonly names: readonly string[];
  readonly arguments: readonly string[];
  /** What else the format writes in front of the name: `id`, `type`, `function`. */
  readonly before?: readonly string[];
}

export function jsonCallMarks(format: CallFormat): JsonCallMarks {
  const slot = format.parts.findIndex((part) => typeof part !== "string" && part.slot === "name");
  const before = textOf(format.parts.slice(0, slot));
  const between = textOf(format.parts.slice(slot + 1, slot + 2));
  const brace = before.search(/\{\s*"/);
  const name = /"([^"]+)"\s*:\s*"$/.exec(before)?.[1];
  const args = /"([^"]+)"\s*:\s*$/.exec(between)?.[1];
  const last = format.parts.at(-1);
  const open = wordsOf(format.sectionStart + before.slice(0, brace));
  const close = wordsOf(
    (typeof last === "string" ? last.slice(last.lastIndexOf("}") + 1) : "") + format.sectionEnd,
  );
  return {
    open: withoutBracket(open, "["),
    close: withoutBracket(close, "]"),
    keys: {
      nameIsKey: name === undefined,
      names: [...new Set([name ?? "name", "name"])],
      arguments: [...new Set([args ?? "arguments", "arguments", "parameters"])],
      before: Array.from(before.matchAll(/"([^"]*)"\s*:/g), ([, key = ""]) => key),
    },
    bare: format.bare,
  };
}

function textOf(parts: CallFormat["parts"]): string {
  return parts.map((part) => (typeof part === "string" ? part : "")).join("");
}

/** A list's bracket is optional beside a mark; `functools[` is a mark only with it. */
function withoutBracket(words: readonly string[], bracket: "[" | "]"): string[] {
  const at = bracket === "[" ? words.length - 1 : 0;
  return words.flatMap((word, i) => {
    if (i !== at) return [word];
    const rest = bracket === "[" ? word.replace(/\[$/, "") : word.replace(/^\]/, "");
    if (rest === "") return [];
    return bracket === "]" || /[>\]`]$/.test(rest) ? [rest] : [word];
  });
}

/** From behind the first word of `marks.open`. `record` must be on; it is left on only for "none". */
export function* jsonCalls(source: ReplySource, sink: ReplySink, marks: JsonCallMarks): Step<CallRead> {
  if (!(yield* source.words(marks.open.slice(1)))) return "none";
  yield* source.space();
  const list = marks.open.at(-1)?.endsWith("[") === true || (yield* source.match("["));
  let calls = 0;
  for (;;) {
    yield* source.space();
    if (calls > 0 && ((yield* source.match(",")) || (yield* source.match(";")))) yield* source.space();
    if ((yield* source.peek()) !== "{") break;
    if (calls > 0) source.record();
    const read = yield* jsonCall(source, sink, marks);
    if (read === "none") {
      if (calls === 0) return "none";
      sink.text(source.recorded());
      return "call";
    }
    if (read === "cut") return yield* cutCall(source, sink, marks.close[0]);
    calls += 1;
  }
  if (calls === 0) return "none";
  if (list) yield* source.match("]");
  yield* source.closing(marks.close);
  return "call";
}

/** A call that broke after it was opened keeps what the model wrote up to the closing mark. */
export function* cutCall(source: ReplySource, sink: ReplySink, close: string | undefined): Step<CallRead> {
  if (close !== undefined) yield* source.until([close], (text) => sink.arguments(text));
  if (close !== undefined) yield* source.match(close);
  return "cut";
}

function* jsonCall(source: ReplySource, sink: ReplySink, marks: JsonCallMarks): Step<CallRead> {
  const { keys, bare } = marks;
  const fits = (text: string) => isName(text) && (!bare || sink.knows(text));
  let name: string | undefined;
  let held: string | undefined;
  let opened = false;
  let closed = false;
  /** Whether the object at hand is the value of "function", as in the API's own form. */
  let inner = false;
  let first = true;
  source.take(1);
  for (;;) {
    yield* source.space();
    closed = yield* source.match("}");
    if (!closed && !first && !(yield* source.match(","))) break;
    if (closed && !inner) break;
    const isFirst = first;
    first = false;
    if (closed) {
      inner = false;
      continue;
    }
    const key = yield* memberKey(source);
    if (key === null) return opened ? "cut" : "none";
    if (key === "function" && !inner && !keys.nameIsKey && (yield* source.match("{"))) {
      inner = true;
      first = true;
      continue;
    }
    const known = [...keys.names, ...keys.arguments, ...(keys.before ?? [])];
    if (bare && isFirst && !known.includes(key)) return "none";
    if (keys.nameIsKey && !opened) name = key;
    const isArguments = keys.nameIsKey ? name === key : keys.arguments.includes(key);
    const streams = isArguments && name !== undefined && !opened && held === undefined;
    if (streams && name !== undefined && (yield* source.peek()) === "{") {
      if (!fits(name)) return "none";
      opened = true;
      source.forget();
      sink.open(name);
      if (!(yield* jsonValue(source, (text) => sink.arguments(text)))) return "cut";
      continue;
    }
    const value = yield* jsonText(source);
    if (value === null) return opened ? "cut" : "none";
    if (!keys.nameIsKey && keys.names.includes(key)) name ??= parsedString(value);
    else if (isArguments) held ??= value;
  }
  if (opened) return "call";
  const object = heldArguments(held);
  if (!closed || name === undefined || !fits(name) || object === null) return "none";
  source.forget();
  sink.open(name);
  sink.arguments(object);
  return "call";
}

/** A key and its colon, with the white space around them. */
function* memberKey(source: ReplySource): Step<string | null> {
  yield* source.space();
  const key = parsedString(yield* jsonText(source));
  yield* source.space();
  if (key === undefined || !(yield* source.match(":"))) return null;
  yield* source.space();
  return key;
}

/** Some models write the arguments as JSON in a string, or none at all. */
function heldArguments(held: string | undefined): string | null {
  const text = (held?.startsWith('"') ? parsedString(held) : held)?.trim() ?? "";
  if (text === "" || text === "null") return "{}";
  return isObject(text) ? text : null;
}

const NAME = /^[^\s"'<>{}()[\],]{1,256}$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

function parsedString(text: string | null): string | undefined {
  if (!text?.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
