/** Reply events to a message, streamed or whole; the whole one is the stream's own blocks, collected. */
import type { Json } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";
import { fromPlain } from "../../json/plainJson.ts";
import { writeJson } from "../../json/writeJson.ts";
import { endOf, type ReplyEnd, type ReplyEvent } from "../../serve/reply.ts";
import type { SseItem } from "../http/sseStream.ts";
import { timingsOf, warmturnOf } from "../shared/usage.ts";
import { anthropicErrorBody } from "./errorBody.ts";
import { type BlockDelta, type BlockEvent, MessageBlocks, type StartedBlock } from "./messageBlocks.ts";

/** What is known before the reply. */
export interface MessageHeading {
  readonly id: string;
  readonly model: string;
  readonly requestId: string;
  /** Infinity where the request names none. */
  readonly maxTokens: number;
}

export const PING = { event: "ping", data: '{"type": "ping"}' } as const;

interface PromptTokens {
  readonly total: number;
  readonly resumed: number;
}

/** The server-sent events; after an `error` there is no `message_stop`. */
export async function* messageEvents(
  events: AsyncIterable<ReplyEvent>,
  heading: MessageHeading,
): AsyncGenerator<SseItem> {
  const blocks = new MessageBlocks();
  let started = false;
  function* start(prompt: PromptTokens): Generator<SseItem> {
    if (started) return;
    started = true;
    yield named({ type: "message_start", message: messageOf(heading, prompt) });
    yield PING;
  }
  for await (const event of events) {
    switch (event.type) {
      case "accepted":
      case "told":
        break;
      case "prefill":
        // The first one comes as soon as it is known what is resumed.
        yield* start(event);
        break;
      case "error":
        yield named(anthropicErrorBody(event.error, heading.requestId));
        return;
      case "end": {
        const { promptTokens: total, resumedTokens: resumed } = event.report;
        yield* start({ total, resumed });
        for (const block of blocks.end()) yield named(block);
        yield named(messageDelta(event, heading));
        yield named({ type: "message_stop" });
        break;
      }
      default:
        for (const block of blocks.push(event)) yield named(block);
    }
  }
}

function named<E extends { readonly type: string }>(event: E): SseItem {
  return { event: event.type, data: JSON.stringify(event) };
}

/** The JSON text. Throws the AppError that a stream would have sent. */
export async function wholeMessage(
  events: AsyncIterable<ReplyEvent>,
  heading: MessageHeading,
): Promise<string> {
  const blocks = new MessageBlocks();
  const collected: CollectedBlock[] = [];
  let end: ReplyEnd | undefined;
  for await (const event of events) {
    if (event.type === "error") throw event.error;
    if (event.type === "accepted" || event.type === "prefill" || event.type === "told") continue;
    if (event.type === "end") end = event;
    for (const block of event.type === "end" ? blocks.end() : blocks.push(event)) collect(block, collected);
  }
  const ended = endOf(end);
  const { promptTokens: total, resumedTokens: resumed } = ended.report;
  const { delta, usage, warmturn, timings } = messageDelta(ended, heading);
  const message = messageOf(heading, { total, resumed });
  const body = fromPlain({ ...message, ...delta, usage: { ...message.usage, ...usage }, warmturn, timings });
  if (!isJsonObject(body)) throw new Error("a message is an object");
  // Digits and key order of inputs stay as the model wrote them.
  return writeJson(new Map(body).set("content", collected.map(blockJson)), "compact");
}

/** A block with all of its text. */
interface CollectedBlock {
  readonly block: StartedBlock;
  text: string;
  signature: string;
}

function collect(event: BlockEvent, into: CollectedBlock[]): void {
  if (event.type === "content_block_start")
    into.push({ block: event.content_block, text: "", signature: "" });
  const last = into.at(-1);
  if (event.type !== "content_block_delta" || last === undefined) return;
  if (event.delta.type === "signature_delta") last.signature = event.delta.signature;
  else last.text += deltaText(event.delta);
}

function deltaText(delta: Exclude<BlockDelta, { type: "signature_delta" }>): string {
  if (delta.type === "text_delta") return delta.text;
  return delta.type === "thinking_delta" ? delta.thinking : delta.partial_json;
}

function blockJson({ block, text, signature }: CollectedBlock): Json {
  if (block.type === "thinking") return fromPlain({ ...block, thinking: text, signature });
  if (block.type === "text") return fromPlain({ ...block, text });
  const json = fromPlain(block);
  return isJsonObject(json) ? new Map(json).set("input", inputOf(text)) : json;
}

/** A call that was cut off is given an empty input: its arguments cannot be parsed. */
function inputOf(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return new Map();
  }
}

/** Every field of Anthropic's message, in the state of `message_start`. */
function messageOf({ id, model }: MessageHeading, prompt: PromptTokens) {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      ...promptUsage(prompt),
      cache_creation: null,
      output_tokens: 0,
      output_tokens_details: null,
      inference_geo: null,
      server_tool_use: null,
      service_tier: null,
      speed: null,
    },
  };
}

/** Anthropic's `input_tokens` leave out what came from the cache. */
function promptUsage({ total, resumed }: PromptTokens) {
  return {
    input_tokens: total - resumed,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: resumed,
  };
}

function messageDelta(end: ReplyEnd, heading: MessageHeading) {
  const { report, reasoningTokens, stopString } = end;
  const { promptTokens: total, resumedTokens: resumed } = report;
  return {
    type: "message_delta",
    delta: {
      stop_reason: stopReason(end, heading.maxTokens),
      stop_sequence: stopString,
      stop_details: null,
      container: null,
    },
    usage: {
      ...promptUsage({ total, resumed }),
      output_tokens: report.predictedTokens,
      output_tokens_details: { thinking_tokens: Math.min(reasoningTokens, report.predictedTokens) },
      server_tool_use: null,
    },
    warmturn: warmturnOf(report),
    timings: timingsOf(report),
  };
}

type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "model_context_window_exceeded";

function stopReason({ finish, report }: ReplyEnd, maxTokens: number): StopReason {
  switch (finish) {
    case "stop":
      return "end_turn";
    case "stop-string":
      return "stop_sequence";
    case "tool-calls":
      return "tool_use";
    case "length":
      return report.predictedTokens < maxTokens ? "model_context_window_exceeded" : "max_tokens";
  }
}
