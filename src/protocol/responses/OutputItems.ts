/**
 * Reply events to output items that open, grow and close one after another, with contiguous indexes. What a
 * client sends back of them is the reply again, in its canonical form.
 */
import type { ReplyEvent } from "../../serve/reply.ts";
import {
  callItem,
  type ItemKind,
  type ItemStatus,
  messageItem,
  type OutputItem,
  type PartialEvent,
  reasoningItem,
} from "./outputItem.ts";
import type { ClientTool } from "./tools.ts";

export type PartEvent = Extract<ReplyEvent, { type: "reasoning" | "text" | "call" | "call-arguments" }>;

export interface OutputOptions {
  readonly newId: () => string;
  /** By the name that the model knows. */
  readonly clientTools: ReadonlyMap<string, ClientTool>;
  readonly sealsReasoning: boolean;
}

interface OpenItem {
  readonly of: PartEvent["type"];
  readonly id: string;
  readonly kind: ItemKind;
  text: string;
}

export class OutputItems {
  readonly #options: OutputOptions;
  readonly #closed: OutputItem[] = [];
  #open: OpenItem | undefined;
  #hasText = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** All so far; one that is still open counts as cut off. */
  get items(): readonly OutputItem[] {
    const open = this.#open;
    return open === undefined ? this.#closed : [...this.#closed, open.kind.item(open.text, "incomplete")];
  }

  *push(event: PartEvent): Generator<PartialEvent> {
    const { newId, clientTools, sealsReasoning } = this.#options;
    switch (event.type) {
      case "reasoning": {
        const id = `rs_${newId()}`;
        if (this.#open?.of !== event.type) yield* this.#start(event, id, reasoningItem(id, sealsReasoning));
        yield* this.#grow(event.text);
        break;
      }
      case "text":
        yield* this.#text(event);
        break;
      case "call": {
        const tool = clientTools.get(event.name) ?? { kind: "function", name: event.name, namespace: null };
        const id = `${tool.kind === "custom" ? "ctc" : "fc"}_${newId()}`;
        yield* this.#start(event, id, callItem(id, event.id, tool));
        break;
      }
      case "call-arguments":
        yield* this.#grow(event.text);
        break;
    }
  }

  *end(status: ItemStatus): Generator<PartialEvent> {
    const open = this.#open;
    if (open === undefined) return;
    yield* this.#placed(open.kind.closing(open.text));
    const item = open.kind.item(open.text, status);
    yield { type: "response.output_item.done", output_index: this.#closed.length, item };
    this.#closed.push(item);
    this.#open = undefined;
  }

  *#text(event: PartEvent & { readonly type: "text" }): Generator<PartialEvent> {
    let own = event.text;
    if (this.#open?.of !== event.type) {
      // Text behind a call: the canonical form puts this line break back between the two items.
      if (this.#hasText && own.startsWith("\n")) own = own.slice(1);
      this.#hasText = true;
      const id = `msg_${this.#options.newId()}`;
      yield* this.#start(event, id, messageItem(id));
    }
    yield* this.#grow(own);
  }

  *#start(event: PartEvent, id: string, kind: ItemKind): Generator<PartialEvent> {
    yield* this.end("completed");
    this.#open = { of: event.type, id, kind, text: "" };
    const item = kind.item("", "in_progress");
    yield { type: "response.output_item.added", output_index: this.#closed.length, item };
    yield* this.#placed(kind.opening());
  }

  *#grow(text: string): Generator<PartialEvent> {
    const open = this.#open;
    if (open === undefined || text === "") return;
    open.text += text;
    yield* this.#placed(open.kind.growing(text));
  }

  *#placed(events: readonly PartialEvent[]): Generator<PartialEvent> {
    for (const { type, ...rest } of events) {
      yield { type, item_id: this.#open?.id, output_index: this.#closed.length, ...rest };
    }
  }
}
