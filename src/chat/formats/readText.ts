/** Text with calls in it: what opens a call and turns out to be none is text again. */
import type { CallRead, ReplySink } from "./ReplySink.ts";
import type { ReplySource, Step } from "./ReplySource.ts";

/** Where a reply begins. */
export type ReplyStart =
  /** The reply begins behind the generation prompt. */
  | "start"
  /** The prompt's end has opened the reasoning. */
  | "reasoning"
  /** The prompt ends inside a text that the reply continues. */
  | "text";

/** How one call format is found and read. */
export interface CallReader {
  /** Marks that open calls. */
  readonly marks: readonly string[];
  /** Marks that only close: alone they are no text. */
  readonly strays: readonly string[];
  /** From behind `mark`; `record` is on, and is left on only for "none". */
  read(source: ReplySource, sink: ReplySink, mark: string): Step<CallRead>;
}

/** Text and calls, up to one of `ends` (taken; null at the end of the reply). */
export function* readText(
  source: ReplySource,
  sink: ReplySink,
  calls: CallReader | null,
  dropped: readonly string[],
  ends: readonly string[],
): Step<string | null> {
  const marks = [...(calls?.marks ?? []), ...dropped, ...ends];
  for (;;) {
    const mark = yield* source.until(marks, (text) => sink.text(text));
    if (mark === null) return null;
    source.take(mark.length);
    if (ends.includes(mark)) return mark;
    if (calls?.marks.includes(mark) !== true) continue;
    source.record(mark);
    if ((yield* calls.read(source, sink, mark)) === "none") sink.text(source.recorded());
  }
}
