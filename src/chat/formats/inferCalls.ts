/**
 * The call format of a template, from what it renders for calls with sentinels for names, keys, values and ids:
 * what stays between them is how calls are spelt. Null where the pieces make no format that is known.
 */
import type { CallFormat, CallPart } from "../CallFormat.ts";
import { atomsOf, commonEnd, commonStart } from "./atoms.ts";
import { inferTagged } from "./inferTagged.ts";
import { objectOf, type ReplyTrial, TRIAL_NAMES, type TrialCall } from "./ReplyTrial.ts";

const [FIRST, SECOND] = TRIAL_NAMES;
const KEY = "wtkeya";
const VALUE = "wtvaluea";
const one: TrialCall = { name: FIRST, arguments: objectOf({ [KEY]: VALUE }) };
const two: TrialCall = { name: SECOND, arguments: objectOf({ [KEY]: VALUE }) };

/** Stand for an id and an index (from 0, from 1) inside literals; no template writes private-use characters. */
const ID = "\uE000";
const INDEXES = ["\uE001", "\uE002"] as const;

/** A call's text around its arguments. */
interface Frame {
  /** In front of the name. */
  readonly head: string;
  /** From behind the name to the arguments. */
  readonly middle: string;
  /** From behind the arguments to the end of all. */
  readonly tail: string;
}

export function inferCalls(given: ReplyTrial): CallFormat | null {
  let trial = given;
  let text = trial.calls([one]);
  if (text === undefined) {
    // A template that writes ids alone (Kimi's first) shows the name only inside one.
    trial = given.withNamedIds();
    text = trial.calls([one]);
  }
  if (text === undefined) return null;
  const found = argumentsOf(trial, text);
  if (found === null) return null;
  const { kind, span } = found;
  const frame = frameOf(withIds(text, trial), span, kind.kind === "tagged" ? found.middle : null);
  if (frame === null) return null;
  const both = trial.calls([one, two]);
  const several = both === undefined ? null : withSecond(withIds(both, trial), frame, span);
  const single = {
    sectionStart: "",
    head: frame.head,
    middle: frame.middle,
    end: frame.tail,
    separator: "",
    sectionEnd: "",
  };
  const pieces = several ?? single;
  const isJson = kind.kind === "json" && /"\s*$/.test(frame.head) && /^"\s*[,:]/.test(frame.middle);
  const parts = partsOf(pieces.head, pieces.middle, pieces.end);
  const format: CallFormat = {
    shape: isJson ? "json" : "named",
    sectionStart: pieces.sectionStart,
    separator: pieces.separator,
    sectionEnd: pieces.sectionEnd,
    parts,
    arguments: kind,
    several: several !== null,
    bare: isJson
      ? OBJECT_HEAD.test(pieces.sectionStart + pieces.head)
      : isBareName(pieces.sectionStart + pieces.head, pieces.middle, kind.kind),
  };
  const hasMark = format.bare || (pieces.sectionStart + pieces.head).trim() !== "";
  return hasMark ? format : null;
}

/** No more than JSON in front of the first name: brackets, and keys with what else the API's form has (id, type). */
const OBJECT_HEAD = /^\[?\s*\{(?:\s*"[^"]*"\s*:\s*(?:"[^"]*"\s*,|\{))*\s*"(?:[^"]*"\s*:\s*")?$/;

/** A list of keyword calls, or a name that has a line of its own in front of an object (GLM-4). */
function isBareName(head: string, middle: string, kind: CallFormat["arguments"]["kind"]): boolean {
  return head.trim() === "[" || (head.trim() === "" && kind === "json" && /^[ \t]*\n\s*$/.test(middle));
}

interface Arguments {
  readonly kind: CallFormat["arguments"];
  /** Their text in the trial. */
  readonly span: string;
  /** What belongs to the name, of what stands between name and first key. */
  readonly middle: string;
}

function argumentsOf(trial: ReplyTrial, text: string): Arguments | null {
  const json = /\{\s*"wtkeya"\s*:\s*"wtvaluea"\s*\}/.exec(text)?.[0];
  if (json !== undefined) return { kind: { kind: "json" }, span: json, middle: "" };
  const gemma = `${KEY}:<|"|>${VALUE}<|"|>`;
  if (text.includes(gemma)) return { kind: { kind: "gemma" }, span: gemma, middle: "" };
  const keyword = /wtkeya=(['"])wtvaluea\1/.exec(text)?.[0];
  if (keyword !== undefined && text.includes(`(${keyword})`)) {
    return { kind: { kind: "pythonic" }, span: keyword, middle: "" };
  }
  return inferTagged(trial, text);
}

function withIds(text: string, trial: ReplyTrial): string {
  const plain = [0, 1].map((i) => trial.id(one, i));
  return plain.some((id) => id.includes(FIRST))
    ? text
    : plain.reduce((out, id) => out.replaceAll(id, ID), text);
}

function frameOf(text: string, span: string, middle: string | null): Frame | null {
  const at = text.indexOf(span);
  const name = text.lastIndexOf(FIRST, at);
  if (at < 0 || name < 0) return null;
  const between = text.slice(name + FIRST.length, at);
  return {
    head: text.slice(0, name).replace(/^[\s\S]*<\|message\|>/, ""),
    middle: middle ?? between,
    tail: text.slice(at + span.length),
  };
}

interface Pieces {
  readonly sectionStart: string;
  readonly head: string;
  readonly middle: string;
  readonly end: string;
  readonly separator: string;
  readonly sectionEnd: string;
}

/** What two calls show: where a section ends and a call begins, and what counts the calls. */
function withSecond(text: string, frame: Frame, span: string): Pieces | null {
  const first = text.indexOf(span);
  const second = text.indexOf(span, first + span.length);
  const name = text.lastIndexOf(SECOND, second);
  if (first < 0 || second < 0 || name < first) return null;
  const gap = text.slice(first + span.length, name);
  if (gap.includes(SECOND)) return null;
  const middle = counted(frame.middle, text.slice(name + SECOND.length, second));
  const { literal: head, a, b } = commonHead(frame.head, gap);
  const end = commonStart(frame.tail, b);
  // DeepSeek's R1 closes the section behind several calls alone; the model always does.
  const last = text.slice(second + span.length);
  const closing = frame.tail === end && last.startsWith(end) ? last.slice(end.length) : "";
  return {
    sectionStart: a,
    head,
    middle: middle ?? frame.middle,
    end,
    separator: b.slice(end.length),
    sectionEnd: frame.tail.slice(end.length) || closing,
  };
}

/** The end that both heads share, an index in it included, and what is left of each. */
function commonHead(
  a: string,
  b: string,
): { readonly literal: string; readonly a: string; readonly b: string } {
  let left = a;
  let right = b;
  let literal = "";
  for (;;) {
    const same = commonEnd(left, right);
    literal = same + literal;
    left = left.slice(0, left.length - same.length);
    right = right.slice(0, right.length - same.length);
    const index = INDEXES.find((_, from) => left.endsWith(`${from}`) && right.endsWith(`${from + 1}`));
    if (index === undefined || INDEXES.some((mark) => literal.includes(mark))) break;
    literal = index + literal;
    left = left.slice(0, -1);
    right = right.slice(0, -1);
  }
  return { literal, a: left, b: right };
}

/** `a` with an index where `b` counts one further, if that is all they differ in. */
function counted(a: string, b: string): string | null {
  if (a === b) return a;
  for (let at = 0; at < a.length; at += 1) {
    const index = INDEXES[Number(/[01]/.exec(a.charAt(at))?.[0])];
    if (index === undefined) continue;
    const next = Number(a.charAt(at)) + 1;
    if (`${a.slice(0, at)}${next}${a.slice(at + 1)}` === b) return a.slice(0, at) + index + a.slice(at + 1);
  }
  return null;
}

function partsOf(head: string, middle: string, end: string): CallPart[] {
  return [...slotted(head), { slot: "name" }, ...slotted(middle), { slot: "arguments" }, ...slotted(end)];
}

function slotted(text: string): CallPart[] {
  const parts: CallPart[] = [];
  let literal = "";
  const flush = () => {
    if (literal !== "") parts.push(literal);
    literal = "";
  };
  for (const atom of atomsOf(text)) {
    const from = (INDEXES as readonly string[]).indexOf(atom);
    if (atom !== ID && from < 0) {
      literal += atom;
      continue;
    }
    flush();
    parts.push(atom === ID ? { slot: "id" } : { slot: "index", from });
  }
  flush();
  return parts;
}
