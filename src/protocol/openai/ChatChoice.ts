/** One choice of a whole answer: a reply's events, collected. */
import type { TokenProbs } from "../../run/RunSpec.ts";
import { endOf, type FinishReason, type ReplyEnd, type ReplyEvent } from "../../serve/reply.ts";

const FINISH: Record<FinishReason, "stop" | "length" | "tool_calls"> = {
  stop: "stop",
  "stop-string": "stop",
  length: "length",
  "tool-calls": "tool_calls",
};

/** Of a request with `functions` in their words. */
export function finishOf({ finish }: ReplyEnd, legacy: boolean): string {
  return legacy && finish === "tool-calls" ? "function_call" : FINISH[finish];
}

interface WrittenCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; arguments: string };
}

export class ChatChoice {
  readonly probs: TokenProbs[] = [];
  readonly #calls: WrittenCall[] = [];
  #reasoning = "";
  #text = "";
  #end: ReplyEnd | undefined;

  take(event: ReplyEvent): void {
    switch (event.type) {
      case "told":
        this.probs.push(...event.probs);
        break;
      case "reasoning":
        this.#reasoning += event.text;
        break;
      case "text":
        this.#text += event.text;
        break;
      case "call":
        this.#calls.push({ id: event.id, type: "function", function: { name: event.name, arguments: "" } });
        break;
      case "call-arguments": {
        const call = this.#calls[event.index];
        if (call !== undefined) call.function.arguments += event.text;
        break;
      }
      case "end":
        this.#end = event;
        break;
      default:
        break;
    }
  }

  get end(): ReplyEnd {
    return endOf(this.#end);
  }

  message(legacy: boolean): object {
    const calls = this.#calls;
    const [first] = calls;
    const called = legacy ? { function_call: first?.function } : { tool_calls: calls };
    return {
      role: "assistant",
      content: this.#text === "" && calls.length > 0 ? null : this.#text,
      refusal: null,
      ...(this.#reasoning === "" ? {} : { reasoning_content: this.#reasoning }),
      ...(calls.length === 0 ? {} : called),
    };
  }
}
