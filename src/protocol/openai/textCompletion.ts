/** Events of raw replies to `text_completion`, whole and streamed; each reply is one of its choices. */
import type { FinishReason, ReplyEnd } from "../../serve/reply.ts";
import type { PlacedEvent } from "../http/severalReplies.ts";
import type { Heading } from "./chatCompletion.ts";
import { errorBody } from "./errorBody.ts";
import { timingsOf, type Usage, usageOf, warmturnOf } from "./usage.ts";

export interface TextHeading {
  /** What every chunk says. */
  readonly says: Heading;
  /** What each choice begins with, by its place; "" without `echo`. */
  readonly echoes: readonly string[];
  /** Choices of each prompt: its tokens are counted once. */
  readonly copies: number;
}

const FINISH: Record<FinishReason, "stop" | "length"> = {
  stop: "stop",
  "stop-string": "stop",
  length: "length",
  "tool-calls": "stop",
};

/** The data of each server-sent event; an error is the last one, and then there is no `[DONE]`. */
export async function* textCompletionChunks(
  events: AsyncIterable<PlacedEvent>,
  heading: TextHeading,
  includeUsage: boolean,
): AsyncGenerator<string> {
  const ends: Ends = [];
  const chunk = (index: number, text: string, finish: string | null = null, more: object = {}): string =>
    JSON.stringify({
      ...heading.says,
      object: "text_completion",
      choices: [{ index, text, logprobs: null, finish_reason: finish }],
      ...more,
    });
  for (const [index, echo] of heading.echoes.entries()) if (echo !== "") yield chunk(index, echo);
  for await (const { index, event } of events) {
    if (event.type === "error") {
      yield JSON.stringify(errorBody(event.error));
      return;
    }
    if (event.type === "text" && event.text !== "") yield chunk(index, event.text);
    if (event.type !== "end") continue;
    ends[index] = event;
    yield chunk(index, "", FINISH[event.finish], reportOf(event));
  }
  if (includeUsage) {
    yield JSON.stringify({
      ...heading.says,
      object: "text_completion",
      choices: [],
      usage: allUsage(ends, heading),
    });
  }
  yield "[DONE]";
}

/** The stream, collected. Throws the AppError that a stream would have sent. */
export async function wholeTextCompletion(
  events: AsyncIterable<PlacedEvent>,
  heading: TextHeading,
): Promise<object> {
  const texts = [...heading.echoes];
  const ends: Ends = [];
  for await (const { index, event } of events) {
    if (event.type === "error") throw event.error;
    if (event.type === "text") texts[index] += event.text;
    if (event.type === "end") ends[index] = event;
  }
  const choices = texts.map((text, index) => {
    const end = ends[index];
    if (end === undefined) throw new Error("a reply ended without its end");
    const choice = { index, text, logprobs: null, finish_reason: FINISH[end.finish] };
    return texts.length === 1 ? choice : { ...choice, ...reportOf(end) };
  });
  const [first, ...more] = ends;
  return {
    ...heading.says,
    object: "text_completion",
    choices,
    usage: allUsage(ends, heading),
    ...(first !== undefined && more.length === 0 ? reportOf(first) : {}),
  };
}

type Ends = (ReplyEnd | undefined)[];

function reportOf({ report }: ReplyEnd): object {
  return { timings: timingsOf(report), warmturn: warmturnOf(report) };
}

function allUsage(ends: Ends, { copies }: TextHeading): Usage {
  let prompt = 0;
  let cached = 0;
  let completion = 0;
  for (const [index, end] of ends.entries()) {
    if (end === undefined) continue;
    const usage = usageOf([end]);
    completion += usage.completion_tokens;
    if (index % copies !== 0) continue;
    prompt += usage.prompt_tokens;
    cached += usage.prompt_tokens_details.cached_tokens;
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
