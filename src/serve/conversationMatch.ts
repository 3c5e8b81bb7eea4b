/**
 * How well a request goes on from a conversation's last request: by the chunks that both prompts begin with, past
 * the end of system and tools. Two conversations of one agent share that end, and nothing behind it.
 */
import type { Message, PromptInput } from "../chat/Message.ts";
import { writeJson } from "../json/writeJson.ts";
import type { Plan } from "../plan/Plan.ts";

/** What is remembered of a conversation's last request; no text of it. */
export interface LastRequest {
  /** API key and user agent. */
  readonly client: string;
  /** What its headers say of its session; "" for nothing. */
  readonly session: string;
  readonly keys: BigUint64Array;
  /** Tokens behind its last cut, which no key names. */
  readonly tail: Int32Array;
  /** Messages; tokens where it had none. */
  readonly length: number;
  readonly firstUser: bigint;
  /** Hash of its messages or tokens, where it has no cut past its head that it could be known by; else null. */
  readonly short: bigint | null;
}

export interface Match {
  /** Chunks that both begin with; 0 where a short prompt was found by its messages. */
  readonly chunks: number;
  /** Tokens that both have behind these, where all of the last prompt's chunks are among them. */
  readonly tail: number;
  /** Breaks ties: a session says more than a client. */
  readonly hints: number;
}

/** A request that looks for its conversation. */
export class ArrivingRequest {
  readonly #plan: Plan;
  /** Null for a prompt without messages, which is known by its tokens. */
  readonly #messages: readonly Message[] | null;
  readonly #client: string;
  readonly #session: string;
  readonly #firstUser: bigint;
  /** End of system and tools in tokens, or 0 where no cut lies there. */
  readonly #head: number;
  /** Hashes of the first n messages or tokens. */
  readonly #hashes = new Map<number, bigint>();

  /** `plan` was made from `prompt`. */
  constructor(plan: Plan, prompt: PromptInput | null, client: string, session: string) {
    this.#plan = plan;
    this.#messages = prompt?.messages ?? null;
    this.#client = client;
    this.#session = session;
    this.#firstUser = hashOf(prompt === null ? NO_MESSAGES : firstUserText(prompt.messages));
    this.#head = plan.keep.find((keep) => keep.reason === "head")?.cut ?? 0;
  }

  /** As the conversation's next request will find it. */
  remembered(): LastRequest {
    const isShort = !this.#plan.cuts.some((cut) => cut > this.#head);
    return {
      client: this.#client,
      session: this.#session,
      keys: this.#plan.keys,
      tail: this.#plan.tokens.slice(this.#plan.cuts.at(-1) ?? 0),
      length: this.#length,
      firstUser: this.#firstUser,
      short: isShort ? this.#hashOfFirst(this.#length) : null,
    };
  }

  get #length(): number {
    return this.#messages?.length ?? this.#plan.tokens.length;
  }

  /** Undefined where this request does not go on from `last`. */
  match(last: LastRequest): Match | undefined {
    const shared = this.#sharedChunks(last);
    const chunks = this.#isPastHead(last, shared) ? shared : 0;
    if (chunks === 0 && !(shared === last.keys.length && this.#continuesShort(last))) return undefined;
    const sameSession = this.#session !== "" && last.session === this.#session;
    const hints = (sameSession ? 2 : 0) + (last.client === this.#client ? 1 : 0);
    return { chunks, tail: this.#commonTail(last, shared), hints };
  }

  #sharedChunks(last: LastRequest): number {
    let shared = 0;
    while (shared < this.#plan.keys.length && this.#plan.keys[shared] === last.keys[shared]) shared += 1;
    return shared;
  }

  /** Chunks behind which the two part while `last` goes on; 0 where they share none, or all of its. */
  rewritten(last: LastRequest): number {
    const shared = this.#sharedChunks(last);
    return shared < last.keys.length ? shared : 0;
  }

  /** The same prompt again. */
  repeats(last: LastRequest): boolean {
    const { keys, tokens } = this.#plan;
    const behind = tokens.length - (this.#plan.cuts.at(-1) ?? 0);
    return (
      keys.length === last.keys.length &&
      keys.at(-1) === last.keys.at(-1) &&
      behind === last.tail.length &&
      this.#commonTail(last, keys.length) === behind
    );
  }

  #commonTail(last: LastRequest, shared: number): number {
    if (shared < last.keys.length) return 0;
    const tail = this.#plan.tokens.subarray(this.#plan.cuts[shared - 1] ?? 0);
    let same = 0;
    while (same < last.tail.length && same < tail.length && tail[same] === last.tail[same]) same += 1;
    return same;
  }

  #isPastHead(last: LastRequest, shared: number): boolean {
    // Where no cut tells system and tools from the rest, the first user message has to.
    if (this.#head === 0 && last.firstUser !== this.#firstUser) return false;
    return (this.#plan.cuts[shared - 1] ?? 0) > this.#head;
  }

  /**
   * A prompt too short for a cut past its head ("hi") shares no chunk with any other; it is known by its
   * messages, or its tokens: all of them come first in the new request, and what follows messages, if anything,
   * is a reply.
   */
  #continuesShort(last: LastRequest): boolean {
    if (last.short === null || last.length > this.#length) return false;
    const next = this.#messages?.[last.length];
    if (next !== undefined && next.role !== "assistant") return false;
    return last.short === this.#hashOfFirst(last.length);
  }

  #hashOfFirst(count: number): bigint {
    const known = this.#hashes.get(count);
    if (known !== undefined) return known;
    const hash =
      this.#messages === null
        ? Bun.hash.xxHash64(this.#plan.tokens.slice(0, count))
        : hashOf(JSON.stringify(this.#messages.slice(0, count), mapsAsJson));
    this.#hashes.set(count, hash);
    return hash;
  }
}

export function isBetter(a: Match, b: Match): boolean {
  if (a.chunks !== b.chunks) return a.chunks > b.chunks;
  return a.tail === b.tail ? a.hints > b.hints : a.tail > b.tail;
}

/** No user's text begins like this. */
const NO_MESSAGES = "\u0000no messages";

function firstUserText(messages: readonly Message[]): string {
  return messages.find((message) => message.role === "user")?.content ?? "";
}

function hashOf(text: string): bigint {
  return Bun.hash.xxHash64(text);
}

/** The only maps in a message are its calls' arguments. */
function mapsAsJson(_key: string, value: unknown): unknown {
  return value instanceof Map ? writeJson(value) : value;
}
