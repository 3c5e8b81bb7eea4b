/** Reply events to a response, streamed or whole; the whole one is the stream's own items, collected. */
import type { AppError } from "../../base/AppError.ts";
import { endOf, type ReplyEnd, type ReplyEvent } from "../../serve/reply.ts";
import type { SseItem } from "../http/sseStream.ts";
import { OutputItems, type OutputOptions } from "./OutputItems.ts";
import type { OutputItem, PartialEvent } from "./outputItem.ts";
import { endedBody, failedBody, isCut, type ResponseHeading, runningBody } from "./responseBody.ts";

export interface ResponseOptions extends OutputOptions {
  readonly heading: ResponseHeading;
  readonly nowSeconds: () => number;
  /** Called before the client knows that its response has ended: its next request may name it. */
  readonly onEnd: (body: string, output: readonly OutputItem[]) => void;
}

export class ResponseWriter {
  readonly #options: ResponseOptions;
  readonly #output: OutputItems;
  #sequence = 0;

  constructor(options: ResponseOptions) {
    this.#options = options;
    this.#output = new OutputItems(options);
  }

  /** The server-sent events: `created` first, and exactly one of `completed`, `incomplete`, `failed` last. */
  async *events(events: AsyncIterable<ReplyEvent>): AsyncGenerator<SseItem> {
    const response = runningBody(this.#options.heading);
    yield this.#numbered({ type: "response.created", response });
    yield this.#numbered({ type: "response.in_progress", response });
    for await (const event of events) {
      switch (event.type) {
        case "accepted":
        case "prefill":
          break;
        case "told":
          this.#output.told(event.probs);
          break;
        case "error":
          yield this.failed(event.error);
          return;
        case "end":
          for (const part of this.#output.end(lastStatus(event))) yield this.#numbered(part);
          yield this.#terminal(isCut(event) ? "incomplete" : "completed", this.#ended(event));
          return;
        default:
          for (const part of this.#output.push(event)) yield this.#numbered(part);
      }
    }
  }

  failed(error: AppError): SseItem {
    return this.#terminal(
      "failed",
      JSON.stringify(failedBody(this.#options.heading, error, this.#output.items)),
    );
  }

  /** The JSON text. Throws the AppError that a stream would have sent. */
  async whole(events: AsyncIterable<ReplyEvent>): Promise<string> {
    let end: ReplyEnd | undefined;
    for await (const event of events) {
      if (event.type === "error") throw event.error;
      if (event.type === "told") this.#output.told(event.probs);
      if (event.type === "accepted" || event.type === "prefill" || event.type === "told") continue;
      const parts = event.type === "end" ? this.#output.end(lastStatus(event)) : this.#output.push(event);
      // Only streams send the parts; here the items are collected.
      for (const _ of parts);
      if (event.type === "end") end = event;
    }
    return this.#ended(endOf(end));
  }

  #ended(end: ReplyEnd): string {
    const { heading, nowSeconds, onEnd } = this.#options;
    const body = JSON.stringify(endedBody(heading, end, this.#output.items, nowSeconds()));
    onEnd(body, this.#output.items);
    return body;
  }

  /** `response` is JSON text already. */
  #terminal(how: "completed" | "incomplete" | "failed", response: string): SseItem {
    const event = `response.${how}`;
    const head = JSON.stringify({ type: event, sequence_number: this.#sequence++ });
    return { event, data: `${head.slice(0, -1)},"response":${response}}` };
  }

  #numbered({ type, ...rest }: PartialEvent): SseItem {
    return { event: type, data: JSON.stringify({ type, sequence_number: this.#sequence++, ...rest }) };
  }
}

function lastStatus(end: ReplyEnd): "completed" | "incomplete" {
  return isCut(end) ? "incomplete" : "completed";
}
