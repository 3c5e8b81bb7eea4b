/**
 * Which conversation a request belongs to: per tenant, the one whose last prompt shares most chunks with it past
 * the end of system and tools; a session header only breaks ties; else a new one. And what is known of each
 * conversation's and each client's habits. Nothing here changes a token of a prompt: it says whose warm work
 * has become worthless, and in which order variants are warmed.
 */

import { CONVERSATIONS_MAX } from "../base/limits.ts";
import type { AssistantMessage, PromptInput } from "../chat/Message.ts";
import type { Plan } from "../plan/Plan.ts";
import type { ConversationTurn } from "../run/RunSpec.ts";
import type { Habits } from "../warm/WarmJob.ts";
import { ArrivingRequest, isBetter, type LastRequest, type Match } from "./conversationMatch.ts";
import { type Evidence, habitEvidence, reasoningHabit } from "./habitEvidence.ts";
import { ahead, LearnedPlaces, type Rewrites, withRewrite } from "./LearnedPlaces.ts";

/** One request, as far as it says whose it is. */
export interface Arrival {
  /** API key, or "" for none. */
  readonly tenant: string;
  /** With the tenant, the client; "" for none. */
  readonly userAgent: string;
  /** A session header, `prompt_cache_key` or the like, only to break ties; "" for none. */
  readonly session: string;
  readonly plan: Plan;
  /** What `plan` was made from, canonical; null for a prompt without messages. */
  readonly prompt: PromptInput | null;
}

interface Conversation {
  readonly id: string;
  readonly tenant: string;
  turn: number;
  last: LastRequest | null;
  /** What the last request was answered; null until then. */
  reply: AssistantMessage | null;
  evidence: Evidence;
  rewrites: Rewrites;
  /** Cuts of its newest prompt that are worth a snapshot for what was seen of its clients. */
  learned: readonly number[];
  /** Its newest request is being answered. */
  isRunning: boolean;
}

export class Conversations {
  readonly #max: number;
  /** In order of use, the last used one last. */
  readonly #conversations = new Map<string, Conversation>();
  /** Evidence of clients, in order of use. */
  readonly #clients = new Map<string, Evidence>();
  readonly #places = new LearnedPlaces();
  #nextId = 1;

  constructor(max: number = CONVERSATIONS_MAX) {
    this.#max = max;
  }

  /** Finds or opens the request's conversation, and learns from what came back of its last reply. */
  arrive(arrival: Arrival): ConversationTurn {
    const client = JSON.stringify([arrival.tenant, arrival.userAgent]);
    const request = new ArrivingRequest(arrival.plan, arrival.prompt, client, arrival.session);
    const found = this.#find(request, arrival.tenant) ?? this.#open(arrival.tenant, {});
    this.#learn(request, arrival, found);
    if (found.reply !== null && found.last !== null && arrival.prompt !== null) {
      const seen = habitEvidence(found.reply, arrival.prompt, found.last.length);
      found.evidence = { ...found.evidence, ...seen };
      touch(this.#clients, client, { ...this.#clients.get(client), ...seen }, this.#max);
    }
    found.turn += 1;
    found.last = request.remembered();
    found.reply = null;
    found.isRunning = false;
    touch(this.#conversations, found.id, found, this.#max);
    return { id: found.id, turn: found.turn };
  }

  /** Cuts of the turn's prompt that are worth a snapshot beside those that its plan names. */
  learned(turn: ConversationTurn): readonly number[] {
    const conversation = this.#conversations.get(turn.id);
    return conversation?.turn === turn.turn ? conversation.learned : [];
  }

  /** Where this prompt parts from the one before, or, in a new conversation, from the nearest of the tenant's. */
  #learn(request: ArrivingRequest, { plan, tenant }: Arrival, found: Conversation): void {
    const shared = found.last === null ? this.#mostShared(request, tenant) : request.rewritten(found.last);
    if (shared > 0) this.#places.parted(plan, shared);
    const isRewritten = found.last !== null && shared > 0;
    found.rewrites = isRewritten ? withRewrite(found.rewrites, plan.cuts[shared - 1] ?? 0) : [];
    found.learned = [...this.#places.fixed(plan), ...ahead(plan, found.rewrites)];
  }

  #mostShared(request: ArrivingRequest, tenant: string): number {
    let most = 0;
    for (const { tenant: other, last } of this.#conversations.values())
      if (other === tenant && last !== null) most = Math.max(most, request.rewritten(last));
    return most;
  }

  /** The turn is being answered, until the returned function is called: another prompt meanwhile is a fork. */
  runs(turn: ConversationTurn): () => void {
    const conversation = this.#conversations.get(turn.id);
    if (conversation === undefined || conversation.turn !== turn.turn) return () => {};
    conversation.isRunning = true;
    return () => {
      if (conversation.turn === turn.turn) conversation.isRunning = false;
    };
  }

  /**
   * Remembers the reply, so that the next request shows the client's habits. Returns the habits known now; null
   * when the conversation has moved on (or was forgotten) and its next turn is not to be warmed. `reply` is null
   * where it is no message.
   */
  replied(turn: ConversationTurn, reply: AssistantMessage | null): Habits | null {
    const conversation = this.#conversations.get(turn.id);
    if (conversation === undefined || conversation.turn !== turn.turn) return null;
    conversation.reply = reply;
    const ofClient = this.#clients.get(conversation.last?.client ?? "");
    const known: Evidence = { ...ofClient, ...conversation.evidence };
    const awaitsResults = (reply?.toolCalls.length ?? 0) > 0;
    return { reasoning: reasoningHabit(known, awaitsResults), numbers: known.numbers ?? "unknown" };
  }

  #open(tenant: string, evidence: Evidence): Conversation {
    const id = `conversation-${this.#nextId++}`;
    return {
      id,
      tenant,
      turn: 0,
      last: null,
      reply: null,
      evidence,
      rewrites: [],
      learned: [],
      isRunning: false,
    };
  }

  #find(request: ArrivingRequest, tenant: string): Conversation | undefined {
    let best: { readonly conversation: Conversation; readonly match: Match } | undefined;
    // From the last used to the first, so that of equal ones the last used is taken.
    for (const conversation of [...this.#conversations.values()].reverse()) {
      if (conversation.tenant !== tenant || conversation.last === null) continue;
      const match = request.match(conversation.last);
      if (match !== undefined && (best === undefined || isBetter(match, best.match))) {
        best = { conversation, match };
      }
    }
    if (best === undefined) return undefined;
    const { conversation } = best;
    // What it was asked is not answered yet: this goes on from the same history another way. Asked again, it is a retry.
    const isFork =
      conversation.isRunning && conversation.last !== null && !request.repeats(conversation.last);
    return isFork ? this.#open(tenant, conversation.evidence) : conversation;
  }
}

/** Makes `key` the last used one and forgets the least used one above `max`. */
function touch<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
