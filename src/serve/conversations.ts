/**
 * Which conversation a request belongs to: per tenant, the one whose last prompt shares most chunks with it past
 * the end of system and tools; a session header only breaks ties; else a new one. And what is known of each
 * conversation's and each client's habits. Nothing here changes a token of a prompt: it says whose warm work
 * has become worthless, and in which order variants are warmed.
 */

import { CONVERSATIONS_MAX, REMEMBERED_TOKENS_MAX } from "../base/limits.ts";
import type { AssistantMessage, PromptInput } from "../chat/Message.ts";
import type { Plan } from "../plan/Plan.ts";
import type { ConversationTurn } from "../run/RunSpec.ts";
import type { Habits } from "../warm/WarmJob.ts";
import { ArrivingRequest, isBetter, type LastRequest, type Match } from "./conversationMatch.ts";
import { type Evidence, habitEvidence, reasoningHabit } from "./habitEvidence.ts";
import { ahead, LearnedPlaces, type Rewrites, withRewrite } from "./LearnedPlaces.ts";
import { type PromptShape, shapeOf } from "./PromptShape.ts";
import { commonTokens, type PromptChange, promptChange } from "./promptChange.ts";

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
  /** Of its last prompt; null where that is not remembered any more. */
  shape: PromptShape | null;
  /** What its newest prompt has changed. */
  changed: PromptChange | null;
  /** Its last reply is complete, and has not left. */
  isEnding: boolean;
  /** That was so when its newest request came. */
  wasEnding: boolean;
  /** Beside what. */
  beside: Int32Array | null;
  rewrites: Rewrites;
  /** Cuts of its newest prompt that are worth a snapshot for what was seen of its clients. */
  learned: readonly number[];
  /** Its newest request is being answered. */
  isRunning: boolean;
}

const UNKNOWN = {
  isEnding: false,
  wasEnding: false,
  shape: null,
  changed: null,
  beside: null,
  rewrites: [],
  learned: [],
  isRunning: false,
};

export class Conversations {
  readonly #max: number;
  /** In order of use, the last used one last. */
  readonly #conversations = new Map<string, Conversation>();
  /** Evidence of clients, in order of use. */
  readonly #clients = new Map<string, Evidence>();
  readonly #places = new LearnedPlaces();
  #rememberedTokens = 0;
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
    this.#compare(arrival, found, client);
    if (found.reply !== null && found.last !== null && arrival.prompt !== null) {
      const seen = habitEvidence(found.reply, arrival.prompt, found.last.length);
      found.evidence = { ...found.evidence, ...seen };
      touch(this.#clients, client, { ...this.#clients.get(client), ...seen }, this.#max);
    }
    found.turn += 1;
    found.last = request.remembered();
    found.reply = null;
    found.wasEnding = found.isEnding;
    found.isEnding = false;
    found.isRunning = false;
    const forgotten = touch(this.#conversations, found.id, found, this.#max);
    this.#rememberedTokens -= forgotten?.shape?.tokens.length ?? 0;
    return { id: found.id, turn: found.turn };
  }

  /** What the turn's prompt has changed, and the tokens it was compared with; null where it has changed nothing. */
  changed(turn: ConversationTurn): { readonly change: PromptChange; readonly beside: Int32Array } | null {
    const conversation = this.#conversations.get(turn.id);
    if (conversation?.turn !== turn.turn || conversation.changed === null || conversation.beside === null)
      return null;
    return { change: conversation.changed, beside: conversation.beside };
  }

  /** The turn's reply has left, and is being warmed, or will never be. */
  left(turn: ConversationTurn): void {
    const conversation = this.#conversations.get(turn.id);
    if (conversation?.turn === turn.turn) conversation.isEnding = false;
  }

  /** Whether the turn's request came before the reply that it goes on from had quite left. */
  wasEnding(turn: ConversationTurn): boolean {
    const conversation = this.#conversations.get(turn.id);
    return conversation?.turn === turn.turn && conversation.wasEnding;
  }

  /** With the conversation's last prompt, or, in a new one, with the nearest of the same client's. */
  #compare({ plan, prompt }: Arrival, found: Conversation, client: string): void {
    const shape = shapeOf(plan.tokens, prompt);
    const nearest = found.turn === 0 ? this.#nearest(shape, client) : found;
    const before = nearest?.shape ?? null;
    found.changed =
      before === null ? null : promptChange(before, shape, found.turn === 0 ? null : found.reply);
    found.beside = found.changed === null ? null : (before?.tokens ?? null);
    this.#remember(found, shape);
  }

  /** Of equally near ones the last used: another client's prompts say nothing of what this one has changed. */
  #nearest(shape: PromptShape, client: string): Conversation | null {
    let best: Conversation | null = null;
    let most = 0;
    for (const conversation of this.#conversations.values()) {
      if (conversation.last?.client !== client || conversation.shape === null) continue;
      const common = commonTokens(conversation.shape.tokens, shape.tokens);
      if (common === 0 || common < most) continue;
      best = conversation;
      most = common;
    }
    return best;
  }

  /** The least used conversations forget theirs first. */
  #remember(found: Conversation, shape: PromptShape): void {
    this.#rememberedTokens += shape.tokens.length - (found.shape?.tokens.length ?? 0);
    found.shape = shape;
    for (const conversation of this.#conversations.values()) {
      if (this.#rememberedTokens <= REMEMBERED_TOKENS_MAX) return;
      if (conversation === found || conversation.shape === null) continue;
      this.#rememberedTokens -= conversation.shape.tokens.length;
      conversation.shape = null;
      conversation.beside = null;
    }
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
    conversation.isEnding = true;
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
      ...UNKNOWN,
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
function touch<V>(map: Map<string, V>, key: string, value: V, max: number): V | undefined {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return undefined;
  const oldest = map.entries().next();
  if (oldest.done) return undefined;
  map.delete(oldest.value[0]);
  return oldest.value[1];
}
