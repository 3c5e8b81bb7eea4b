/** How far a fetch has come, in words and in one line with a bar. */
import { sizeText } from "../hub/sizeText.ts";
import type { Look } from "./Look.ts";
import { bar } from "./progressLine.ts";

export interface ProgressNumbers {
  readonly file: string;
  readonly bytes: number;
  readonly size: number;
  /** 0 where it is not known yet. */
  readonly bytesPerSecond: number;
}

const BAR_CHARS_MIN = 8;
const BAR_CHARS_MAX = 40;
const NAME_CHARS_MIN = 12;

/** `0:48`, `12:05`, `1:02:03`. */
export function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/** `31.2 MB/s, 0:48 left`; "" without a rate. */
export function rateText({ bytes, size, bytesPerSecond }: ProgressNumbers): string {
  if (bytesPerSecond <= 0) return "";
  return `${sizeText(Math.round(bytesPerSecond))}/s, ${timeText((size - bytes) / bytesPerSecond)} left`;
}

/** Rounded down: 100 % is when all is there. */
export function percentOf({ bytes, size }: Pick<ProgressNumbers, "bytes" | "size">): number {
  return size === 0 ? 100 : Math.floor((100 * bytes) / size);
}

/** Narrower than the terminal: a full line makes some go on to the next one. */
export function fetchLine(numbers: ProgressNumbers, look: Look): string {
  const { file, bytes, size } = numbers;
  const sizes = `${sizeText(bytes)} of ${sizeText(size)}`;
  const end = [`${percentOf(numbers)} %`.padStart(5), sizes, rateText(numbers)].filter(Boolean).join("  ");
  const columns = look.columns - 1;
  const room = columns - end.length - 4;
  if (room < NAME_CHARS_MIN + BAR_CHARS_MIN) return end.trimStart().slice(0, Math.max(0, columns));
  const name = shortened(file.slice(file.lastIndexOf("/") + 1), room - BAR_CHARS_MIN);
  const chars = Math.min(BAR_CHARS_MAX, room - name.length);
  return `${name}  ${bar(size === 0 ? 1 : bytes / size, chars, look)}  ${end}`;
}

/** The ends of a file's name tell more than its middle. */
function shortened(name: string, chars: number): string {
  if (name.length <= chars) return name;
  const end = Math.ceil((chars - 1) / 2);
  return `${name.slice(0, chars - 1 - end)}…${name.slice(-end)}`;
}
