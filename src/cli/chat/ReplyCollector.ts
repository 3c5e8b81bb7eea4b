/** Puts the chunks of one streamed reply together, and tells each piece as it comes. */

import { at, listOf, numberOf, textOf } from "./wire.ts";
import type { AssistantMessage, Delta, Reply, ReplyReport, ToolCall } from "./wireMessages.ts";

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
}

const FINISHES = ["stop", "length", "tool_calls"] as const;
type ModelFinish = (typeof FINISHES)[number];

export class ReplyCollector {
  readonly #onDelta: (delta: Delta) => void;
  readonly #now: () => number;
  readonly #startedMs: number;
  #firstMs: number | null = null;
  #reasoning = "";
  #text = "";
  readonly #calls: OpenCall[] = [];
  #finish: ModelFinish | null = null;
  #usage: unknown = null;
  #timings: unknown = null;
  #warmturn: unknown = null;

  constructor(onDelta: (delta: Delta) => void, now: () => number) {
    this.#onDelta = onDelta;
    this.#now = now;
    this.#startedMs = now();
  }

  add(chunk: unknown): void {
    const delta = at(chunk, "choices", 0, "delta");
    this.#piece("reasoning", textOf(at(delta, "reasoning_content")) ?? textOf(at(delta, "reasoning")));
    this.#piece("text", textOf(at(delta, "content")));
    for (const call of listOf(at(delta, "tool_calls"))) this.#callPiece(call);
    const finish = at(chunk, "choices", 0, "finish_reason");
    this.#finish = FINISHES.find((one) => one === finish) ?? this.#finish;
    this.#usage = at(chunk, "usage") ?? this.#usage;
    this.#timings = at(chunk, "timings") ?? this.#timings;
    this.#warmturn = at(chunk, "warmturn") ?? this.#warmturn;
  }

  /** `ended`: the stream came to its own end. Else `why` tells what broke it, null that the person did. */
  reply(ended: boolean, why: string | null): Reply {
    const finish = ended ? (this.#finish ?? "stop") : why === null ? "stopped" : "failed";
    return { message: this.#message(finish === "tool_calls"), finish, why, report: this.#report() };
  }

  #piece(type: "reasoning" | "text", text: string | null): void {
    if (text === null || text === "") return;
    if (type === "reasoning") this.#reasoning += text;
    else this.#text += text;
    this.#tell({ type, text });
  }

  #callPiece(piece: unknown): void {
    const index = numberOf(at(piece, "index")) ?? 0;
    const name = textOf(at(piece, "function", "name")) ?? "";
    let call = this.#calls[index];
    if (call === undefined) {
      call = { id: textOf(at(piece, "id")) ?? `call_${index}`, name, arguments: "" };
      this.#calls[index] = call;
      this.#tell({ type: "call", name });
    }
    const text = textOf(at(piece, "function", "arguments")) ?? "";
    call.arguments += text;
    if (text !== "") this.#tell({ type: "arguments", text });
  }

  #tell(delta: Delta): void {
    this.#firstMs ??= this.#now();
    this.#onDelta(delta);
  }

  /** Calls that were cut off can be neither run nor sent back. */
  #message(withCalls: boolean): AssistantMessage {
    const calls: ToolCall[] = withCalls
      ? this.#calls.map((call) => ({
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: call.arguments },
        }))
      : [];
    return {
      role: "assistant",
      content: this.#text === "" && calls.length > 0 ? null : this.#text,
      ...(this.#reasoning === "" ? {} : { reasoning_content: this.#reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  #report(): ReplyReport {
    const [resumed, warmed, prefilled] = ["resumed", "warmed", "prefilled"].map((name) =>
      numberOf(at(this.#warmturn, name)),
    );
    return {
      promptTokens: numberOf(at(this.#usage, "prompt_tokens")),
      cachedTokens: numberOf(at(this.#usage, "prompt_tokens_details", "cached_tokens")),
      warmturn:
        resumed == null || warmed == null || prefilled == null ? null : { resumed, warmed, prefilled },
      firstTokenMs: this.#firstMs === null ? null : this.#firstMs - this.#startedMs,
      replyTokens: numberOf(at(this.#usage, "completion_tokens")),
      tokensPerSecond: numberOf(at(this.#timings, "predicted_per_second")),
    };
  }
}
