/** Reply events to `chat.completion` (whole) and `chat.completion.chunk` (streamed), from the same events. */
import type { FinishReason, ReplyEnd, ReplyEvent } from "../../serve/reply.ts";
import { errorBody } from "./errorBody.ts";
import { timingsOf, usageOf, warmturnOf } from "./usage.ts";

/** What all chunks of one reply say. */
export interface Heading {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
}

const FINISH: Record<FinishReason, "stop" | "length" | "tool_calls"> = {
  stop: "stop",
  "stop-string": "stop",
  length: "length",
  "tool-calls": "tool_calls",
};

/** The data of each server-sent event; the error event is the last one, and then there is no `[DONE]`. */
export async function* completionChunks(
  events: AsyncIterable<ReplyEvent>,
  heading: Heading,
  includeUsage: boolean,
): AsyncGenerator<string> {
  let opened = false;
  const chunk = (delta: object, more: object = {}, finish: string | null = null): string =>
    JSON.stringify({
      ...heading,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...more,
    });
  for await (const event of events) {
    if (event.type === "accepted" || event.type === "prefill") continue;
    if (event.type === "error") {
      yield JSON.stringify(errorBody(event.error));
      return;
    }
    if (!opened) yield chunk({ role: "assistant", content: null });
    opened = true;
    if (event.type !== "end") {
      yield chunk(deltaOf(event));
      continue;
    }
    const { report } = event;
    yield chunk({}, { timings: timingsOf(report), warmturn: warmturnOf(report) }, FINISH[event.finish]);
    if (includeUsage) {
      yield JSON.stringify({
        ...heading,
        object: "chat.completion.chunk",
        choices: [],
        usage: usageOf(event),
      });
    }
    yield "[DONE]";
  }
}

type DeltaEvent = Exclude<ReplyEvent, { readonly type: "accepted" | "prefill" | "error" | "end" }>;

function deltaOf(event: DeltaEvent): object {
  switch (event.type) {
    case "reasoning":
      return { reasoning_content: event.text };
    case "text":
      return { content: event.text };
    case "call": {
      const { index, id, name } = event;
      return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    }
    case "call-arguments":
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
  }
}

/** The stream, collected. Throws the AppError that a stream would have sent. */
export async function wholeCompletion(events: AsyncIterable<ReplyEvent>, heading: Heading): Promise<object> {
  let reasoning = "";
  let text = "";
  const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];
  let end: ReplyEnd | undefined;
  for await (const event of events) {
    if (event.type === "error") throw event.error;
    if (event.type === "reasoning") reasoning += event.text;
    if (event.type === "text") text += event.text;
    if (event.type === "call") {
      calls.push({ id: event.id, type: "function", function: { name: event.name, arguments: "" } });
    }
    const call = event.type === "call-arguments" ? calls[event.index] : undefined;
    if (call !== undefined && event.type === "call-arguments") call.function.arguments += event.text;
    if (event.type === "end") end = event;
  }
  if (end === undefined) throw new Error("a reply ended without its end");
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...heading,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[end.finish] }],
    usage: usageOf(end),
    timings: timingsOf(end.report),
    warmturn: warmturnOf(end.report),
  };
}
