/** One chat request to a server, streamed or whole: the reply as a client has it, and what the server says of it. */
import type { WireCall, WireReply } from "../clients/wire.ts";
import { readSse } from "../httpClient.ts";

export type Delivery = "streamed" | "whole";

export interface Asked {
  readonly reply: WireReply;
  readonly finish: string;
  readonly promptTokens: number;
  readonly resumed: number;
  readonly warmed: number;
  readonly prefilled: number;
  readonly source: string;
  readonly miss: string;
  readonly tokensHash: string;
  readonly logitsHash: string;
}

interface Choice {
  readonly finish_reason?: string | null;
  readonly message?: WireReply;
  readonly delta?: Delta;
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

/** A whole answer, or one event of a stream. */
interface Body {
  readonly choices?: readonly Choice[];
  readonly usage?: { readonly prompt_tokens: number } | null;
  readonly warmturn?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** What a whole answer tells more than a streamed one: both must be of the same bits. */
const WHOLE_WISHES = { logprobs: true, top_logprobs: 3, timings_per_token: true };

export async function ask(
  url: string,
  key: string,
  body: Readonly<Record<string, unknown>>,
  delivery: Delivery,
): Promise<Asked> {
  const stream =
    delivery === "streamed" ? { stream: true, stream_options: { include_usage: true } } : WHOLE_WISHES;
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...body, ...stream }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  if (delivery === "whole") {
    const whole = (await response.json()) as Body;
    const message = whole.choices?.[0]?.message;
    if (message === undefined) throw new Error(`no message: ${JSON.stringify(whole)}`);
    return asked(message, [whole]);
  }
  const { data } = await readSse(response);
  if (data.at(-1) !== "[DONE]") throw new Error(`the stream has no end: ${data.at(-1)}`);
  const events = data.slice(0, -1).map((text) => JSON.parse(text) as Body);
  return asked(collected(events), events);
}

/** `events` is the whole answer alone, or the stream's events. */
function asked(reply: WireReply, events: readonly Body[]): Asked {
  const failed = events.find((event) => event.error !== undefined);
  if (failed !== undefined) throw new Error(failed.error?.message);
  const report = Object.assign({}, ...events.map((event) => event.warmturn ?? {})) as Record<string, unknown>;
  const usage = events.flatMap((event) => event.usage ?? []).at(-1);
  const finish = events.flatMap((event) => event.choices?.[0]?.finish_reason ?? []).at(-1);
  const number = (name: string): number => {
    const value = report[name];
    if (typeof value !== "number") throw new Error(`no ${name} in ${JSON.stringify(report)}`);
    return value;
  };
  return {
    reply,
    finish: finish ?? "",
    promptTokens: usage?.prompt_tokens ?? 0,
    resumed: number("resumed"),
    warmed: number("warmed"),
    prefilled: number("prefilled"),
    source: String(report["source"]),
    miss: String(report["miss"]),
    tokensHash: String(report["tokens_hash"]),
    logitsHash: String(report["logits_hash"]),
  };
}

function collected(events: readonly Body[]): WireReply {
  const text = { content: "", reasoning: "" };
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const { choices } of events) {
    const delta = choices?.[0]?.delta;
    text.content += delta?.content ?? "";
    text.reasoning += delta?.reasoning_content ?? "";
    for (const part of delta?.tool_calls ?? []) {
      const call = calls[part.index] ?? { id: "", name: "", arguments: "" };
      calls[part.index] = call;
      call.id += part.id ?? "";
      call.name += part.function?.name ?? "";
      call.arguments += part.function?.arguments ?? "";
    }
  }
  return {
    role: "assistant",
    content: text.content === "" ? null : text.content,
    ...(text.reasoning === "" ? {} : { reasoning_content: text.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
  };
}

function wireCall(call: {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}): WireCall {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}
