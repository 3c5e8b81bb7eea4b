/**
 * Reply events to `chat.completion` (whole) and `chat.completion.chunk` (streamed), from the same events. Chunks of
 * several choices come as they are made, each with its index.
 */

import type { TextVocab } from "../../run/TextVocab.ts";
import type { ReplyEnd, ReplyEvent } from "../../serve/reply.ts";
import type { PlacedEvent } from "../http/severalReplies.ts";
import { errorBody } from "../shared/errorBody.ts";
import type { Heading } from "../shared/ServiceDeps.ts";
import { probsJson } from "../shared/tokenProbs.ts";
import { progressOf, timingsOf, usageOf, usageSoFar, warmturnOf } from "../shared/usage.ts";
import { ChatChoice, finishOf } from "./ChatChoice.ts";
import type { ChatRequest } from "./model.ts";

/** How a reply is to be told. */
interface ChatForm {
  readonly heading: Heading;
  readonly request: Pick<ChatRequest, "choices" | "includeUsage" | "continuousUsage" | "legacy" | "wishes">;
  readonly vocab: Pick<TextVocab, "piece">;
}

/** The data of each server-sent event; the error event is the last one, and then there is no `[DONE]`. */
export async function* completionChunks(
  events: AsyncIterable<PlacedEvent>,
  form: ChatForm,
): AsyncGenerator<string> {
  const { heading, request } = form;
  const choices = Array.from({ length: request.choices }, (_, index) => new ChunkWriter(index, form));
  const ends: ReplyEnd[] = [];
  for await (const { index, event } of events) {
    if (event.type === "error") {
      yield JSON.stringify(errorBody(event.error));
      return;
    }
    if (event.type === "end") ends[index] = event;
    yield* choices[index]?.write(event) ?? [];
  }
  if (request.includeUsage) {
    const usage = usageOf(ends);
    yield JSON.stringify({ ...heading, object: "chat.completion.chunk", choices: [], usage });
  }
  yield "[DONE]";
}

/** The chunks of one choice. */
class ChunkWriter {
  readonly #index: number;
  readonly #form: ChatForm;
  #opened = false;
  /** Received, and to be sent with the next chunk. */
  #probs: object[] = [];
  #timings: object = {};
  #usage: object = {};

  constructor(index: number, form: ChatForm) {
    this.#index = index;
    this.#form = form;
  }

  *write(event: Exclude<ReplyEvent, { type: "error" }>): Generator<string> {
    const { wishes } = this.#form.request;
    switch (event.type) {
      case "accepted":
        return;
      case "prefill":
        if (wishes.progress) yield this.#chunk(this.#opening(), { prompt_progress: progressOf(event) });
        return;
      case "told":
        this.#told(event);
        return;
      case "end": {
        if (!this.#opened) yield this.#chunk(this.#opening());
        const { report } = event;
        const last = { timings: timingsOf(report), warmturn: warmturnOf(report) };
        yield this.#chunk({}, last, finishOf(event, this.#form.request.legacy));
        return;
      }
      default:
        if (!this.#opened) yield this.#chunk(this.#opening());
        yield this.#chunk(this.#form.request.legacy ? legacyDeltaOf(event) : deltaOf(event));
    }
  }

  #told({ probs, report }: Extract<ReplyEvent, { type: "told" }>): void {
    const { vocab, request } = this.#form;
    const wanted = request.wishes.run.probs;
    if (wanted !== undefined) this.#probs.push(...probsJson(probs, { vocab, wanted }));
    if (report === undefined) return;
    if (request.wishes.run.reports === true) this.#timings = { timings: timingsOf(report) };
    if (request.continuousUsage) this.#usage = { usage: usageSoFar(report) };
  }

  #opening(): object {
    if (this.#opened) return {};
    this.#opened = true;
    return { role: "assistant", content: null };
  }

  #chunk(delta: object, more: object = {}, finish: string | null = null): string {
    // The opening chunk has no text: probabilities that are waiting belong to the chunk behind it.
    const probs = "role" in delta ? [] : this.#probs.splice(0);
    const logprobs = probs.length === 0 ? null : { content: probs, refusal: null };
    return JSON.stringify({
      ...this.#form.heading,
      object: "chat.completion.chunk",
      choices: [{ index: this.#index, delta, logprobs, finish_reason: finish }],
      ...this.#timings,
      ...this.#usage,
      ...more,
    });
  }
}

type DeltaEvent = Extract<ReplyEvent, { type: "reasoning" | "text" | "call" | "call-arguments" }>;

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

/** One call, without an id. */
function legacyDeltaOf(event: DeltaEvent): object {
  if (event.type === "call") return { function_call: { name: event.name, arguments: "" } };
  if (event.type === "call-arguments") return { function_call: { arguments: event.text } };
  return deltaOf(event);
}

/** The stream, collected. Throws the AppError that a stream would have sent. */
export async function wholeCompletion(events: AsyncIterable<PlacedEvent>, form: ChatForm): Promise<object> {
  const { heading, request, vocab } = form;
  const wanted = request.wishes.run.probs;
  const choices = Array.from({ length: request.choices }, () => new ChatChoice());
  for await (const { index, event } of events) {
    if (event.type === "error") throw event.error;
    choices[index]?.take(event);
  }
  const ends = choices.map((choice) => choice.end);
  const [first] = ends;
  if (first === undefined) throw new Error("a completion of no choices");
  return {
    ...heading,
    object: "chat.completion",
    choices: choices.map((choice, index) => ({
      index,
      message: choice.message(request.legacy),
      logprobs:
        wanted === undefined ? null : { content: probsJson(choice.probs, { vocab, wanted }), refusal: null },
      finish_reason: finishOf(choice.end, request.legacy),
      // The first one's stands beside the choices.
      ...(index === 0
        ? {}
        : { timings: timingsOf(choice.end.report), warmturn: warmturnOf(choice.end.report) }),
    })),
    usage: usageOf(ends),
    timings: timingsOf(first.report),
    warmturn: warmturnOf(first.report),
  };
}
