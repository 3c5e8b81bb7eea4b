/**
 * Reads a whole reply in its family's format: reasoning first where the prompt or the model has opened it, then
 * text and calls. Only what has become a call leaves the text.
 */
import type { CallFormat } from "../CallFormat.ts";
import { bareCalls } from "./bareCalls.ts";
import { readHarmony, readNamedRecipients, readRecipients } from "./channels.ts";
import { type JsonCallMarks, jsonCallMarks, jsonCalls } from "./jsonCalls.ts";
import { type NamedCallMarks, namedCallMarks, namedCalls } from "./namedCalls.ts";
import type { ReplyFormat } from "./ReplyFormat.ts";
import type { ReplySink } from "./ReplySink.ts";
import type { ReplySource, Step } from "./ReplySource.ts";
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
  if (start !== "text") yield* readReasoning(source, sink, format, calls, start === "reasoning");
  if (tools && format.calls?.bare === true && start !== "text") {
    yield* bareCalls(source, sink, format.calls);
  }
  yield* readText(source, sink, calls, format.textMarks, []);
}

function* readReasoning(
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
    // Blank text in front of the tag is not said; in front of text its edge is trimmed.
    yield* source.space();
    for (const mark of format.textMarks) {
      if (calls?.marks.includes(mark) !== true && (yield* source.match(mark))) yield* source.space();
    }
    if (reasoning.start === "" || !(yield* source.match(reasoning.start))) return;
  }
  // A model that calls out of its reasoning forgets to close it; a special token says what it means.
  const implied = (calls?.marks ?? []).filter((mark) => /^<[|｜]/.test(mark));
  // Said at once, so that tokens are counted as reasoning from the tag on and up to the other.
  sink.reasoning("");
  const mark = yield* source.until([reasoning.end, ...implied], (text) => sink.reasoning(text));
  if (mark === reasoning.end) source.take(mark.length);
  sink.text("");
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
  return { marks: [first], read: (source, sink) => jsonCalls(source, sink, marks) };
}

/** Shorter words, and words that are no tags, are too likely in text. */
const isTag = (word: string) => word.length >= 6 && /^[<[]/.test(word);

/** A section or wrapper that the model left out is not missed: each tag may be the first. */
function namedReader(marks: NamedCallMarks): CallReader | null {
  const starts = new Map<string, number>();
  for (const [at, word] of marks.open.entries()) {
    if (word !== null && (at === 0 || isTag(word)) && !starts.has(word)) starts.set(word, at);
  }
  if (starts.size === 0) return null;
  const json = listInside(marks);
  return {
    marks: [...starts.keys()],
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
