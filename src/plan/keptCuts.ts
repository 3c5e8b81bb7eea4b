/**
 * Which of a plan's cuts are worth keeping, and why (ARCHITECTURE.md, "Kept states"). Found in the tokens alone. It may
 * look at the whole prompt, is in no key and changes no bit; where a named place is no cut, the nearest cut
 * before it is kept.
 */
import { matchAt, OpenerSet } from "./OpenerSet.ts";
import type { ChunkRules, Keep, KeepReason, Plan } from "./Plan.ts";

const ORDER: readonly KeepReason[] = [
  "head",
  "user-start",
  "user-inside",
  "user-end",
  "reply-start",
  "tail-start",
  "last",
];

export function keepOf(tokens: Int32Array, cuts: Int32Array, rules: ChunkRules): readonly Keep[] {
  const { firstUser, lastUser, lastUserEnd, reply, tail } = placesOf(tokens, rules);
  const places = new Map<KeepReason, number>([
    ["head", firstUser],
    ["user-start", lastUser],
    ["user-inside", lastCutInside(cuts, lastUser, lastUserEnd)],
    ["user-end", lastUserEnd],
    ["reply-start", reply],
    ["tail-start", tail],
    ["last", tokens.length],
  ]);
  // Where the generation prompt holds no cut, as in most templates, both are one state.
  if (lastCutAt(cuts, reply) === lastCutAt(cuts, tokens.length)) places.delete("reply-start");
  const keep: Keep[] = [];
  for (const reason of ORDER) {
    const cut = lastCutAt(cuts, places.get(reason) ?? 0);
    if (cut > 0) keep.push({ cut, reason });
  }
  // The first user message may be the last; the sort is stable, so equal cuts stay in ORDER.
  return keep.sort((a, b) => a.cut - b.cut);
}

/** The plan with more of its cuts to be kept; they change no cut, no trip and no key. */
export function withLearned(plan: Plan, cuts: readonly number[]): Plan {
  if (cuts.length === 0) return plan;
  const learned = cuts.map((cut): Keep => ({ cut, reason: "learned" }));
  return { ...plan, keep: [...plan.keep, ...learned].sort((a, b) => a.cut - b.cut) };
}

interface Places {
  /** Start of the first user message: the end of system prompt and tools. Each is 0 where there is none. */
  readonly firstUser: number;
  readonly lastUser: number;
  /** Start of the message after the last user message. */
  readonly lastUserEnd: number;
  /** Start of the last message that is none of the user's, where no user message follows. */
  readonly reply: number;
  /** Start of what the template prints behind the last message whatever follows. */
  readonly tail: number;
}

function placesOf(tokens: Int32Array, rules: ChunkRules): Places {
  const users = OpenerSet.of(rules.userOpeners);
  const others = OpenerSet.of(rules.otherOpeners ?? NONE);
  const starts = OpenerSet.of(rules.openers);
  const prefaces = OpenerSet.of(rules.userPrefaces ?? NONE);
  const tails = OpenerSet.of(rules.tailOpeners ?? NONE);
  const places = { firstUser: 0, lastUser: 0, lastUserEnd: 0, reply: 0, tail: 0 };
  if (users.isEmpty) return places;
  let seen = false;
  let preface = -1;
  for (let at = 0; at < tokens.length; at++) {
    const user = length(matchAt(users, tokens, at));
    const other = length(matchAt(others, tokens, at));
    if (length(matchAt(tails, tokens, at)) > 0) places.tail = at;
    if (user > 0 && user >= other) {
      const start = openerIn(starts, tokens, at, user);
      if (!seen) places.firstUser = start;
      seen = true;
      places.lastUser = preface < 0 ? start : preface;
      places.lastUserEnd = 0;
      places.reply = 0;
      preface = -1;
      // The opener is passed over: it cannot end its own message.
      at += user - 1;
      continue;
    }
    if (length(matchAt(prefaces, tokens, at)) > 0) {
      if (preface < 0) preface = at;
    } else if (other > 0) {
      preface = -1;
      places.reply = openerIn(starts, tokens, at, other);
    }
    if (seen && places.lastUserEnd === 0 && length(matchAt(starts, tokens, at)) > 0) places.lastUserEnd = at;
  }
  // A tail in plain text has no opener: the user's message goes on up to it.
  if (places.tail > places.lastUser && places.lastUser > 0) {
    places.lastUserEnd = Math.min(places.lastUserEnd || places.tail, places.tail);
  }
  return places;
}

/** Where a match that began with the end of the message before comes to its own opener. */
function openerIn(starts: OpenerSet, tokens: Int32Array, from: number, size: number): number {
  for (let at = from; at < from + size; at++) if (length(matchAt(starts, tokens, at)) > 0) return at;
  return from;
}

const NONE: readonly (readonly number[])[] = [];

function length(match: number | "undecided"): number {
  return match === "undecided" ? 0 : match;
}

/** The last cut between a message's first token and its end, where that is a cut of its own; else 0. */
function lastCutInside(cuts: Int32Array, start: number, end: number): number {
  const cut = lastCutAt(cuts, end - 1);
  return cut > start && lastCutAt(cuts, end) > cut ? cut : 0;
}

/** The last cut at or before `place`, 0 where there is none. */
function lastCutAt(cuts: Int32Array, place: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (cuts[low - 1] ?? 0);
}
