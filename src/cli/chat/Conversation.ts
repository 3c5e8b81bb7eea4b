/**
 * The history of one chat, and its tool loop. Replies go back whole, with their reasoning and calls, as the
 * server has predicted them: so the next turn finds its prompt prefilled.
 */
import type { ChatClient } from "./ChatClient.ts";
import type { ChatTools } from "./ChatTools.ts";
import type { Delta, Message, Reply, ToolCall } from "./wireMessages.ts";

/** What is shown while a turn runs. */
export interface TurnWatch {
  delta(delta: Delta): void;
  replied(reply: Reply): void;
  /** What a tool gave. */
  result(call: ToolCall, text: string): void;
  notice(text: string): void;
}

/** Most calls in one turn: a model that never stops calling would not let the person speak again. */
const ROUNDS_MAX = 16;

export class Conversation {
  readonly #client: Pick<ChatClient, "reply">;
  readonly #tools: ChatTools;
  readonly #messages: Message[] = [];
  #system: string | null;
  /** The last turn: what was said, and where in the history. */
  #last: { readonly text: string; readonly at: number } | null = null;

  constructor(client: Pick<ChatClient, "reply">, tools: ChatTools, system: string | null) {
    this.#client = client;
    this.#tools = tools;
    this.#system = system;
  }

  get messages(): readonly Message[] {
    const system: Message[] = this.#system === null ? [] : [{ role: "system", content: this.#system }];
    return [...system, ...this.#messages];
  }

  /** Forgets all but the system prompt. */
  clear(): void {
    this.#messages.length = 0;
    this.#last = null;
  }

  /** Holds from the next turn on; null takes it away. */
  setSystem(text: string | null): void {
    this.#system = text;
  }

  /** One turn: the person's words, and replies and calls until the model is done. False where it failed. */
  async say(text: string, watch: TurnWatch, signal: AbortSignal): Promise<boolean> {
    this.#last = { text, at: this.#messages.length };
    this.#messages.push({ role: "user", content: text });
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const reply = await this.#client.reply({
        messages: this.messages,
        tools: this.#tools.specs,
        signal,
        onDelta: (delta) => watch.delta(delta),
      });
      this.#keep(reply);
      watch.replied(reply);
      if (reply.finish !== "tool_calls") return reply.finish !== "failed";
      for (const call of reply.message.tool_calls ?? []) {
        const result = this.#tools.run(call);
        this.#messages.push({ role: "tool", tool_call_id: call.id, content: result });
        watch.result(call, result);
      }
    }
    watch.notice(`Stopped after ${ROUNDS_MAX} replies with calls.`);
    return false;
  }

  /** Takes the last turn back and says the same again. Null where there was none. */
  async retry(watch: TurnWatch, signal: AbortSignal): Promise<boolean | null> {
    if (this.#last === null) return null;
    const { text, at } = this.#last;
    this.#messages.length = at;
    return await this.say(text, watch, signal);
  }

  /** A reply that was broken off stays as far as it came. Where nothing came, the question is taken back. */
  #keep({ message, finish }: Reply): void {
    const isEmpty =
      !message.content && message.reasoning_content === undefined && message.tool_calls === undefined;
    if (!isEmpty || (finish !== "stopped" && finish !== "failed")) this.#messages.push(message);
    else if (this.#messages.at(-1)?.role === "user") this.#messages.pop();
  }
}
