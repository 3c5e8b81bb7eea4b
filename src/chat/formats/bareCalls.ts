/**
 * Calls that no mark tells from text (Llama 3): JSON objects, a list of keyword calls, or a name on a line of its own
 * with an object behind it (GLM-4), at the very start of a reply, with the name of a tool that the request has.
 */
import type { CallFormat } from "../CallFormat.ts";
import { jsonValue } from "./JsonScanner.ts";
import { isName, jsonCallMarks, jsonCalls } from "./jsonCalls.ts";
import { namedCallMarks, namedCalls } from "./namedCalls.ts";
import type { CallRead, ReplySink } from "./ReplySink.ts";
import type { ReplySource, Step } from "./ReplySource.ts";

const PYTHON_TAG = "<|python_tag|>";

/** Takes them, or leaves the text to be read as text. */
export function* bareCalls(source: ReplySource, sink: ReplySink, format: CallFormat): Step<void> {
  source.record();
  yield* source.space();
  yield* source.match(PYTHON_TAG);
  yield* source.space();
  const char = yield* source.peek();
  let read: CallRead = "none";
  const objects = { ...jsonCallMarks(format), close: [], bare: true };
  const isLine = format.shape === "named" && format.arguments.kind === "json";
  if (isLine) read = yield* namedLine(source, sink);
  else if (char === "{") read = yield* jsonCalls(source, sink, { ...objects, open: [] });
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

/** Text is let go at its first character that no name has. */
function* namedLine(source: ReplySource, sink: ReplySink): Step<CallRead> {
  let name = "";
  for (;;) {
    const char = yield* source.peek();
    if (char === "\n") break;
    if (char === "" || !isName(name + char)) return "none";
    name += source.take(1);
  }
  if (!sink.knows(name)) return "none";
  yield* source.space();
  if ((yield* source.peek()) !== "{") return "none";
  source.forget();
  sink.open(name);
  return (yield* jsonValue(source, (text) => sink.arguments(text))) ? "call" : "cut";
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
