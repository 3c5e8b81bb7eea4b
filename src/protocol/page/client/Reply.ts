/** A reply as its events arrive: put together to the message that is sent back with the next turn. */
import type { AssistantMessage, Call, Told } from "./Message.ts";

/** As far as it is read. */
export interface ReplyChunk {
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[];
  readonly warmturn?: Told;
  readonly error?: { readonly message?: string };
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

export class Reply {
  text = "";
  reasoning = "";
  readonly calls: Call[] = [];
  told: Told | null = null;

  /** Throws the error that the stream tells of. */
  take(chunk: ReplyChunk): void {
    if (chunk.error !== undefined) throw new Error(chunk.error.message ?? "The reply failed.");
    if (chunk.warmturn !== undefined) this.told = chunk.warmturn;
    const delta = chunk.choices?.[0]?.delta;
    if (delta === undefined) return;
    this.text += delta.content ?? "";
    this.reasoning += delta.reasoning_content ?? "";
    for (const part of delta.tool_calls ?? []) {
      const known = this.calls[part.index];
      this.calls[part.index] = {
        id: part.id ?? known?.id ?? "",
        type: "function",
        function: {
          name: part.function?.name ?? known?.function.name ?? "",
          arguments: (known?.function.arguments ?? "") + (part.function?.arguments ?? ""),
        },
      };
    }
  }

  /** It did not come to its end: a call without all its arguments cannot be sent back. */
  cut(): void {
    if (this.told === null) this.calls.length = 0;
  }

  get isEmpty(): boolean {
    return this.text === "" && this.reasoning === "" && this.calls.length === 0;
  }

  message(): AssistantMessage {
    return {
      role: "assistant",
      content: this.text === "" && this.calls.length > 0 ? null : this.text,
      ...(this.reasoning === "" ? {} : { reasoning_content: this.reasoning }),
      ...(this.calls.length === 0 ? {} : { tool_calls: this.calls }),
    };
  }
}
