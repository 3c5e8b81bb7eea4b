/**
 * How well a request goes on from a conversation's last request: by the chunks that both prompts begin with, past
 * the end of system and tools. Two conversations of one agent share that end, and nothing behind it.
 */
import type { Message, PromptInput } from "../chat/messages.ts";
import { writeJson } from "../json/writeJson.ts";
import type { Plan } from "../prompt/plan.ts";

/** What is remembered of a conversation's last request; no text of it. */
export interface LastRequest {
  /** API key and user agent. */
  readonly client: string;
  /** What its headers say of its session; "" for nothing. */
  readonly session: string;
  readonly keys: BigUint64Array;
  readonly messageCount: number;
  readonly firstUser: bigint;
  /** Hash of its messages, where it has no cut past its head that it could be known by; else null. */
  readonly short: bigint | null;
}

export interface Match {
  /** Chunks that both begin with; 0 where a short prompt was found by its messages. */
  readonly chunks: number;
  /** Breaks ties: a session says more than a client. */
  readonly hints: number;
}

/** A request that looks for its conversation. */
export class ArrivingRequest {
  readonly #plan: Plan;
  readonly #messages: readonly Message[];
  readonly #client: string;
  readonly #session: string;
  readonly #firstUser: bigint;
  /** End of system and tools in tokens, or 0 where no cut lies there. */
  readonly #head: number;
  /** Hashes of the first n messages. */
  readonly #hashes = new Map<number, bigint>();

  /** `plan` was made from `prompt`. */
  constructor(plan: Plan, prompt: PromptInput, client: string, session: string) {
    this.#plan = plan;
    this.#messages = prompt.messages;
    this.#client = client;
    this.#session = session;
    this.#firstUser = hashOf(prompt.messages.find((message) => message.role === "user")?.content ?? "");
    this.#head = plan.keep.find((keep) => keep.reason === "head")?.cut ?? 0;
  }

  /** As the conversation's next request will find it. */
  remembered(): LastRequest {
    const isShort = !this.#plan.cuts.some((cut) => cut > this.#head);
    return {
      client: this.#client,
      session: this.#session,
      keys: this.#plan.keys,
      messageCount: this.#messages.length,
      firstUser: this.#firstUser,
      short: isShort ? this.#hashOfFirst(this.#messages.length) : null,
    };
  }

  /** Undefined where this request does not go on from `last`. */
  match(last: LastRequest): Match | undefined {
    let shared = 0;
    while (shared < this.#plan.keys.length && this.#plan.keys[shared] === last.keys[shared]) shared += 1;
    const chunks = this.#isPastHead(last, shared) ? shared : 0;
    if (chunks === 0 && !(shared === last.keys.length && this.#continuesShort(last))) return undefined;
    const sameSession = this.#session !== "" && last.session === this.#session;
    return { chunks, hints: (sameSession ? 2 : 0) + (last.client === this.#client ? 1 : 0) };
  }

  #isPastHead(last: LastRequest, shared: number): boolean {
    // Where no cut tells system and tools from the rest, the first user message has to.
    if (this.#head === 0 && last.firstUser !== this.#firstUser) return false;
    return (this.#plan.cuts[shared - 1] ?? 0) > this.#head;
  }

  /**
   * A prompt too short for a cut past its head ("hi") shares no chunk with any other; it is known by its
   * messages: all of them come first in the new request, and what follows, if anything, is a reply.
   */
  #continuesShort(last: LastRequest): boolean {
    if (last.short === null || last.messageCount > this.#messages.length) return false;
    const next = this.#messages[last.messageCount];
    if (next !== undefined && next.role !== "assistant") return false;
    return last.short === this.#hashOfFirst(last.messageCount);
  }

  #hashOfFirst(count: number): bigint {
    const known = this.#hashes.get(count);
    if (known !== undefined) return known;
    const hash = hashOf(JSON.stringify(this.#messages.slice(0, count), mapsAsJson));
    this.#hashes.set(count, hash);
    return hash;
  }
}

export function isBetter(a: Match, b: Match): boolean {
  return a.chunks === b.chunks ? a.hints > b.hints : a.chunks > b.chunks;
}

function hashOf(text: string): bigint {
  return Bun.hash.xxHash64(text);
}

/** The only maps in a message are its calls' arguments. */
function mapsAsJson(_key: string, value: unknown): unknown {
  return value instanceof Map ? writeJson(value) : value;
}
