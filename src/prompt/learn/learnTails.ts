/**
 * What a template prints behind the last message, whatever follows it: tools, an instruction, the date, how much to
 * think. The next turn prints it further on, so all that can be kept is what stands in front. Learnt from the same
 * message once as the last and once not: where the tokens part, a special token has to end the message's text.
 */
import type { Message, Tool } from "../../chat/Message.ts";
import type { OpenerSource } from "./OpenerSource.ts";
import { TRIAL_TOOL, trialInput, trialReply, trialResult } from "./trialMessages.ts";

export interface Tails {
  /**
   * Special tokens that have to be openers, so that a cut stands where a message and its tail part: the tail's
   * first, and what stands there instead when no tail does; or the mark that closes the message in front of a tail
   * in plain text. None where an opener stands there already, or where all of it is plain text.
   */
  readonly boundaries: readonly number[];
  /** What a tail begins with, token ids, as long as no text, tool or reply does so; for `keep` only. */
  readonly tails: readonly (readonly number[])[];
}

/** `firsts` are the openers so far; `replies` the long openers of replies, which begin generation prompts, too. */
export function learnTails(
  source: OpenerSource,
  firsts: ReadonlySet<number>,
  replies: readonly (readonly number[])[],
): Tails {
  const boundaries = new Set<number>();
  const tails = new Map<string, readonly number[]>();
  for (const history of HISTORIES) {
    const forks = LAST_TEXTS.map((text) => forkOf(source, firsts, history, text));
    for (const fork of forks) for (const special of fork?.boundaries ?? []) boundaries.add(special);
    const begins = forks.flatMap((fork) => fork?.tail ?? []);
    const tail = commonTail(forks.map((fork) => fork?.tail));
    if (begins.length === 0 || tail.length === 0) continue;
    if (!replies.some((reply) => startsWith(tail, reply))) tails.set(tail.join(), tail);
  }
  return { boundaries: [...boundaries], tails: [...tails.values()] };
}

/** Ends of a text that meet a tail in different ways: merged with its line break or not. */
const LAST_TEXTS = ["wtlast", "wtlast.", "wtlast 1"];
const USER: Message = { role: "user", content: "wtfirst" };
const CALL = trialReply("", { argument: "wtargument" });

interface History {
  readonly messages: readonly Message[];
  readonly last: (text: string) => Message;
  readonly tools: readonly Tool[];
}

const user = (content: string): Message => ({ role: "user", content });
const HISTORIES: readonly History[] = [
  { messages: [], last: user, tools: [] },
  { messages: [], last: user, tools: [TRIAL_TOOL] },
  { messages: [{ role: "system", content: "wtsystem" }], last: user, tools: [] },
  { messages: [USER, trialReply("wtreply")], last: user, tools: [] },
  { messages: [USER, trialReply("wtreply")], last: user, tools: [TRIAL_TOOL] },
  { messages: [USER, CALL], last: trialResult, tools: [TRIAL_TOOL] },
];

interface Fork {
  readonly boundaries: readonly number[];
  /** From the cut to the token at which the tail parts from what stands there without it. */
  readonly tail: readonly number[];
}

/** Undefined where the template refuses, or where the next prompt goes on from the whole of this one. */
function forkOf(
  source: OpenerSource,
  firsts: ReadonlySet<number>,
  { messages, last, tools }: History,
  text: string,
): Fork | undefined {
  const asked = [...messages, last(text)];
  const rendered = source.render(trialInput(asked, tools), true);
  const next = source.render(trialInput([...asked, trialReply("wtanswer"), user("wtnext")], tools), true);
  const end = rendered === undefined ? -1 : rendered.lastIndexOf(text) + text.length;
  // Text that was moved or dropped says nothing.
  if (rendered === undefined || next?.slice(0, end) !== rendered.slice(0, end) || end < text.length) {
    return undefined;
  }
  const a = source.tokenise(rendered);
  const b = source.tokenise(next);
  let fork = 0;
  while (fork < a.length && a[fork] === b[fork]) fork++;
  if (fork >= Math.min(a.length, b.length)) return undefined;
  const from = source.tokenise(rendered.slice(0, end)).length;
  const isSpecial = (token: number | undefined): token is number =>
    token !== undefined && source.vocab.specials.some(({ id }) => id === token);
  const tailFrom = (at: number): readonly number[] => [...a.slice(at, fork + 1)];
  let closer = -1;
  for (let at = from; at < fork; at++) {
    const token = a[at] ?? -1;
    if (firsts.has(token)) return { boundaries: [], tail: tailFrom(at) };
    if (isSpecial(token)) closer = at;
  }
  const own = a[fork];
  const other = b[fork];
  if (isSpecial(own) && isSpecial(other) && fork >= from) {
    return { boundaries: [own, other], tail: tailFrom(fork) };
  }
  if (closer >= 0) return { boundaries: [a[closer] ?? -1], tail: tailFrom(closer) };
  return { boundaries: [], tail: [...a.slice(fork, fork + PLAIN_TAIL_TOKENS)] };
}

/** So many tokens of plain text are no message's own by chance. */
const PLAIN_TAIL_TOKENS = 8;

/**
 * What all tails share; of plain ones the start may have merged with the text before, and what is left is the end.
 */
function commonTail(tails: readonly (readonly number[] | undefined)[]): readonly number[] {
  const [first = [], ...others] = tails.filter((tail) => tail !== undefined);
  const same = (from: number): number => {
    let length = 0;
    while (
      from + length < first.length &&
      others.every((other) => containsAt(other, first.slice(from, from + length + 1)))
    ) {
      length++;
    }
    return length;
  };
  const from = first.findIndex((_, at) => same(at) > 0);
  return from < 0 ? [] : first.slice(from, from + same(from));
}

function containsAt(tokens: readonly number[], part: readonly number[]): boolean {
  return tokens.some((_, at) => startsWith(tokens.slice(at), part));
}

function startsWith(tokens: readonly number[], start: readonly number[]): boolean {
  return start.length > 0 && start.every((token, i) => tokens[i] === token);
}
