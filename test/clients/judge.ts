/**
 * The oracle over what a client really sent: where could each request have resumed? The request before it is
 * rendered with the reply as the client sent it back and with two next texts that have nothing in common; what these
 * share with the prompt that came was there to be warmed. The last cut in it, by the naive rule, is the answer.
 * Neither the planner nor the server's figures are asked: what was prefilled is counted at the device.
 */
import { lastPlace, shared } from "../support/oracle/expectedResume.ts";
import type { CutRules } from "../support/oracle/naiveCuts.ts";
import type { Body, Entry, Json } from "./body.ts";

/** A request as it came, with its prompt. */
export interface Asked {
  readonly path: string;
  readonly body: Body;
  readonly prompt: Int32Array;
}

export interface Known {
  /** Tokens that could be known before it came. */
  readonly tokens: number;
  /**
   * Of those, how far a kept place reaches where memory cannot be rolled back: to what was foreseen, and where a
   * prompt was rewritten to the start of the message in front, by design.md's list of what is kept.
   */
  readonly kept: number;
  /** Whether it goes on from an earlier request's reply, and not from its prompt alone. */
  readonly foreseen: boolean;
}

export type PromptOf = (path: string, body: Body) => Promise<Int32Array | undefined>;

const PROBES = ["Alpha one", "zweite 2"] as const;

/** What tells messages apart in a prompt's tokens. */
export interface Messages {
  /** The token that opens every message. */
  readonly opener: number;
  /** Whether the message that opens at this token is the user's own, and no result. */
  isUser(prompt: Int32Array, at: number): boolean;
}

/** `before` are the requests that came before `next`, in order. */
export async function knownOf(
  next: Asked,
  before: readonly Asked[],
  messages: Messages,
  promptOf: PromptOf,
): Promise<Known> {
  let known: Known = { tokens: 0, kept: 0, foreseen: false };
  for (const sent of before) {
    const plain = shared([...sent.prompt], [...next.prompt]);
    const foreseen = await foreseenTokens(sent, next, promptOf);
    const goesOn = foreseen > plain;
    const whole = goesOn || plain === sent.prompt.length;
    const tokens = Math.max(plain, foreseen);
    const kept = Math.max(known.kept, whole ? tokens : keptPlace(sent.prompt, plain, messages));
    known = tokens > known.tokens ? { tokens, kept, foreseen: goesOn } : { ...known, kept };
  }
  return known;
}

/** Start of the first user message, start and end of the last one: the furthest within the first `common` tokens. */
function keptPlace(prompt: Int32Array, common: number, { opener, isUser }: Messages): number {
  const starts = [...prompt.keys()].filter((at) => prompt[at] === opener);
  const users = starts.filter((at) => isUser(prompt, at));
  const last = users.at(-1) ?? 0;
  const places = [users[0] ?? 0, last, starts.find((at) => at > last) ?? 0];
  return Math.max(0, ...places.filter((place) => place <= common));
}

/** The cut (on a window model, the trip) to resume at; 0 where there is none. */
export function lastCut(tokens: number, prompt: Int32Array, rules: CutRules): number {
  return lastPlace([...prompt.subarray(0, tokens)], rules);
}

/** 0 where `next` does not go on from `sent`'s reply. */
async function foreseenTokens(sent: Asked, next: Asked, promptOf: PromptOf): Promise<number> {
  if (sent.body.protocol !== next.body.protocol) return 0;
  const past = sent.body.entries;
  const rest = next.body.entries.slice(past.length);
  const echoEnd = rest.findIndex((entry) => entry.kind !== "reply");
  if (echoEnd <= 0) return 0;
  const echo = rest.slice(0, echoEnd);
  const prompts: number[][] = [];
  for (const text of PROBES) {
    const probe = probeEntries(sent.body, rest.slice(echoEnd), text);
    const body = sent.body.withEntries([...past, ...echo].map((entry) => entry.raw).concat(probe));
    const prompt = await promptOf(sent.path, body);
    if (prompt === undefined) return 0;
    prompts.push([...prompt]);
  }
  const [first = [], second = []] = prompts;
  return Math.min(shared(first, second), shared(first, [...next.prompt]));
}

/** A message of the kind that came, with a text that nobody could know. */
function probeEntries(body: Body, fresh: readonly Entry[], text: string): Json[] {
  const end = fresh.findIndex((entry) => entry.kind !== "result");
  const results = end < 0 ? fresh : fresh.slice(0, end);
  if (results.length === 0) return [body.userEntry(text)];
  return results.map((entry) => body.withResult(entry.raw, text));
}
