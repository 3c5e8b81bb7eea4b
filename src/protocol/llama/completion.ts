/** Events of raw replies to the bodies of `/completion`: one object a prompt whole, or one an event streamed. */
import type { TextVocab } from "../../run/TextVocab.ts";
import { endOf, type ReplyEnd, type ReplyEvent } from "../../serve/reply.ts";
import type { PlacedEvent } from "../http/severalReplies.ts";
import { probsJson } from "../shared/tokenProbs.ts";
import { progressOf, timingsOf, warmturnOf } from "../shared/usage.ts";
import { llamaErrorBody } from "./errorBody.ts";
import type { LlamaSettings } from "./model.ts";
import { pickFields } from "./pickFields.ts";

/** What every answer to one request says. */
export interface CompletionHeading {
  readonly model: string;
  readonly settings: object;
  readonly ctxTokens: number;
  readonly vocab: Pick<TextVocab, "piece">;
  readonly prompts: readonly {
    readonly tokens: number;
    /** With special tokens spelled. */
    readonly text: string;
  }[];
}

type Asked = Pick<LlamaSettings, "returnTokens" | "responseFields" | "wishes">;

const STOP_TYPES = { stop: "eos", "stop-string": "word", length: "limit", "tool-calls": "eos" } as const;

/** The data of each server-sent event; as in llama-server there is no `[DONE]`. */
export async function* completionEvents(
  events: AsyncIterable<PlacedEvent>,
  asked: Asked,
  heading: CompletionHeading,
): AsyncGenerator<string> {
  const replies = heading.prompts.map(() => new Collected(asked, heading));
  for await (const { index, event } of events) {
    const reply = replies[index];
    if (reply === undefined) continue;
    if (event.type === "error") {
      yield JSON.stringify(llamaErrorBody(event.error));
      return;
    }
    reply.take(event);
    const partial = (text: string, tokens: readonly number[], more: object): string =>
      JSON.stringify({
        index,
        content: text,
        tokens,
        stop: false,
        id_slot: -1,
        tokens_predicted: reply.tokens.length,
        tokens_evaluated: heading.prompts[index]?.tokens ?? 0,
        ...more,
      });
    if (event.type === "end") {
      const body = { ...finalBody(index, event, reply, heading), content: "", tokens: [] };
      yield JSON.stringify(pickFields(body, asked.responseFields));
    } else if (event.type === "text") {
      yield partial(event.text, event.token === undefined ? [] : [event.token], reply.takeTold());
    } else if (event.type === "prefill" && asked.wishes.progress) {
      yield partial("", [], { prompt_progress: progressOf(event) });
    }
  }
}

/** The stream, collected: one object, or a list where there are several prompts. Throws what a stream would send. */
export async function wholeCompletions(
  events: AsyncIterable<PlacedEvent>,
  asked: Asked,
  heading: CompletionHeading,
): Promise<object> {
  const replies = heading.prompts.map(() => new Collected(asked, heading));
  const ends = new Map<number, ReplyEnd>();
  for await (const { index, event } of events) {
    if (event.type === "error") throw event.error;
    replies[index]?.take(event);
    if (event.type === "end") ends.set(index, event);
  }
  const bodies = replies.map((reply, index) => {
    const end = endOf(ends.get(index));
    const { timings: _, ...told } = reply.takeTold();
    const body = {
      ...finalBody(index, end, reply, heading),
      content: reply.text,
      tokens: asked.returnTokens ? reply.tokens : [],
      ...told,
    };
    return pickFields(body, asked.responseFields);
  });
  const [only] = bodies;
  return bodies.length === 1 && only !== undefined ? only : bodies;
}

interface Told {
  readonly completion_probabilities?: readonly object[];
  readonly timings?: object;
}

class Collected {
  text = "";
  readonly tokens: number[] = [];
  readonly #asked: Asked;
  readonly #heading: CompletionHeading;
  /** Received, and to be sent with the next chunk. */
  #probs: object[] = [];
  #timings: object | undefined;

  constructor(asked: Asked, heading: CompletionHeading) {
    this.#asked = asked;
    this.#heading = heading;
  }

  take(event: ReplyEvent): void {
    if (event.type === "text") {
      this.text += event.text;
      if (event.token !== undefined) this.tokens.push(event.token);
    }
    if (event.type !== "told") return;
    const wanted = this.#asked.wishes.run.probs;
    if (wanted !== undefined) {
      this.#probs.push(...probsJson(event.probs, { vocab: this.#heading.vocab, wanted }));
    }
    if (event.report !== undefined) this.#timings = timingsOf(event.report);
  }

  takeTold(): Told {
    const probs = this.#probs.splice(0);
    return {
      ...(probs.length === 0 ? {} : { completion_probabilities: probs }),
      ...(this.#timings === undefined ? {} : { timings: this.#timings }),
    };
  }
}

function finalBody(
  index: number,
  { report, finish, stopString }: ReplyEnd,
  reply: Collected,
  heading: CompletionHeading,
): object {
  return {
    index,
    id_slot: report.sequence,
    stop: true,
    model: heading.model,
    tokens_predicted: report.predictedTokens,
    tokens_evaluated: report.promptTokens,
    generation_settings: heading.settings,
    prompt: heading.prompts[index]?.text ?? "",
    has_new_line: reply.text.includes("\n"),
    // Prompt and reply have filled the context.
    truncated: finish === "length" && report.promptTokens + report.predictedTokens >= heading.ctxTokens,
    stop_type: STOP_TYPES[finish],
    stopping_word: stopString ?? "",
    tokens_cached: report.promptTokens + report.predictedTokens,
    timings: timingsOf(report),
    warmturn: warmturnOf(report),
  };
}
