/** How far something has come, in one line that fits the terminal. */
import { type Look, paint } from "./Look.ts";

const BAR_CHARS_MAX = 30;

export interface Progress {
  /** What is going on, e.g. `loading Qwen3-8B`. */
  readonly what: string;
  /** 0 … 1. */
  readonly share: number;
  readonly elapsedMs: number;
}

export function progressLine({ what, share, elapsedMs }: Progress, look: Look): string {
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const end = ` ${percent} %  ${Math.floor(elapsedMs / 1000)} s`;
  // One column stays free: a full line makes some terminals go on to the next one.
  const room = look.columns - 1 - end.length;
  const barChars = Math.min(BAR_CHARS_MAX, room - what.length - 1);
  if (barChars >= 5) return `${what} ${bar(share, barChars, look)}${paint(look, "dim", end)}`;
  return `${what.slice(0, Math.max(0, room))}${end}`.slice(0, Math.max(0, look.columns - 1));
}

/** `share` is 0 … 1. */
export function bar(share: number, chars: number, look: Look): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * chars);
  return paint(look, "cyan", "━".repeat(full)) + paint(look, "dim", "─".repeat(chars - full));
}
