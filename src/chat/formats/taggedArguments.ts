/**
 * Arguments that stand between tags, as JSON: bare text is typed by the tool's schema. A string is passed on as
 * it comes; what may be another kind of value is passed on whole. A closing tag counts only where what may
 * follow it follows, so that a value may speak of the tag itself.
 */
import type { JsonObject } from "../../json/json.ts";
import { parseJson } from "../../json/parseJson.ts";
import type { TaggedArguments } from "../CallFormat.ts";
import { JsonTextWriter } from "./JsonTextWriter.ts";
import { looseText } from "./looseValue.ts";
import type { CallRead, ReplySink } from "./ReplySink.ts";
import { type ReplySource, type Step, wordsOf } from "./ReplySource.ts";
import { argumentSchema, kindOfJson, schemaKinds } from "./schemaKinds.ts";

/** Opens the call where an argument or one of `close` follows the name. */
export function* taggedArguments(
  source: ReplySource,
  sink: ReplySink,
  name: string,
  format: TaggedArguments,
  close: readonly string[],
): Step<CallRead> {
  const keyStart = wordsOf(format.keyStart);
  const [start = ""] = keyStart;
  if (!(yield* anyStarts(source, [start, ...close]))) return "none";
  source.forget();
  sink.open(name);
  sink.arguments("{");
  const schema = sink.schema(name);
  for (let first = true; ; first = false) {
    yield* source.space();
    if (!first && format.separator.trim() !== "") yield* source.match(format.separator.trim());
    if (!(yield* source.starts(start))) break;
    if (!(yield* source.words(keyStart))) return "cut";
    const key = yield* argumentKey(source, format);
    if (key === null) return "cut";
    sink.arguments(`${first ? "" : ", "}${JSON.stringify(key.name)}: `);
    const end = yield* argumentValue(source, sink, format, key, close, schema);
    if (end === null) return "cut";
    if (end === "call") {
      sink.arguments("}");
      return "call";
    }
  }
  if (source.ended && (yield* source.peek()) === "") return "cut";
  sink.arguments("}");
  return "call";
}

/** What a value ended with: its own tag, or the call's; null where the text ends before. */
type ValueEnd = "value" | "call" | null;

interface ArgumentKey {
  readonly name: string;
  /** What the key's own tag says of the value. */
  readonly says: "text" | "other" | "nothing";
}

const KEY_CHARS_MAX = 256;

function* argumentKey(source: ReplySource, format: TaggedArguments): Step<ArgumentKey | null> {
  const ends = format.textKeyEnd === format.keyEnd ? [] : differing(format.textKeyEnd, format.keyEnd);
  const [head = "", text = "", tail = ""] = ends;
  const parts: string[] = [];
  const words = wordsOf(ends.length === 0 ? format.keyEnd : head);
  if ((yield* source.until(words.slice(0, 1), (part) => parts.push(part), KEY_CHARS_MAX)) === null)
    return null;
  if (!(yield* source.words(words))) return null;
  const name = parts.join("").trim();
  if (name === "") return null;
  if (ends.length === 0) return { name, says: "nothing" };
  const kind: string[] = [];
  if ((yield* source.until([tail.trim()], (part) => kind.push(part), KEY_CHARS_MAX)) === null) return null;
  yield* source.match(tail.trim());
  return { name, says: kind.join("") === text ? "text" : "other" };
}

/** What both begin with, the first one's middle, what both end with: `" string="`, `true`, `">`. */
function differing(a: string, b: string): [string, string, string] {
  let head = 0;
  while (head < a.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  // A word is not cut into letters that both happen to share.
  while (tail > 0 && /[a-z]/i.test(a.charAt(a.length - tail))) tail -= 1;
  return [a.slice(0, head), a.slice(head, a.length - tail), a.slice(a.length - tail)];
}

const CDATA = "<![CDATA[";
const CDATA_END = "]]>";

function* argumentValue(
  source: ReplySource,
  sink: ReplySink,
  format: TaggedArguments,
  key: ArgumentKey,
  close: readonly string[],
  schema: JsonObject | undefined,
): Step<ValueEnd> {
  // One line break belongs to the tags where the family writes one.
  if (/\n\s*$/.test(format.keyEnd)) yield* source.match("\n");
  const kinds = schemaKinds(argumentSchema(schema, key.name), schema ?? new Map());
  const isText = key.says === "text" || (key.says === "nothing" && kinds.size === 1 && kinds.has("string"));
  const jsonString = isText && format.texts === "json";
  if (isText && !jsonString) {
    const writer = new JsonTextWriter((json) => sink.arguments(json));
    const end = yield* rawValue(source, format, close, (text) => writer.push(text));
    if (end !== null) writer.end();
    return end;
  }
  const parts: string[] = [];
  const end = yield* rawValue(source, format, close, (text) => parts.push(text));
  const raw = parts.join("");
  if (end === null) sink.arguments(JSON.stringify(raw).slice(0, -1));
  else sink.arguments(typed(raw, kinds, format, key));
  return end;
}

/** Passes the value's own text on and takes what closes it. */
function* rawValue(
  source: ReplySource,
  format: TaggedArguments,
  close: readonly string[],
  emit: (text: string) => void,
): Step<ValueEnd> {
  const [end = ""] = wordsOf(format.valueEnd);
  const breaks = /^\s*\n/.test(format.valueEnd);
  let held = "";
  // The last line break may be the closing tag's.
  const pass = (text: string) => {
    const all = held + text;
    held = breaks && all.endsWith("\n") ? "\n" : "";
    if (all.length > held.length) emit(all.slice(0, all.length - held.length));
  };
  if (format.texts === "cdata") {
    while (yield* source.match(CDATA)) {
      if ((yield* source.until([CDATA_END], emit)) === null) return null;
      source.take(CDATA_END.length);
    }
  }
  const [start = ""] = wordsOf(format.keyStart);
  const follows = [start, ...close, format.separator.trim()].filter((word) => word !== "");
  const [closes = ""] = close;
  const stops = closes.startsWith("</") && !end.includes(closes) ? [end, closes] : [end];
  for (;;) {
    const stop = yield* source.until(stops, pass);
    if (stop === null) return null;
    if (stop !== end) {
      const closed = yield* closedCall(source, close);
      if (closed === null) return "call";
      pass(closed);
      continue;
    }
    const ends = wordsOf(format.valueEnd);
    const tag = source.take(end.length);
    yield* source.closing(ends.slice(1));
    const space = yield* source.space();
    if ((yield* source.peek()) === "" || (yield* anyStarts(source, follows))) return "value";
    pass(tag + space);
  }
}

/**
 * A value whose own tag was forgotten ends where its call does, if that ends the reply or another call follows.
 * Null then; else what was taken, which is the value's own text.
 */
function* closedCall(source: ReplySource, close: readonly string[]): Step<string | null> {
  let taken = "";
  for (const word of close) {
    taken += yield* source.space();
    if (yield* source.match(word)) taken += word;
    else if ((yield* source.peek()) !== "") return taken;
  }
  taken += yield* source.space();
  const next = yield* source.peek();
  const opens = (close.at(-1) ?? "").replace("</", "<").replace(/>$/, "");
  return next === "" || (yield* source.starts(opens)) ? null : taken;
}

function* anyStarts(source: ReplySource, marks: readonly string[]): Step<boolean> {
  for (const mark of marks) if (yield* source.starts(mark)) return true;
  return false;
}

function typed(raw: string, kinds: ReadonlySet<string>, format: TaggedArguments, key: ArgumentKey): string {
  const text = raw.trim();
  const json = isJson(text) ? text : looseText(text);
  if (json === null) return JSON.stringify(raw);
  const kind = kindOfJson(parseJson(json));
  if (key.says === "other") return json;
  // Quotes are the text's own where the family writes strings bare.
  if (kind === "string" && format.texts !== "json" && kinds.has("string")) return JSON.stringify(raw);
  return kinds.has(kind) ? json : JSON.stringify(raw);
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
