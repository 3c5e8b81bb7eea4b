/**
 * Reply events to content blocks that open, grow and close one after another, with contiguous indexes. What a
 * client joins of them and sends back is the reply again, in its canonical form.
 */
import type { ReplyEvent } from "../../serve/reply.ts";

export type StartedBlock =
  | { readonly type: "thinking"; readonly thinking: ""; readonly signature: "" }
  // Without `citations`: none is null in Anthropic's own types, and an error in older majors of the AI SDK.
  | { readonly type: "text"; readonly text: "" }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, never>>;
      readonly caller: { readonly type: "direct" };
    };

export type BlockDelta =
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string };

/** As they go over the wire. */
export type BlockEvent =
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: StartedBlock }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: "content_block_stop"; readonly index: number };

export type PartEvent = Extract<ReplyEvent, { type: "reasoning" | "text" | "call" | "call-arguments" }>;

export class MessageBlocks {
  #index = -1;
  #open: StartedBlock["type"] | undefined;
  #thinking = "";
  readonly #seen = new Set<"thinking" | "text">();

  *push(event: PartEvent): Generator<BlockEvent> {
    switch (event.type) {
      case "reasoning":
        yield* this.#thought(event.text);
        break;
      case "text":
        yield* this.#said(event.text);
        break;
      case "call": {
        const { id, name } = event;
        yield* this.#start({ type: "tool_use", id, name, input: {}, caller: { type: "direct" } });
        break;
      }
      case "call-arguments":
        yield this.#delta({ type: "input_json_delta", partial_json: event.text });
        break;
    }
  }

  *end(): Generator<BlockEvent> {
    if (this.#open === undefined) return;
    if (this.#open === "thinking") {
      yield this.#delta({ type: "signature_delta", signature: signatureOf(this.#thinking) });
      this.#thinking = "";
    }
    this.#open = undefined;
    yield { type: "content_block_stop", index: this.#index };
  }

  *#thought(text: string): Generator<BlockEvent> {
    let own = text;
    if (this.#open !== "thinking") {
      own = this.#stretch("thinking", text);
      yield* this.#start({ type: "thinking", thinking: "", signature: "" });
    }
    this.#thinking += own;
    yield this.#delta({ type: "thinking_delta", thinking: own });
  }

  *#said(text: string): Generator<BlockEvent> {
    let own = text;
    if (this.#open !== "text") {
      own = this.#stretch("text", text);
      yield* this.#start({ type: "text", text: "" });
    }
    yield this.#delta({ type: "text_delta", text: own });
  }

  /** Before a later stretch of a part stands a line break, which the canonical form puts between two blocks. */
  #stretch(part: "thinking" | "text", text: string): string {
    const later = this.#seen.has(part);
    this.#seen.add(part);
    return later && text.startsWith("\n") ? text.slice(1) : text;
  }

  *#start(block: StartedBlock): Generator<BlockEvent> {
    yield* this.end();
    this.#index += 1;
    this.#open = block.type;
    yield { type: "content_block_start", index: this.#index, content_block: block };
  }

  #delta(delta: BlockDelta): BlockEvent {
    return { type: "content_block_delta", index: this.#index, delta };
  }
}

/** A signature: clients send it back unread, and it is not checked. It only has to be there. */
function signatureOf(thinking: string): string {
  return `wt1.${Bun.hash.xxHash64(thinking).toString(16).padStart(16, "0")}`;
}
