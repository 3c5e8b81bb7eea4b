/**
 * One conversation's client in a protocol's own words. Conversations are written once, in chat completions' form;
 * an adapter says them as its clients do, and gives replies back in that form.
 */
import type { Loose } from "../httpClient.ts";
import type { WireReply, WireRequest } from "./wire.ts";

export interface Sent {
  readonly request: WireRequest;
  /** Counts the conversation's requests, from 1: clients change things that mean nothing with each. */
  readonly turn: number;
  readonly maxTokens: number;
  /** Fields that all protocols know by one name: sampling, grammar. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly reply: WireReply;
  /** As chat completions' `finish_reason`. */
  readonly finish: string;
  /** Cached ones too. */
  readonly promptTokens: number;
  readonly warmturn: Loose;
}

export interface Protocol {
  readonly path: string;
  /** Fields beside `stream` of one way to be answered: both must be of the same bits. */
  readonly wishes?: Readonly<Record<"streamed" | "whole", object>>;
  /** Of the request, `stream` left out. */
  body(sent: Sent): Readonly<Record<string, unknown>>;
  whole(body: Loose): Answer;
  /** `data` of each event. */
  streamed(data: readonly string[]): Answer;
}

/** What was said, as a client's message. */
export function replyOf(content: string, reasoning: string, calls: readonly SaidCall[]): WireReply {
  return {
    role: "assistant",
    content: content === "" ? null : content,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: text }) => ({
            id,
            type: "function" as const,
            function: { name, arguments: text },
          })),
        }),
  };
}

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export function eventsOf(data: readonly string[]): Loose[] {
  const events = data.map((text) => JSON.parse(text) as Loose);
  const failed = events.find((event) => event.error !== undefined && event.error !== null);
  if (failed !== undefined) throw new Error(JSON.stringify(failed.error));
  return events;
}
