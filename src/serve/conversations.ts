/**
 * Which conversation a request belongs to: per tenant, the one whose last prompt shares most chunks with it past
 * the end of system and tools; a session header only breaks ties; else a new one. And what is known of each
 * conversation's and each client's habits. Nothing here changes a token of a prompt: it says whose warm work
 * has become worthless, and in which order variants are warmed.
 */
import type { AssistantMessage, PromptInput } from "../chat/messages.ts";
import type { ConversationTurn } from "../engine/protocol.ts";
import type { Plan } from "../prompt/plan.ts";
import type { Habits } from "../warm/protocol.ts";
import { type Evidence, habitEvidence } from "./habitEvidence.ts";

/**
 * Conversations and clients that are remembered at most, over all tenants; the least recently used go first. One
 * costs 8 bytes a chunk and its last reply: some kilobytes. Forgetting one costs its habits and no token.
 */
export const conversationsMax = 1024;

/** One request, as far as it says whose it is. */
export interface Arrival {
  /** API key, or "" for none. */
  readonly tenant: string;
  /** With the tenant, the client; "" for none. */
  readonly userAgent: string;
  /** A session header, `prompt_cache_key` or the like, only to break ties; "" for none. */
  readonly session: string;
  readonly plan: Plan;
  /** What `plan` was made from, canonical. */
  readonly prompt: PromptInput;
}

interface Conversation {
  readonly id: string;
  readonly tenant: string;
  turn: number;
  client: string;
  session: string;
  /** Of the last request. */
  keys: BigUint64Array;
  messageCount: number;
  /** The last request itself, where it has no cut past its head that it could be known by. */
  short: PromptInput | null;
  /** What that request was answered; null until then. */
  reply: AssistantMessage | null;
  evidence: Evidence;
}

interface Match {
  readonly conversation: Conversation;
  /** Chunks shared; 0 where a short prompt was found by its messages. */
  readonly chunks: number;
}

export class Conversations {
  readonly #max: number;
  /** In order of use, the last used one last. */
  readonly #conversations = new Map<string, Conversation>();
  /** Evidence of clients, in order of use. */
  readonly #clients = new Map<string, Evidence>();
  #nextId = 1;

  constructor(max: number = conversationsMax) {
    this.#max = max;
  }

  /** Finds or opens the request's conversation, and learns from what came back of its last reply. */
  arrive(arrival: Arrival): ConversationTurn {
    const client = clientKey(arrival);
    const found = this.#find(arrival, client) ?? this.#open(arrival.tenant);
    if (found.reply !== null) {
      const seen = habitEvidence(found.reply, arrival.prompt, found.messageCount);
      found.evidence = { ...found.evidence, ...seen };
      touch(this.#clients, client, { ...this.#clients.get(client), ...seen }, this.#max);
    }
    found.turn += 1;
    found.client = client;
    found.session = arrival.session;
    found.keys = arrival.plan.keys;
    found.messageCount = arrival.prompt.messages.length;
    found.short = cutsPastHead(arrival.plan) === 0 ? arrival.prompt : null;
    found.reply = null;
    touch(this.#conversations, found.id, found, this.#max);
    return { id: found.id, turn: found.turn };
  }

  /**
   * Remembers the reply, so that the next request shows the client's habits. Returns the habits known now; null
   * when the conversation has moved on (or was forgotten) and its next turn is not to be warmed.
   */
  replied(turn: ConversationTurn, reply: AssistantMessage): Habits | null {
    const conversation = this.#conversations.get(turn.id);
    if (conversation === undefined || conversation.turn !== turn.turn) return null;
    conversation.reply = reply;
    const known: Evidence = { ...this.#clients.get(conversation.client), ...conversation.evidence };
    return { reasoning: known.reasoning ?? "unknown", numbers: known.numbers ?? "unknown" };
  }

  #open(tenant: string): Conversation {
    const id = `conversation-${this.#nextId++}`;
    return {
      id,
      tenant,
      turn: 0,
      client: "",
      session: "",
      keys: new BigUint64Array(0),
      messageCount: 0,
      short: null,
      reply: null,
      evidence: {},
    };
  }

  #find(arrival: Arrival, client: string): Conversation | undefined {
    let best: Match | undefined;
    // From the last used to the first, so that of equal ones the last used is taken.
    for (const conversation of [...this.#conversations.values()].reverse()) {
      if (conversation.tenant !== arrival.tenant) continue;
      const chunks = sharedChunks(conversation, arrival.plan);
      if (chunks === 0 && !continuesShort(conversation.short, arrival.prompt)) continue;
      const match: Match = { conversation, chunks };
      if (best === undefined || isBetter(match, best, arrival.session, client)) best = match;
    }
    return best?.conversation;
  }
}

function clientKey(arrival: Arrival): string {
  return JSON.stringify([arrival.tenant, arrival.userAgent]);
}

function isBetter(a: Match, b: Match, session: string, client: string): boolean {
  if (a.chunks !== b.chunks) return a.chunks > b.chunks;
  return hints(a.conversation, session, client) > hints(b.conversation, session, client);
}

/** A session says more than a client. */
function hints(conversation: Conversation, session: string, client: string): number {
  const sameSession = session !== "" && conversation.session === session;
  return (sameSession ? 2 : 0) + (conversation.client === client ? 1 : 0);
}

/** End of system and tools in tokens, or 0 where no cut lies there. */
function headTokens(plan: Plan): number {
  return plan.keep.find((keep) => keep.reason === "head")?.cut ?? 0;
}

/** Cuts of the prompt past its head. */
function cutsPastHead(plan: Plan): number {
  const head = headTokens(plan);
  return plan.cuts.reduce((count, cut) => count + (cut > head ? 1 : 0), 0);
}

/** Chunks that both prompts begin with, or 0 when they end within system and tools. */
function sharedChunks(conversation: Conversation, plan: Plan): number {
  let shared = 0;
  while (shared < plan.keys.length && plan.keys[shared] === conversation.keys[shared]) shared += 1;
  return (plan.cuts[shared - 1] ?? 0) > headTokens(plan) ? shared : 0;
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

/** Makes `key` the last used one and forgets the least used one above `max`. */
function touch<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
