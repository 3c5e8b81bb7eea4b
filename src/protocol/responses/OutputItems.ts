/**
 * Reply events to output items that open, grow and close one after another, with contiguous indexes. What a
 * client sends back of them is the reply again, in its canonical form.
 */
import type { TokenProbs } from "../../run/RunSpec.ts";
import type { TextVocab } from "../../run/TextVocab.ts";
import type { ReplyEvent } from "../../serve/reply.ts";
import { probsJson } from "../shared/tokenProbs.ts";
import {
  callItem,
  type ItemKind,
  type ItemStatus,
  messageItem,
  type OutputItem,
  type PartialEvent,
  reasoningItem,
} from "./outputItem.ts";
import { TextProbs } from "./TextProbs.ts";
import type { ClientTool } from "./tools.ts";

export type PartEvent = Extract<ReplyEvent, { type: "reasoning" | "text" | "call" | "call-arguments" }>;

export interface OutputOptions {
  readonly newId: () => string;
  /** By the name that the model knows. */
  readonly clientTools: ReadonlyMap<string, ClientTool>;
  readonly sealsReasoning: boolean;
  readonly vocab: Pick<TextVocab, "piece">;
}

interface OpenItem {
  readonly of: PartEvent["type"];
  readonly id: string;
  readonly kind: ItemKind;
  text: string;
  readonly logprobs: object[];
}

export class OutputItems {
  readonly #options: OutputOptions;
  readonly #closed: OutputItem[] = [];
  #open: OpenItem | undefined;
  readonly #had = new Set<PartEvent["type"]>();
  readonly #probs: TextProbs;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#probs = new TextProbs(options.vocab);
  }

  /** All so far; one that is still open counts as cut off. */
  get items(): readonly OutputItem[] {
    const open = this.#open;
    if (open === undefined) return this.#closed;
    return [...this.#closed, open.kind.item(open.text, "incomplete", open.logprobs)];
  }

  /** Of the tokens whose parts follow. */
  told(probs: readonly TokenProbs[]): void {
    this.#probs.told(probs);
  }

  *push(event: PartEvent): Generator<PartialEvent> {
    const { newId, clientTools } = this.#options;
    if (event.type !== "text") this.#probs.other();
    switch (event.type) {
      case "reasoning":
      case "text":
        yield* this.#stretch(event);
        break;
      case "call": {
        const tool = clientTools.get(event.name) ?? { kind: "function", name: event.name, namespace: null };
        const id = `${tool.kind === "custom" ? "ctc" : "fc"}_${newId()}`;
        yield* this.#start(event.type, id, callItem(id, event.id, tool));
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
    yield* this.#placed(open.kind.closing(open.text, open.logprobs));
    const item = open.kind.item(open.text, status, open.logprobs);
    yield { type: "response.output_item.done", output_index: this.#closed.length, item };
    this.#closed.push(item);
    this.#open = undefined;
  }

  *#stretch({ type, text }: PartEvent & { readonly type: "reasoning" | "text" }): Generator<PartialEvent> {
    const { newId, sealsReasoning } = this.#options;
    const logprobs = type === "text" ? this.#json(this.#probs.text(text)) : [];
    let own = text;
    if (this.#open?.of !== type) {
      // A second stretch: the canonical form puts this line break back between the two items.
      if (this.#had.has(type) && own.startsWith("\n")) own = own.slice(1);
      this.#had.add(type);
      const id = `${type === "text" ? "msg" : "rs"}_${newId()}`;
      yield* this.#start(type, id, type === "text" ? messageItem(id) : reasoningItem(id, sealsReasoning));
    }
    yield* this.#grow(own, logprobs);
  }

  #json(probs: readonly TokenProbs[]): readonly object[] {
    return probsJson(probs, { vocab: this.#options.vocab, wanted: { afterSampling: false } });
  }

  *#start(of: PartEvent["type"], id: string, kind: ItemKind): Generator<PartialEvent> {
    yield* this.end("completed");
    this.#open = { of, id, kind, text: "", logprobs: [] };
    const item = kind.item("", "in_progress", []);
    yield { type: "response.output_item.added", output_index: this.#closed.length, item };
    yield* this.#placed(kind.opening());
  }

  *#grow(text: string, logprobs: readonly object[] = []): Generator<PartialEvent> {
    const open = this.#open;
    if (open === undefined || text === "") return;
    open.text += text;
    open.logprobs.push(...logprobs);
    yield* this.#placed(open.kind.growing(text, logprobs));
  }

  *#placed(events: readonly PartialEvent[]): Generator<PartialEvent> {
    for (const { type, ...rest } of events) {
      yield { type, item_id: this.#open?.id, output_index: this.#closed.length, ...rest };
    }
  }
}
