/** Messages as they stand in the chat. */
import { button, el } from "./dom.ts";
import type { Call, Message } from "./Message.ts";
import type { Reply } from "./Reply.ts";
import { textParts } from "./textParts.ts";

export function userView(text: string, onEdit: (() => void) | null): HTMLElement {
  const view = el("div", "message user", el("span", "hidden", "You: "), textView(text));
  if (onEdit !== null) view.append(el("div", "actions", button("Edit", onEdit)));
  return view;
}

export function resultView(message: Extract<Message, { role: "tool" }>): HTMLElement {
  return el("div", "message tool", el("span", "told", "Result of the call"), textView(message.content));
}

export class ReplyView {
  readonly element = el("article", "message assistant");
  readonly actions = el("div", "actions");
  readonly #reasoning = el("details", "reasoning");
  readonly #reasoningText = el("div", "text");
  readonly #body = el("div");
  readonly #calls = el("div");
  readonly #reply: Reply;

  constructor(reply: Reply) {
    this.#reply = reply;
    this.#reasoning.append(el("summary", "", "Reasoning"), this.#reasoningText);
    this.element.setAttribute("aria-label", "Reply");
    this.element.append(this.#reasoning, this.#body, this.#calls, this.actions);
    this.show(false);
  }

  /** Reasoning stands open until text follows. */
  show(runs: boolean): void {
    const { text, reasoning, calls } = this.#reply;
    this.#reasoning.hidden = reasoning === "";
    this.#reasoningText.textContent = reasoning;
    if (runs) this.#reasoning.open = text === "" && calls.length === 0;
    this.#body.replaceChildren(runs && this.#reply.isEmpty ? el("span", "quiet", "…") : textView(text));
    this.#calls.replaceChildren(...calls.map(callView));
  }

  /** Behind the end: what the turn took. */
  told(): HTMLElement | null {
    const { told } = this.#reply;
    if (told === null) return null;
    const { resumed, warmed, prefilled, why } = told;
    const line = el("span", "told", `${resumed} resumed (${warmed} warmed), ${prefilled} prefilled`);
    line.title = why;
    return line;
  }
}

function textView(text: string): HTMLElement {
  const parts = textParts(text).map(({ code, text }) => (code ? el("pre", "", text) : text));
  return el("div", "text", ...parts);
}

function callView({ function: called }: Call): HTMLElement {
  const view = el(
    "details",
    "call",
    el("summary", "", `Calls ${called.name}`),
    el("pre", "", called.arguments),
  );
  view.open = true;
  return view;
}

/** For the results of calls: one field each. `onSend` gets them in the calls' order. */
export function resultForm(
  calls: readonly Call[],
  onSend: (results: readonly string[]) => void,
): HTMLElement {
  const fields = calls.map(({ function: called }) => {
    const field = el("textarea");
    field.rows = 2;
    return { field, label: el("label", "", `Result of ${called.name}`, field) };
  });
  const send = el("button", "", "Send results");
  send.type = "submit";
  const form = el("form", "call", ...fields.map(({ label }) => label), send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onSend(fields.map(({ field }) => field.value));
  });
  return form;
}
