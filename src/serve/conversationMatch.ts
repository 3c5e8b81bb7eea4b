/**
 * How well a request goes on from a conversation's last request: by the chunks that both prompts begin with, past
 * the end of system and tools. Two conversations of one agent share that end, and nothing behind it.
 */
import type { PromptInput } from "../chat/messages.ts";
import type { Plan } from "../prompt/plan.ts";

/** What is remembered of a conversation's last request. */
export interface LastRequest {
  /** API key and user agent. */
  readonly client: string;
  /** What its headers say of its session; "" for nothing. */
  readonly session: string;
  readonly keys: BigUint64Array;
  readonly messageCount: number;
  readonly firstUser: bigint;
  /** The request itself, where it has no cut past its head that it could be known by. */
  readonly short: PromptInput | null;
}

export interface Match {
  /** Chunks that both begin with; 0 where a short prompt was found by its messages. */
  readonly chunks: number;
  /** Breaks ties: a session says more than a client. */
  readonly hints: number;
}

export function lastRequest(plan: Plan, prompt: PromptInput, client: string, session: string): LastRequest {
  const head = headTokens(plan);
  return {
    client,
    session,
    keys: plan.keys,
    messageCount: prompt.messages.length,
    firstUser: firstUser(prompt),
    short: plan.cuts.some((cut) => cut > head) ? null : prompt,
  };
}

/** Undefined where `now` does not go on from `last`. `plan` was made from the prompt of `now`. */
export function matchOf(
  last: LastRequest,
  now: LastRequest,
  plan: Plan,
  prompt: PromptInput,
): Match | undefined {
  const chunks = sharedChunks(last, now, plan);
  if (chunks === 0 && !continuesShort(last.short, prompt)) return undefined;
  const sameSession = now.session !== "" && last.session === now.session;
  return { chunks, hints: (sameSession ? 2 : 0) + (last.client === now.client ? 1 : 0) };
}

export function isBetter(a: Match, b: Match): boolean {
  return a.chunks === b.chunks ? a.hints > b.hints : a.chunks > b.chunks;
}

/** End of system and tools in tokens, or 0 where no cut lies there. */
function headTokens(plan: Plan): number {
  return plan.keep.find((keep) => keep.reason === "head")?.cut ?? 0;
}

/** Chunks that both prompts begin with, or 0 when they part within system and tools. */
function sharedChunks(last: LastRequest, now: LastRequest, plan: Plan): number {
  let shared = 0;
  while (shared < plan.keys.length && plan.keys[shared] === last.keys[shared]) shared += 1;
  const head = headTokens(plan);
  // Where no cut tells system and tools from the rest, the first user message has to.
  if (head === 0 && last.firstUser !== now.firstUser) return 0;
  return (plan.cuts[shared - 1] ?? 0) > head ? shared : 0;
}

function firstUser(prompt: PromptInput): bigint {
  return Bun.hash.xxHash64(prompt.messages.find((message) => message.role === "user")?.content ?? "");
}

/**
 * A prompt too short for a cut past its head ("hi") shares no chunk with any other; it is known by its
 * messages: all of them come first in the new request, and what follows, if anything, is a reply.
 */
function continuesShort(short: PromptInput | null, prompt: PromptInput): boolean {
  if (short === null || short.messages.length > prompt.messages.length) return false;
  const next = prompt.messages[short.messages.length];
  if (next !== undefined && next.role !== "assistant") return false;
  return (
    Bun.deepEquals(short.messages, prompt.messages.slice(0, short.messages.length)) &&
    Bun.deepEquals(short.tools, prompt.tools)
  );
}
