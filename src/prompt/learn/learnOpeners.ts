/**
 * What opens a message, as token ids, learnt once from small sentinel conversations. Between the end of one
 * message's text and the start of the next stand special tokens: what the template also writes when nothing
 * follows closes the message before and belongs to it; the first of the rest opens the next.
 * A template without special tokens has no openers, and is cut by length alone.
 */
import type { Message } from "../../chat/Message.ts";
import { learnTails } from "./learnTails.ts";
import type { OpenerSource } from "./OpenerSource.ts";
import { TRIAL_TOOL, trialInput, trialReply, trialResult } from "./trialMessages.ts";

export interface Openers {
  /** Each a single special token. */
  readonly openers: readonly (readonly number[])[];
  /** Longest stable sequences that open a user message, and those that open another. */
  readonly userOpeners: readonly (readonly number[])[];
  readonly otherOpeners: readonly (readonly number[])[];
  /** Each a single special token: what a template puts in front of a user message (its tools), and may move. */
  readonly userPrefaces: readonly (readonly number[])[];
  /** What a tail begins with: see `learnTails`. */
  readonly tailOpeners: readonly (readonly number[])[];
}

export function learnOpeners(source: OpenerSource): Openers {
  const gaps = new Map<Message["role"], Gap[]>();
  const closers = new Set<number>(source.vocab.eos >= 0 ? [source.vocab.eos] : []);
  const heads = new Set<number>();
  for (const messages of CONVERSATIONS) {
    const rendered = rendering(source, messages, false);
    if (rendered === undefined) continue;
    for (const gap of gapsOf(source, rendered, messages)) {
      const same = gaps.get(gap.role);
      if (same === undefined) gaps.set(gap.role, [gap]);
      else same.push(gap);
      for (const closer of closersIn(source, messages, gap)) closers.add(closer);
    }
    const head = firstOpener(source, rendered);
    if (head !== undefined) heads.add(head);
  }
  // What begins a prompt closes nothing; without this, a template that opens a reply unasked would say so.
  for (const head of heads) closers.delete(head);

  const firsts = new Set<number>();
  for (const same of gaps.values()) for (const opener of openersOf(same, closers)) firsts.add(opener);
  const result = [USER, trialReply("", { argument: "wtargument" })];
  const learn = (wide: boolean) => ({
    users: USER_ENDS.flatMap((history) => longOpener(source, firsts, history, userText, wide)),
    replies: longOpener(source, firsts, [USER], trialReply, wide),
  });
  const { users, replies } = learn(false);
  let told = differing(users, replies);
  if (told.length === 0) {
    // Where the role stands in front of the special token (GigaChat), what closed the message before tells it.
    const wide = learn(true);
    told = differing(wide.users, wide.replies);
  }
  const userFirsts = new Set(users.map(([first]) => first));
  const prefaces = openersOf(gaps.get("user") ?? [], closers).filter((opener) => !userFirsts.has(opener));
  const { boundaries, tails } = learnTails(source, firsts, replies);
  return {
    openers: [...new Set([...firsts, ...boundaries])].sort((a, b) => a - b).map((opener) => [opener]),
    userOpeners: distinct(told),
    otherOpeners: distinct([...longOpener(source, firsts, result, trialResult, false), ...replies]),
    userPrefaces: distinct(prefaces.map((opener) => [opener])),
    tailOpeners: tails,
  };
}

function differing(users: readonly number[][], replies: readonly number[][]): number[][] {
  const same = new Set(replies.map((opener) => opener.join()));
  return users.filter((opener) => !same.has(opener.join()));
}

const USER = userText("wtfirst");
const userEnd = [USER, trialReply("wtreply")];
/** Histories after which a user message may come. */
const USER_ENDS: readonly (readonly Message[])[] = [[], [{ role: "system", content: "wtsystem" }], userEnd];

const LOOP: readonly Message[] = [
  USER,
  trialReply("wtreply"),
  userText("wtsecond"),
  trialReply("", { argument: "wtargument" }),
  trialResult("wtresult"),
  trialReply("wtanswer"),
  userText("wtthird"),
];
const CHAT: readonly Message[] = LOOP.slice(0, 3);
const SYSTEM: Message = { role: "system", content: "wtsystem" };
const CONVERSATIONS: readonly (readonly Message[])[] = [[SYSTEM, ...LOOP], LOOP, [SYSTEM, ...CHAT], CHAT];

function userText(content: string): Message {
  return { role: "user", content };
}

interface Gap {
  readonly role: Message["role"];
  /** Role of the message in front of it. */
  readonly after: Message["role"] | undefined;
  /** Index of the message that the gap opens. */
  readonly index: number;
  /** Special tokens between the text before and this message's text. */
  readonly specials: readonly number[];
}

interface Span {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

function rendering(source: OpenerSource, messages: readonly Message[], prompt: boolean): string | undefined {
  const tools = messages.some((message) => message.role === "tool") ? [TRIAL_TOOL] : [];
  return source.render(trialInput(messages, tools), prompt);
}

/** Where each message's own text stands; a template may drop a message. */
function spans(rendered: string, messages: readonly Message[]): Span[] {
  const found: Span[] = [];
  for (const [index, message] of messages.entries()) {
    const text = ownText(message);
    const from = rendered.indexOf(text);
    if (from >= 0) found.push({ index, from, to: rendered.lastIndexOf(text) + text.length });
  }
  // A template that moves the system text moves its span.
  return found.sort((a, b) => a.from - b.from);
}

function ownText(message: Message): string {
  const calls = message.role === "assistant" && message.toolCalls.length > 0;
  return calls ? "wtargument" : message.content;
}

function gapsOf(source: OpenerSource, rendered: string, messages: readonly Message[]): Gap[] {
  const gaps: Gap[] = [];
  const all = spans(rendered, messages);
  for (const [i, span] of all.entries()) {
    const before = all[i - 1];
    const message = messages[span.index];
    if (before === undefined || message === undefined) continue;
    const specials = specialsIn(source, rendered.slice(before.to, span.from));
    gaps.push({ role: message.role, after: messages[before.index]?.role, index: span.index, specials });
  }
  return gaps;
}

function specialsIn(source: OpenerSource, text: string): number[] {
  return source.spellings.find(text).map(({ special }) => special.id);
}

/** The special token that a prompt begins with; the one behind BOS where BOS stands alone in front. */
function firstOpener(source: OpenerSource, rendered: string): number | undefined {
  const [first, second] = source.spellings.find(rendered);
  const alone = first?.special.id === source.vocab.bos && second?.from === first.to;
  return (alone ? second : first)?.special.id;
}

/** Of a gap's special tokens, those that the template writes as well when the conversation ends there. */
function closersIn(source: OpenerSource, messages: readonly Message[], gap: Gap): number[] {
  const history = messages.slice(0, gap.index);
  const rendered = rendering(source, history, false);
  const last = rendered === undefined ? undefined : spans(rendered, history).at(-1);
  // Behind a message whose text was dropped stand its own marks, the opening one included.
  if (rendered === undefined || last?.index !== gap.index - 1) return [];
  const trailing = specialsIn(source, rendered.slice(last.to));
  let same = 0;
  while (same < trailing.length && trailing[same] === gap.specials[same]) same++;
  return trailing.slice(0, same);
}

/**
 * The first special token of each gap that closes nothing. Hardly any template renders a system message alone,
 * so what closes one is not known: behind it only the end that other gaps before this role share is looked at.
 */
function openersOf(gaps: readonly Gap[], closers: ReadonlySet<number>): number[] {
  const others = gaps.filter((gap) => gap.after !== "system");
  return gaps.flatMap((gap) => {
    const shared =
      gap.after === "system" && others.length > 0
        ? others.map((other) => other.specials).reduce(commonEnd, gap.specials)
        : gap.specials;
    return shared.find((special) => !closers.has(special)) ?? [];
  });
}

function commonEnd(a: readonly number[], b: readonly number[]): readonly number[] {
  let same = 0;
  while (same < a.length && same < b.length && a.at(-1 - same) === b.at(-1 - same)) same++;
  return a.slice(a.length - same);
}

/** Texts that meet the end of an opener in different ways: merged with its line breaks, its space, or neither. */
const NEXT_TEXTS = ["A", "\n\nB", " C", "1", '"'];

/**
 * From the last opener before the next message's text, as far as the tokens stay the same whatever that text
 * is; `wide` begins a special token earlier. Empty where the template refuses, or where no special token opens the message.
 */
function longOpener(
  source: OpenerSource,
  firsts: ReadonlySet<number>,
  history: readonly Message[],
  next: (text: string) => Message,
  wide: boolean,
): number[][] {
  const before = history.at(-1);
  let stable: Int32Array | undefined;
  let start = -1;
  for (const text of NEXT_TEXTS) {
    const rendered = rendering(source, [...history, next(text)], false);
    if (rendered === undefined) return [];
    const tokens = source.tokenise(rendered);
    if (stable === undefined) {
      stable = tokens;
      continue;
    }
    let same = 0;
    while (same < stable.length && same < tokens.length && stable[same] === tokens[same]) same++;
    stable = stable.slice(0, same);
    const from = before === undefined ? 0 : rendered.lastIndexOf(ownText(before)) + ownText(before).length;
    const specials = source.spellings
      .find(rendered)
      .filter((spelled) => spelled.from >= from)
      .map(({ from, special }) => ({ at: source.tokenise(rendered.slice(0, from)).length, special }));
    const opener = specials.findLastIndex(({ at, special }) => at < same && firsts.has(special.id));
    start = specials[wide && opener > 0 ? opener - 1 : opener]?.at ?? -1;
    if (start < 0) return [];
  }
  return stable === undefined || start < 0 ? [] : [[...stable.slice(start)]];
}

function distinct(sequences: readonly number[][]): number[][] {
  return [...new Map(sequences.map((sequence) => [sequence.join(), sequence])).values()];
}
