/**
 * Reads a whole reply in its family's format: reasoning first where the prompt or the model has opened it, then
 * text and calls. Only what has become a call leaves the text.
 */
import type { CallFormat } from "../CallFormat.ts";
import { bareCalls } from "./bareCalls.ts";
import { readHarmony, readNamedRecipients, readRecipients } from "./channels.ts";
import { type JsonCallMarks, jsonCallMarks, jsonCalls } from "./jsonCalls.ts";
import { type NamedCallMarks, namedCallMarks, namedCalls } from "./namedCalls.ts";
import type { ReasoningFormat, ReplyFormat } from "./ReplyFormat.ts";
import type { CallRead, ReplySink } from "./ReplySink.ts";
import { ReplySource, type Step, singular } from "./ReplySource.ts";
import { type CallReader, type ReplyStart, readText } from "./readText.ts";
import { treeCalls } from "./treeCalls.ts";

export function* readReply(
  source: ReplySource,
  sink: ReplySink,
  format: ReplyFormat,
  start: ReplyStart,
  tools: boolean,
): Step<void> {
  const calls = tools && format.calls !== null ? callReader(format.calls) : null;
  if (format.channels === "harmony") return yield* readHarmony(source, sink, tools, start);
  if (format.channels === "recipients") return yield* readRecipients(source, sink, calls, start);
  if (format.channels === "all") return yield* readNamedRecipients(source, sink, tools, start === "text");
  if (start !== "text") yield* openedReasoning(source, sink, format, calls, start === "reasoning");
  if (tools && format.calls?.bare === true && start !== "text") {
    yield* bareCalls(source, sink, format.calls);
  }
  const thoughts = format.reasoning?.again === true ? format.reasoning : null;
  const marks = [...format.textMarks, ...(calls?.strays ?? [])];
  for (;;) {
    const end = yield* readText(source, sink, calls, marks, thoughts === null ? [] : [thoughts.start]);
    if (end === null || thoughts === null) return;
    yield* readReasoning(source, sink, thoughts, calls);
  }
}

/** Reasoning at the reply's start, where the prompt or the model has opened it. */
function* openedReasoning(
  source: ReplySource,
  sink: ReplySink,
  format: ReplyFormat,
  calls: CallReader | null,
  opened: boolean,
): Step<void> {
  const { reasoning } = format;
  if (reasoning === null) return;
  // Some models write the opening tag although the prompt has opened the reasoning.
  if (opened) yield* source.match(reasoning.start);
  else {
    if (reasoning.start === "") return;
    // Blank text in front of the tag is not said; in front of text its edge is trimmed.
    yield* source.space();
    while (!(yield* source.match(reasoning.start))) {
      // A model that may choose says so that it does not think.
      if (reasoning.end !== "" && (yield* source.match(reasoning.end))) return;
      let marked = false;
      for (const mark of format.textMarks) {
        if (marked || calls?.marks.includes(mark) === true) continue;
        marked = yield* source.match(mark);
      }
      if (!marked) return;
      yield* source.space();
    }
  }
  yield* readReasoning(source, sink, reasoning, calls);
}

/**
 * Up to its end. A call that stands in it is one where the reasoning is never closed: the model forgot to. One that
 * is only spoken of, or thought through before the end comes, is reasoning.
 */
function* readReasoning(
  source: ReplySource,
  sink: ReplySink,
  reasoning: ReasoningFormat,
  calls: CallReader | null,
): Step<void> {
  const marks = calls?.marks ?? [];
  // Said at once, so that tokens are counted as reasoning from the tag on and up to the other.
  sink.reasoning("");
  for (;;) {
    const mark = yield* source.until([reasoning.end, ...marks], (text) => sink.reasoning(text));
    if (mark === reasoning.end) source.take(mark.length);
    if (mark === reasoning.end || mark === null || calls === null) break;
    if (yield* isOpenCall(source, sink, calls, mark, reasoning.end)) break;
    sink.reasoning(source.take(mark.length));
  }
  sink.text("");
}

/** Whether a whole call of the request's tools stands here and the reply ends without `end`; nothing is taken. */
function* isOpenCall(
  source: ReplySource,
  sink: ReplySink,
  calls: CallReader,
  mark: string,
  end: string,
): Step<boolean> {
  const trial = new ReplySource();
  trial.record(mark);
  let isKnown = true;
  const names = (name: string) => {
    isKnown &&= sink.knows(name);
  };
  const reading = calls.read(trial, silent(sink, names), mark);
  let read: CallRead | undefined;
  for (let fed = mark.length; ; ) {
    const { rest } = source;
    if (rest.indexOf(end, Math.max(0, fed - end.length)) >= 0) return false;
    trial.push(rest.slice(fed));
    fed = rest.length;
    if (source.ended) trial.end();
    if (read === undefined) {
      const step = reading.next();
      if (step.done === true) read = step.value;
    }
    if (read === "none" || read === "cut" || !isKnown) return false;
    if (source.ended) return read === "call";
    yield;
  }
}

function silent(sink: ReplySink, open: ReplySink["open"]): ReplySink {
  const nothing = () => {};
  return {
    reasoning: nothing,
    text: nothing,
    open,
    arguments: nothing,
    knows: (name) => sink.knows(name),
    schema: (name) => sink.schema(name),
  };
}

function callReader(format: CallFormat): CallReader | null {
  if (format.bare) return null;
  if (format.arguments.kind === "tree") return treeCalls(format);
  if (format.shape === "json") return jsonReader(jsonCallMarks(format));
  return namedReader(namedCallMarks(format));
}

function jsonReader(marks: JsonCallMarks): CallReader | null {
  const [first] = marks.open;
  if (first === undefined) return null;
  return { marks: [first], strays: [], read: (source, sink) => jsonCalls(source, sink, marks) };
}

/** Shorter words, and words that are no tags, are too likely in text. */
const isTag = (word: string) => word.length >= 6 && /^[<[]/.test(word);

/** A section or wrapper that the model left out is not missed: each tag may be the first. */
function namedReader(marks: NamedCallMarks): CallReader | null {
  const starts = new Map<string, number>();
  for (const [at, word] of marks.open.entries()) {
    if (word === null || (at > 0 && !isTag(word))) continue;
    for (const one of [word, singular(word)]) if (!starts.has(one)) starts.set(one, at);
  }
  if (starts.size === 0) return null;
  const closing = [...marks.close, ...marks.sectionEnd].flatMap((word) => [word, singular(word)]);
  const json = listInside(marks);
  return {
    marks: [...starts.keys()],
    // A token that closes what was never opened is no text.
    strays: [...new Set(closing)].filter((word) => /^<[|｜].*[|｜]>$/.test(word) && !starts.has(word)),
    *read(source, sink, mark) {
      const at = starts.get(mark) ?? 0;
      // Models write the usual JSON between their own tags now and then (LFM2 when it is asked to).
      if (at === 0) {
        yield* source.space();
        if ((yield* source.starts("{")) || (yield* source.starts("[{"))) {
          return yield* jsonCalls(source, sink, json);
        }
      }
      return yield* namedCalls(source, sink, marks, at);
    },
  };
}

function listInside(marks: NamedCallMarks): JsonCallMarks {
  const close = [...marks.close, ...marks.sectionEnd].slice(-1).map((word) => word.replace(/^\]/, ""));
  const keys = { nameIsKey: false, names: ["name"], arguments: ["arguments", "parameters"] };
  return { open: [], close: close.filter((word) => word !== ""), keys, bare: false };
}
