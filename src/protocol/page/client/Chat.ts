/** The chat: messages, the reply that runs, and what can be done with both. One reply runs at a time. */
import { createParser } from "eventsource-parser";
import { ask, ServerError } from "./api.ts";
import { button, byId, el } from "./dom.ts";
import type { Message } from "./Message.ts";
import { ReplyView, resultForm, resultView, userView } from "./messageView.ts";
import { Reply, type ReplyChunk } from "./Reply.ts";
import { settingsNow } from "./settings.ts";

/** A reply is kept with what it took. */
type Entry = { readonly message: Message; readonly reply?: Reply };

export class Chat {
  readonly #list = byId("messages", HTMLElement);
  readonly #hint = byId("hint", HTMLElement);
  /** For who does not see: the reply once it is whole. */
  readonly #announce = byId("announce", HTMLElement);
  readonly #notice = byId("notice", HTMLElement);
  readonly #prompt = byId("prompt", HTMLTextAreaElement);
  readonly #send = byId("send", HTMLButtonElement);
  readonly #stop = byId("stop", HTMLButtonElement);
  readonly #onUnauthorized: () => void;
  #entries: Entry[] = [];
  #running: AbortController | null = null;

  constructor(onUnauthorized: () => void) {
    this.#onUnauthorized = onUnauthorized;
    byId("compose", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#prompt.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#stop.addEventListener("click", () => this.stop());
    byId("new", HTMLButtonElement).addEventListener("click", () => this.#clear());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.stop();
    });
  }

  stop(): void {
    this.#running?.abort();
  }

  #clear(): void {
    this.stop();
    this.#running = null;
    this.#entries = [];
    this.#show();
    this.#prompt.focus();
  }

  #submit(): void {
    const text = this.#prompt.value;
    if (text.trim() === "" || this.#running !== null) return;
    this.#prompt.value = "";
    this.#entries.push({ message: { role: "user", content: text } });
    void this.#reply();
  }

  /** Back to the message: its text can be changed, and what followed it is gone. */
  #edit(at: number): void {
    const message = this.#entries[at]?.message;
    if (message?.role !== "user") return;
    this.#entries.length = at;
    this.#prompt.value = message.content;
    this.#show();
    this.#prompt.focus();
  }

  #retry(at: number): void {
    this.#entries.length = at;
    void this.#reply();
  }

  async #reply(): Promise<void> {
    const reply = new Reply();
    const abort = new AbortController();
    this.#running = abort;
    this.#show();
    const view = new ReplyView(reply);
    view.show(true);
    this.#list.append(view.element);
    this.#scroll();
    try {
      await this.#read(reply, abort.signal, () => {
        const follows = this.#isAtEnd();
        view.show(true);
        if (follows) this.#scroll();
      });
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(error);
    }
    // Another chat may have begun meanwhile.
    if (this.#running !== abort) return;
    this.#running = null;
    reply.cut();
    this.#announce.textContent = reply.text;
    if (!reply.isEmpty) this.#entries.push({ message: reply.message(), reply });
    const notice = this.#notice.textContent;
    this.#show();
    this.#notice.textContent = notice;
  }

  async #read(reply: Reply, signal: AbortSignal, onChange: () => void): Promise<void> {
    const { system, fields } = settingsNow();
    const messages = this.#entries.map(({ message }) => message);
    const body = {
      messages: system === "" ? messages : [{ role: "system", content: system }, ...messages],
      stream: true,
      ...fields,
    };
    const headers = { "content-type": "application/json" };
    const response = await ask("v1/chat/completions", {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal,
    });
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data !== "[DONE]") reply.take(JSON.parse(data) as ReplyChunk);
      },
    });
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return;
      parser.feed(decoder.decode(part.value, { stream: true }));
      onChange();
    }
  }

  #fail(error: unknown): void {
    if (error instanceof ServerError && error.status === 401) this.#onUnauthorized();
    this.#notice.textContent = error instanceof Error ? error.message : String(error);
  }

  #show(): void {
    const runs = this.#running !== null;
    this.#send.hidden = runs;
    this.#stop.hidden = !runs;
    this.#notice.textContent = "";
    const hadFocus = this.#list.contains(document.activeElement);
    const views = this.#entries.map((entry, at) => this.#view(entry, at, runs));
    const last = this.#entries.at(-1);
    if (last !== undefined && last.reply === undefined && !runs) {
      views.push(
        el(
          "div",
          "actions",
          button("Retry", () => this.#retry(this.#entries.length)),
        ),
      );
    }
    this.#list.replaceChildren(...(views.length === 0 ? [this.#hint] : views));
    // The button that was pressed is gone.
    if (hadFocus) this.#list.focus({ preventScroll: true });
    this.#scroll();
  }

  #view({ message, reply }: Entry, at: number, runs: boolean): HTMLElement {
    if (message.role === "user") return userView(message.content, runs ? null : () => this.#edit(at));
    if (message.role === "tool") return resultView(message);
    if (reply === undefined) return el("div");
    const view = new ReplyView(reply);
    if (!runs) view.actions.append(button("Retry", () => this.#retry(at)));
    view.actions.append(...[view.told()].filter((line) => line !== null));
    const isLast = at === this.#entries.length - 1;
    if (isLast && !runs && reply.calls.length > 0) {
      view.element.append(resultForm(reply.calls, (results) => this.#sendResults(reply, results)));
    }
    return view.element;
  }

  #sendResults(reply: Reply, results: readonly string[]): void {
    for (const [index, content] of results.entries()) {
      const id = reply.calls[index]?.id ?? "";
      this.#entries.push({ message: { role: "tool", tool_call_id: id, content } });
    }
    void this.#reply();
  }

  #isAtEnd(): boolean {
    return this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 60;
  }

  #scroll(): void {
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}
