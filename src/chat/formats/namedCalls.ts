/**
 * Calls whose name stands outside their arguments: `<function=f>…`, section tokens, `[TOOL_CALLS]f[ARGS]{…}`,
 * `f(k='v')`. The family's literals are matched word by word, so that other white space makes no difference; a
 * missing section mark or closing mark makes none either.
 */
import type { CallFormat, CallPart } from "../CallFormat.ts";
import { jsonValue } from "./JsonScanner.ts";
import { cutCall, isName } from "./jsonCalls.ts";
import { looseArguments } from "./looseValue.ts";
import type { CallRead, ReplySink } from "./ReplySink.ts";
import { type ReplySource, type Step, wordsOf } from "./ReplySource.ts";
import { taggedArguments } from "./taggedArguments.ts";

/** A call's literals as words. */
export interface NamedCallMarks {
  readonly format: CallFormat;
  /** In front of the first name: section start, then call start; null stands for an id or an index. */
  readonly open: readonly (string | null)[];
  /** In front of a further call of the same section. */
  readonly next: readonly (string | null)[];
  /** Between name and arguments; an empty list stands for an id or an index. */
  readonly middle: readonly (readonly string[])[];
  readonly close: readonly string[];
  readonly sectionEnd: readonly string[];
  /** Set where no mark but this one stands between two calls. */
  readonly separator: string;
}

const isSlot = (slot: string) => (part: CallPart) => typeof part !== "string" && part.slot === slot;

export function namedCallMarks(format: CallFormat): NamedCallMarks {
  const name = format.parts.findIndex(isSlot("name"));
  const args = format.parts.findIndex(isSlot("arguments"));
  const words = (parts: readonly CallPart[]) =>
    parts.flatMap((part) => (typeof part === "string" ? wordsOf(part) : []));
  const next = format.parts
    .slice(0, name)
    .flatMap((part): (string | null)[] => (typeof part === "string" ? wordsOf(part) : [null]));
  return {
    format,
    open: [...wordsOf(format.sectionStart), ...next],
    next,
    middle: format.parts.slice(name + 1, args).map((part) => (typeof part === "string" ? wordsOf(part) : [])),
    close: words(format.parts.slice(args + 1)).flatMap((word, i) => withoutBracket(word, i, format)),
    sectionEnd: wordsOf(format.sectionEnd),
    separator: format.separator.trim(),
  };
}

/** The bracket behind keyword arguments is taken with them. */
function withoutBracket(word: string, at: number, { arguments: { kind } }: CallFormat): string[] {
  if (at > 0 || (kind !== "pythonic" && kind !== "gemma")) return [word];
  return word.length > 1 ? [word.slice(1)] : [];
}

/** From behind word `at` of `marks.open`. `record` must be on; it is left on only for "none". */
export function* namedCalls(
  source: ReplySource,
  sink: ReplySink,
  marks: NamedCallMarks,
  at: number,
): Step<CallRead> {
  if (!(yield* opening(source, marks.open.slice(at + 1)))) return "none";
  for (let calls = 0; ; calls += 1) {
    if (calls > 0) {
      if (!(yield* goesOn(source, marks))) break;
      source.record();
      if (!(yield* opening(source, marks.next))) {
        sink.text(source.recorded());
        return "call";
      }
    }
    const read = yield* namedCall(source, sink, marks);
    if (read === "none") {
      if (calls === 0) return "none";
      sink.text(source.recorded());
      return "call";
    }
    const [end] = [...marks.close, ...marks.sectionEnd];
    if (read === "cut") return yield* cutCall(source, sink, end);
    yield* source.closing(marks.close);
  }
  yield* source.closing(marks.sectionEnd);
  return "call";
}

function* opening(source: ReplySource, words: readonly (string | null)[]): Step<boolean> {
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (word !== null) {
      // Kimi sometimes leaves out the `functions.` in front of a name.
      if (!(yield* source.words([word])) && !word.endsWith(".")) return false;
    } else if (typeof next === "string") yield* source.until([next], () => {}, NAME_CHARS_MAX);
  }
  return true;
}

/** Whether another call of the section follows; nothing of it is taken but its separator. */
function* goesOn(source: ReplySource, marks: NamedCallMarks): Step<boolean> {
  const [next] = marks.next;
  // A call that stands for itself is found by its own mark.
  if (marks.format.sectionStart === "" && typeof next === "string") return false;
  yield* source.space();
  if (marks.separator !== "" && (yield* source.match(marks.separator))) return true;
  // Calls that only white space divides go on where another name may begin.
  if (marks.separator === "" && next === undefined) return /[A-Za-z_]/.test(yield* source.peek());
  return typeof next === "string" && (yield* source.starts(next));
}

/** Longest name of a tool, id included where it stands around the name. */
const NAME_CHARS_MAX = 256;

function* namedCall(source: ReplySource, sink: ReplySink, marks: NamedCallMarks): Step<CallRead> {
  const { arguments: kind } = marks.format;
  const blank = marks.middle.flat().length === 0;
  const first = kind.kind === "tagged" ? wordsOf(kind.keyStart) : ["{"];
  const ends = blank
    ? ["\n", ...first.slice(0, 1), ...marks.close.slice(0, 1)]
    : marks.middle.flatMap((words) => words.slice(0, 1));
  const parts: string[] = [];
  yield* source.space();
  const end = yield* source.until(ends, (text) => parts.push(text), NAME_CHARS_MAX);
  const name = parts.join("").trim();
  if (end === null || !isName(name) || (marks.format.bare && !sink.knows(name))) return "none";
  // Where the model left out an index or an id, reading goes on with what follows it.
  const from = blank ? 0 : marks.middle.findIndex(([word]) => word === end);
  for (const [i, words] of marks.middle.entries()) {
    if (i < from) continue;
    // What stands for an id ends where the next literal begins.
    const next = marks.middle.slice(i + 1).flat()[0];
    if (words.length === 0 && next !== undefined) yield* source.until([next], () => {}, NAME_CHARS_MAX);
    else if (words.length > 0 && !(yield* source.words(words))) return "none";
  }
  if (kind.kind === "pythonic" || kind.kind === "gemma")
    return yield* looseCall(source, sink, name, kind.kind);
  yield* source.space();
  if (kind.kind === "tagged") {
    const close = [...marks.close, ...marks.sectionEnd];
    return yield* taggedArguments(source, sink, name, kind, close);
  }
  if ((yield* source.peek()) === "{") {
    source.forget();
    sink.open(name);
    return (yield* jsonValue(source, (text) => sink.arguments(text))) ? "call" : "cut";
  }
  const [close] = marks.close;
  if (close === undefined || !(yield* source.starts(close))) return "none";
  source.forget();
  sink.open(name);
  sink.arguments("{}");
  return "call";
}

/** The literals hold the bracket on either side already. */
function* looseCall(
  source: ReplySource,
  sink: ReplySink,
  name: string,
  kind: "pythonic" | "gemma",
): Step<CallRead> {
  source.forget();
  sink.open(name);
  const [assign, close] = kind === "pythonic" ? (["=", ")"] as const) : ([":", "}"] as const);
  return (yield* looseArguments(source, (json) => sink.arguments(json), assign, close)) ? "call" : "cut";
}
