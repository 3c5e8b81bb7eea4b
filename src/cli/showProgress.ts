/** A fetch as a person sees it: one bar that moves on a terminal, plain lines now and then elsewhere. */
import type { PullProgress } from "../hub/PullProgress.ts";
import { sizeText } from "../hub/sizeText.ts";
import { fetchLine, type ProgressNumbers, percentOf, rateText } from "./fetchLine.ts";
import type { Look } from "./Look.ts";
import { StatusLine } from "./StatusLine.ts";

export interface ProgressOutput {
  /** A whole line. */
  readonly line: (text: string) => void;
  /** Where a line can be written over; null elsewhere. */
  readonly terminal: { readonly write: (text: string) => void; readonly look: Look } | null;
  /** Milliseconds. */
  readonly now: () => number;
}

const REDRAW_MS = 100;
/** The rate is that of the last seconds. */
const WINDOW_MS = 5_000;
/** Without a terminal there is a line for every so many percent, or after so long. */
const LINE_PERCENT = 10;
const LINE_MS = 30_000;

export function showProgress({ line, terminal, now }: ProgressOutput): PullProgress {
  const status = terminal === null ? null : new StatusLine(terminal.write);
  let numbers: ProgressNumbers = { file: "", bytes: 0, size: 0, bytesPerSecond: 0 };
  let samples: readonly Sample[] = [];
  let shownAt = 0;
  let shownPercent = 0;
  const noteShown = (): void => {
    shownAt = now();
    shownPercent = percentOf(numbers);
  };
  const draw = (): void => {
    noteShown();
    const rate = rateText(numbers);
    if (terminal !== null) status?.show(fetchLine(numbers, terminal.look));
    else line(`${numbers.file}: ${shownPercent} %${rate === "" ? "" : `, ${rate}`}`);
  };
  const isDue = (): boolean => {
    const ms = now() - shownAt;
    if (terminal !== null) return ms >= REDRAW_MS;
    const steps = Math.floor(percentOf(numbers) / LINE_PERCENT) - Math.floor(shownPercent / LINE_PERCENT);
    return numbers.bytes < numbers.size && (steps > 0 || ms >= LINE_MS);
  };
  return {
    note(text) {
      if (status === null) line(`${text}.`);
      else status.above(`${text}.\n`);
    },
    begin(file, bytes, size) {
      numbers = { file, bytes, size, bytesPerSecond: 0 };
      samples = [{ at: now(), bytes }];
      if (terminal !== null) return draw();
      noteShown();
      line(`${file}: ${bytes === 0 ? "" : `going on at ${sizeText(bytes)} of `}${sizeText(size)}`);
    },
    advance(bytes) {
      samples = withSample(samples, { at: now(), bytes });
      numbers = { ...numbers, bytes, bytesPerSecond: rateOf(samples, { at: now(), bytes }) };
      if (isDue()) draw();
    },
    end() {
      status?.show("");
      line(`${numbers.file}: ${sizeText(numbers.size)}, whole and checked`);
    },
  };
}

interface Sample {
  readonly at: number;
  readonly bytes: number;
}

/** Not for every piece: there are thousands a second. */
function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  // Fetched again from its start.
  if (last === undefined || sample.bytes < last.bytes) return [sample];
  if (sample.at - last.at < REDRAW_MS) return samples;
  return [...samples.filter(({ at }) => sample.at - at <= WINDOW_MS), sample];
}

function rateOf([first]: readonly Sample[], last: Sample): number {
  if (first === undefined || last.at === first.at) return 0;
  return (1000 * (last.bytes - first.bytes)) / (last.at - first.at);
}
