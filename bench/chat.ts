/** One streamed chat request, timed at the client: first token, end, and what the server says of it. */
import { createParser } from "eventsource-parser";

export interface Call {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface AssistantReply {
  readonly role: "assistant";
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly Call[];
}

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }
  | AssistantReply;

export interface ChatResult {
  readonly message: AssistantReply;
  readonly firstTokenMs: number;
  readonly totalMs: number;
  /** From the last token to `[DONE]`. */
  readonly endMs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** The server's own report; empty from a peer. */
  readonly warmturn: Readonly<Record<string, unknown>>;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  } | null;
  readonly warmturn?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export async function chat(url: string, body: Readonly<Record<string, unknown>>): Promise<ChatResult> {
  const started = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
  });
  if (!response.ok || response.body === null)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  const reply = new Collected(started);
  const parser = createParser({ onEvent: ({ data }) => reply.take(data) });
  const decoder = new TextDecoder();
  for await (const part of response.body) parser.feed(decoder.decode(part, { stream: true }));
  return reply.result();
}

class Collected {
  readonly #started: number;
  #firstTokenMs = Number.NaN;
  #lastTokenAt = Number.NaN;
  #doneAt = Number.NaN;
  #content = "";
  #reasoning = "";
  readonly #calls: { id: string; name: string; arguments: string }[] = [];
  #usage: Chunk["usage"];
  #warmturn: Readonly<Record<string, unknown>> = {};

  constructor(started: number) {
    this.#started = started;
  }

  take(data: string): void {
    if (data === "[DONE]") {
      this.#doneAt = performance.now();
      return;
    }
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error !== undefined) throw new Error(`the stream failed: ${chunk.error.message}`);
    if (chunk.usage !== undefined && chunk.usage !== null) this.#usage = chunk.usage;
    if (chunk.warmturn !== undefined) this.#warmturn = chunk.warmturn;
    const delta = chunk.choices?.[0]?.delta;
    if (delta !== undefined) this.#add(delta);
  }

  #add(delta: Delta): void {
    const has = Boolean(delta.content) || Boolean(delta.reasoning_content) || delta.tool_calls !== undefined;
    if (has) this.#lastTokenAt = performance.now();
    if (has && Number.isNaN(this.#firstTokenMs)) this.#firstTokenMs = performance.now() - this.#started;
    this.#content += delta.content ?? "";
    this.#reasoning += delta.reasoning_content ?? "";
    for (const part of delta.tool_calls ?? []) {
      const call = this.#calls[part.index] ?? { id: "", name: "", arguments: "" };
      this.#calls[part.index] = call;
      call.id += part.id ?? "";
      call.name += part.function?.name ?? "";
      call.arguments += part.function?.arguments ?? "";
    }
  }

  result(): ChatResult {
    const calls = this.#calls.map(
      ({ id, name, arguments: text }): Call => ({
        id,
        type: "function",
        function: { name, arguments: text },
      }),
    );
    return {
      message: {
        role: "assistant",
        content: this.#content === "" ? null : this.#content,
        ...(this.#reasoning === "" ? {} : { reasoning_content: this.#reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
      firstTokenMs: this.#firstTokenMs,
      totalMs: performance.now() - this.#started,
      endMs: this.#doneAt - this.#lastTokenAt,
      promptTokens: this.#usage?.prompt_tokens ?? 0,
      cachedTokens: this.#usage?.prompt_tokens_details?.cached_tokens ?? 0,
      warmturn: this.#warmturn,
    };
  }
}
