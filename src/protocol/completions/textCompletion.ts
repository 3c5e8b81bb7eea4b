/** Events of raw replies to `text_completion`, whole and streamed; each reply is one of its choices. */
import type { TextVocab } from "../../run/TextVocab.ts";
import { endOf, type FinishReason, type ReplyEnd } from "../../serve/reply.ts";
import type { PlacedEvent } from "../http/severalReplies.ts";
import { errorBody } from "../shared/errorBody.ts";
import type { Heading } from "../shared/ServiceDeps.ts";
import { progressOf, timingsOf, type Usage, usageOf, warmturnOf } from "../shared/usage.ts";
import { TextChoice } from "./TextChoice.ts";

export interface TextHeading {
  /** What every chunk says. */
  readonly says: Heading;
  /** What each choice begins with, by its place; "" without `echo`. */
  readonly echoes: readonly string[];
  readonly vocab: Pick<TextVocab, "piece">;
  /** Tell how far prefill is. */
  readonly progress: boolean;
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
  const chunk = (choices: readonly object[], more: object = {}): string =>
    JSON.stringify({ ...heading.says, object: "text_completion", choices, ...more });
  const choices = heading.echoes.map((echo) => new TextChoice(echo, heading.vocab));
  for (const [index, text] of heading.echoes.entries()) {
    if (text !== "") yield chunk([{ index, text, logprobs: null, finish_reason: null }]);
  }
  for await (const { index, event } of events) {
    if (event.type === "error") {
      yield JSON.stringify(errorBody(event.error));
      return;
    }
    const choice = choices[index];
    if (choice === undefined) continue;
    choice.take(event);
    const part = (text: string, finish: string | null = null): object[] => [
      { index, text, logprobs: choice.takeLogprobs(), finish_reason: finish },
    ];
    if (event.type === "text" && event.text !== "") yield chunk(part(event.text), choice.timings);
    if (event.type === "prefill" && heading.progress) {
      yield chunk(part(""), { prompt_progress: progressOf(event) });
    }
    if (event.type !== "end") continue;
    ends[index] = event;
    yield chunk(part("", FINISH[event.finish]), reportOf(event));
  }
  if (includeUsage) yield chunk([], { usage: allUsage(ends, heading) });
  yield "[DONE]";
}

/** The stream, collected. Throws the AppError that a stream would have sent. */
export async function wholeTextCompletion(
  events: AsyncIterable<PlacedEvent>,
  heading: TextHeading,
): Promise<object> {
  const replies = heading.echoes.map((echo) => new TextChoice(echo, heading.vocab));
  const ends: Ends = [];
  for await (const { index, event } of events) {
    if (event.type === "error") throw event.error;
    replies[index]?.take(event);
    if (event.type === "end") ends[index] = event;
  }
  const choices = replies.map((reply, index) => {
    const end = endOf(ends[index]);
    const { text } = reply;
    const choice = { index, text, logprobs: reply.takeLogprobs(), finish_reason: FINISH[end.finish] };
    return replies.length === 1 ? choice : { ...choice, ...reportOf(end) };
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
