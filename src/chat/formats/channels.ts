/**
 * Replies that are made of addressed messages: harmony (gpt-oss), ` to=f<|message|>` recipients (muse), and
 * functionary's `>>>f`. A header that says nothing yet is held back; a message that addresses a tool is a call.
 */
import { jsonValue } from "./JsonScanner.ts";
import { isName } from "./jsonCalls.ts";
import type { ReplySink } from "./ReplySink.ts";
import type { ReplySource, Step } from "./ReplySource.ts";
import { type CallReader, type ReplyStart, readText } from "./readText.ts";

const MESSAGE = "<|message|>";
const START = "<|start|>";
/** Longer headers are none. */
const HEADER_CHARS_MAX = 512;

const HARMONY_ENDS = ["<|end|>", "<|call|>", "<|return|>", START];

export function* readHarmony(
  source: ReplySource,
  sink: ReplySink,
  tools: boolean,
  start: ReplyStart,
): Step<void> {
  if (start === "text") yield* body(source, HARMONY_ENDS, (text) => sink.text(text));
  if (start === "reasoning") yield* body(source, HARMONY_ENDS, (text) => sink.reasoning(text));
  for (;;) {
    const header = yield* readHeader(source, sink, ["<|channel|>", START]);
    if (header === null) return;
    const channel = [...header.matchAll(/<\|channel\|>\s*(\w+)/g)].at(-1)?.[1] ?? "final";
    const to = /\bto=([^\s<]+)/.exec(header)?.[1];
    const name = to?.replace(/^functions\./, "");
    const isCall = tools && name !== undefined && isName(name) && (name !== to || sink.knows(name));
    if (isCall) yield* harmonyCall(source, sink, name);
    else if (channel === "analysis" || (channel === "commentary" && to !== undefined && to !== "user")) {
      // What is addressed to nobody that was given is told, but is no answer.
      sink.reasoning("");
      yield* body(source, HARMONY_ENDS, (text) => sink.reasoning(text));
      sink.text("");
    } else yield* body(source, HARMONY_ENDS, (text) => sink.text(text));
  }
}

function* harmonyCall(source: ReplySource, sink: ReplySink, name: string): Step<void> {
  sink.open(name);
  yield* source.space();
  if ((yield* source.peek()) === "<") sink.arguments("{}");
  else {
    yield* jsonValue(source, (text) => sink.arguments(text));
    yield* source.space();
  }
  // What is no JSON stays as the model wrote it.
  yield* body(source, HARMONY_ENDS, (text) => sink.arguments(text));
}

function* body(source: ReplySource, ends: readonly string[], emit: (text: string) => void): Step<void> {
  const end = yield* source.until(ends, emit);
  if (end !== null && end !== START) source.take(end.length);
}

/** muse: ` to=self<|message|>…<|eom|>` thinks, ` to=user` answers, any other recipient is a tool. */
export function* readRecipients(
  source: ReplySource,
  sink: ReplySink,
  calls: CallReader | null,
  start: ReplyStart,
): Step<void> {
  const ends = ["<|eom|>", "<|eot|>"];
  if (start === "text") yield* readText(source, sink, null, [], ends);
  if (start === "reasoning") yield* body(source, ends, (text) => sink.reasoning(text));
  for (;;) {
    const header = yield* readHeader(source, sink, [START]);
    if (header === null) return;
    const to = /\bto=([^\s<]+)/.exec(header)?.[1] ?? "user";
    if (to === "self") {
      sink.reasoning("");
      const end = yield* source.until(ends, (text) => sink.reasoning(text));
      if (end !== null) source.take(end.length);
      sink.text("");
    } else yield* readText(source, sink, to === "user" ? null : calls, [], ends);
  }
}

/**
 * What stands in front of `<|message|>`. A reply without a header is text up to the first of `marks`. Null at
 * the end; a header that was cut off is text only where it began to address a tool.
 */
function* readHeader(source: ReplySource, sink: ReplySink, marks: readonly string[]): Step<string | null> {
  yield* source.space();
  const opens = yield* anyStarts(source, [...marks, "assistant", "to="]);
  if (!opens) {
    const mark = yield* source.until([...marks, MESSAGE], (text) => sink.text(text));
    if (mark === null) return null;
  }
  const parts: string[] = [];
  const mark = yield* source.until([MESSAGE], (text) => parts.push(text), HEADER_CHARS_MAX);
  const header = parts.join("");
  if (mark === null) {
    if (!opens || !header.startsWith("<") || / to=/.test(header)) sink.text(header);
    return header.length < HEADER_CHARS_MAX ? null : "";
  }
  source.take(mark.length);
  return header;
}

function* anyStarts(source: ReplySource, marks: readonly string[]): Step<boolean> {
  for (const mark of marks) if (yield* source.starts(mark)) return true;
  return false;
}

const NEXT = ">>>";
const ALL = "all";

/** functionary v3.2: the prompt ends in `>>>`; `all` addresses the user. */
export function* readNamedRecipients(
  source: ReplySource,
  sink: ReplySink,
  tools: boolean,
  inText: boolean,
): Step<void> {
  const known = (name: string) => name === ALL || (tools && sink.knows(name));
  let to: string | null = inText ? ALL : yield* recipient(source, sink, known);
  for (;;) {
    if (to !== null && to !== ALL) yield* namedMessage(source, sink, to);
    const mark = yield* source.until([NEXT], (text) => sink.text(text));
    if (mark === null) return;
    source.take(mark.length);
    source.record(mark);
    to = yield* recipient(source, sink, known);
  }
}

/** The name and its line break; null (what was read is text) where it names nobody. */
function* recipient(
  source: ReplySource,
  sink: ReplySink,
  known: (name: string) => boolean,
): Step<string | null> {
  const before = source.recorded();
  const parts: string[] = [before];
  const end = yield* source.until(["\n"], (text) => parts.push(text), 256);
  const name = parts.join("").slice(before.length).trim();
  if (end !== null && known(name)) {
    source.take(1);
    return name;
  }
  sink.text(parts.join(""));
  return null;
}

function* namedMessage(source: ReplySource, sink: ReplySink, name: string): Step<void> {
  sink.open(name);
  yield* source.space();
  if ((yield* source.peek()) === "{" && (yield* jsonValue(source, (text) => sink.arguments(text)))) return;
  yield* source.until([NEXT], (text) => sink.arguments(text));
}
