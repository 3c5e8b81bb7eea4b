/**
 * Calls that no mark tells from text (Llama 3): JSON objects or a list of keyword calls at the very start of a
 * reply, with the name of a tool that the request has.
 */
import type { CallFormat } from "../CallFormat.ts";
import { jsonCallMarks, jsonCalls } from "./jsonCalls.ts";
import { namedCallMarks, namedCalls } from "./namedCalls.ts";
import type { ReplySink } from "./ReplySink.ts";
import type { ReplySource, Step } from "./ReplySource.ts";

const PYTHON_TAG = "<|python_tag|>";

/** Takes them, or leaves the text to be read as text. */
export function* bareCalls(source: ReplySource, sink: ReplySink, format: CallFormat): Step<void> {
  source.record();
  yield* source.space();
  yield* source.match(PYTHON_TAG);
  yield* source.space();
  const char = yield* source.peek();
  let read: string = "none";
  const objects = { ...jsonCallMarks(format), close: [], bare: true };
  if (char === "{") read = yield* jsonCalls(source, sink, { ...objects, open: [] });
  else if (char === "[") {
    source.take(1);
    yield* source.space();
    const isObject = (yield* source.peek()) === "{";
    if (isObject) read = yield* jsonCalls(source, sink, { ...objects, open: ["["] });
    else read = yield* namedCalls(source, sink, KEYWORD_CALLS, 0);
  }
  if (read === "none") sink.text(source.recorded());
  source.forget();
}

const KEYWORD_CALLS = namedCallMarks({
  shape: "named",
  sectionStart: "[",
  separator: ", ",
  sectionEnd: "]",
  parts: [{ slot: "name" }, "(", { slot: "arguments" }, ")"],
  arguments: { kind: "pythonic" },
  several: true,
  bare: true,
});
