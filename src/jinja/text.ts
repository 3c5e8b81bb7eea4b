/** Python's view of text: white space as Python knows it, positions by code point. */
import { isPythonSpace, PYTHON_SPACE } from "../base/whiteSpace.ts";
import type { Value } from "./values.ts";

export type Side = "left" | "right" | "both";

/** `str.strip`, `lstrip`, `rstrip`; `chars` null strips white space. */
export function strip(text: string, chars: string | null, side: Side = "both"): string {
  const set = chars === null ? undefined : new Set(chars);
  let from = 0;
  let to = text.length;
  const strips = (at: number): number => {
    if (set === undefined) return isPythonSpace(text.charCodeAt(at)) ? 1 : 0;
    const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
    return set.has(point) ? point.length : 0;
  };
  if (side !== "right") {
    for (let step = 1; from < to && step > 0; from += step) step = strips(from);
  }
  if (side !== "left") {
    while (to > from) {
      const wide = to - 2 >= from && isLow(text.charCodeAt(to - 1)) && isHigh(text.charCodeAt(to - 2));
      const step = strips(to - (wide ? 2 : 1));
      if (step === 0) break;
      to -= step;
    }
  }
  return text.slice(from, to);
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

const WIDE = /[\ud800-\udbff]/;
/** The text that was last found to hold no code point of two units: templates ask about one text many times. */
let narrow = "";

/** Whether UTF-16 units are code points in this text. */
export function isNarrow(text: string): boolean {
  if (text === narrow) return true;
  if (WIDE.test(text)) return false;
  narrow = text;
  return true;
}

/** Code points. */
export function lengthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Position in code points of one in UTF-16 units. */
export function pointsAt(text: string, unit: number): number {
  return unit < 0 ? unit : lengthOf(text.slice(0, unit));
}

/** `str.split` at white space. */
export function words(text: string, most: number): string[] {
  const out: string[] = [];
  const word = new RegExp(`[^${PYTHON_SPACE}]+`, "g");
  for (const match of text.matchAll(word)) {
    if (most >= 0 && out.length === most) {
      out.push(strip(text.slice(match.index), null, "right"));
      return out;
    }
    out.push(match[0]);
  }
  return out;
}

/** `str.rsplit` at white space. */
export function wordsFromRight(text: string, most: number): string[] {
  const found = [...text.matchAll(new RegExp(`[^${PYTHON_SPACE}]+`, "g"))];
  if (most < 0 || found.length <= most) return found.map(([word]) => word);
  const kept = most === 0 ? [] : found.slice(-most);
  const before = found.at(-1 - most);
  const head = text.slice(0, (before?.index ?? 0) + (before?.[0].length ?? 0));
  return [head, ...kept.map(([word]) => word)];
}

const BREAK = "\\r\\n|[\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029]";
const LINE = new RegExp(`[^\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029]*(?:${BREAK}|$)`, "g");
const LINE_END = new RegExp(`(?:${BREAK})$`);

/** `str.splitlines`. */
export function lines(text: string, keepEnds = false): string[] {
  const found = text.match(LINE) ?? [];
  const all = found.at(-1) === "" ? found.slice(0, -1) : found;
  return keepEnds ? all : all.map((line) => line.replace(LINE_END, ""));
}

/** By code point: UTF-16 sorts what lies behind U+FFFF before U+E000. */
export function compareText(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === most) return a.length - b.length;
  const left = a.charCodeAt(at);
  const right = b.charCodeAt(at);
  const wide = (code: number): number => (isHigh(code) || isLow(code) ? 1 : 0);
  return wide(left) - wide(right) || left - right;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>'"]/g, (char) => ESCAPES[char] ?? char);
}

/** Each word's first letter in upper case, the rest in lower, as `str.title` does. */
export function titled(text: string): string {
  return text.replace(/\p{L}+/gu, (word) => capitalised(word));
}

export function capitalised(text: string): string {
  const [first = ""] = text;
  // Lowered as a whole: how a sigma is written depends on what stands around it.
  return titleCase(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

/** Python's title case, which writes a letter of two as "Ss", not "SS". */
function titleCase(letter: string): string {
  const upper = letter.toUpperCase();
  return /^\p{Lu}{2,}$/u.test(upper) ? (upper[0] ?? "") + upper.slice(1).toLowerCase() : upper;
}

/** A list of texts as values. */
export function textList(texts: readonly string[]): Value[] {
  return [...texts];
}
