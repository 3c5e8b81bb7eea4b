/**
 * A reply's text, as it comes, into reasoning, text and calls. Tags never leak: what may become one is held
 * back. The deltas of each part put together are what `replyMessage` makes of the whole reply, however the
 * text was split. A malformed or cut-off call is text until its arguments have begun; from then on it stays
 * a call, because the client has seen it.
 */
import type { AssistantMessage } from "./messages.ts";
import { CallReader } from "./replyCall.ts";
import { EdgeTrimmer } from "./replyEdges.ts";
import { replyMessage } from "./replyMessage.ts";
import { partialTail } from "./replyStop.ts";

export type ReplyDelta =
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "call-arguments"; readonly index: number; readonly text: string };

export interface ReplyParserOptions {
  /** The prompt's end has opened the reasoning already. */
  readonly opensReasoning: boolean;
  /** Whether the request has tools; without them a call's spelling is text. */
  readonly tools: boolean;
  /** Unique among all replies. */
  readonly newCallId: () => string;
}

const THINK = "<think>";
const THINK_END = "</think>";
const CALL = "<tool_call>";
const CALL_END = "</tool_call>";

interface CallParts {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

type State = "start" | "reasoning" | "text" | "call" | "call-end";

export class ReplyParser {
  readonly #options: ReplyParserOptions;
  readonly #reasoning = new EdgeTrimmer();
  readonly #text = new EdgeTrimmer();
  readonly #calls: CallParts[] = [];
  #state: State;
  /** Text of the present state that is not decided yet. */
  #pending = "";
  #call: CallReader | undefined;
  #out: ReplyDelta[] = [];

  constructor(options: ReplyParserOptions) {
    this.#options = options;
    this.#state = options.opensReasoning ? "reasoning" : "start";
  }

  get inReasoning(): boolean {
    return this.#state === "reasoning";
  }

  get callCount(): number {
    return this.#calls.length;
  }

  push(text: string): readonly ReplyDelta[] {
    this.#pending += text;
    while (this.#step()) {}
    return this.#take();
  }

  /** The reply has ended: whatever was held back is what it says. */
  end(): readonly ReplyDelta[] {
    if (this.#state === "call" && this.#call?.opened !== true) this.#giveBack();
    if (this.#state === "reasoning") this.#emit("reasoning", this.#pending);
    else if (this.#state !== "call-end") this.#emit("text", this.#pending);
    this.#pending = "";
    return this.#take();
  }

  message(): AssistantMessage {
    return replyMessage({ reasoning: this.#reasoning.all, text: this.#text.all, calls: this.#calls });
  }

  #take(): readonly ReplyDelta[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** One transition; false when more text is needed. */
  #step(): boolean {
    if (this.#pending === "") return false;
    switch (this.#state) {
      case "start":
        return this.#start();
      case "reasoning":
        return this.#until(THINK_END, "reasoning", "text");
      case "text":
        if (this.#options.tools) return this.#until(CALL, "text", "call");
        this.#emit("text", this.#pending);
        this.#pending = "";
        return false;
      case "call":
        return this.#readCall();
      case "call-end":
        return this.#callEnd();
    }
  }

  #start(): boolean {
    const body = this.#pending.trimStart();
    if (body.startsWith(THINK)) {
      this.#pending = body.slice(THINK.length);
      this.#state = "reasoning";
      return true;
    }
    if (THINK.startsWith(body)) return false;
    this.#state = "text";
    return true;
  }

  #until(tag: string, part: "reasoning" | "text", next: State): boolean {
    const at = this.#pending.indexOf(tag);
    const safe = at >= 0 ? at : this.#pending.length - partialTail(this.#pending, tag);
    this.#emit(part, this.#pending.slice(0, safe));
    this.#pending = this.#pending.slice(at >= 0 ? at + tag.length : safe);
    if (at < 0) return false;
    this.#state = next;
    return true;
  }

  #readCall(): boolean {
    this.#call ??= new CallReader((event) => {
      if (event.type === "open") this.#openCall(event.name);
      else this.#addArguments(event.text);
    });
    const call = this.#call;
    let used = 0;
    while (used < this.#pending.length && call.status === "reading") {
      if (!call.take(this.#pending.charAt(used))) break;
      used += 1;
    }
    this.#pending = this.#pending.slice(used);
    if (call.status === "reading") return false;
    if (call.status === "malformed") this.#giveBack();
    else {
      this.#call = undefined;
      this.#state = "call-end";
    }
    return true;
  }

  /** After the object: white space and the closing tag belong to the call, anything else is text. */
  #callEnd(): boolean {
    const body = this.#pending.trimStart();
    if (body.startsWith(CALL_END)) {
      this.#pending = body.slice(CALL_END.length);
      this.#state = "text";
      return true;
    }
    if (CALL_END.startsWith(body)) return false;
    this.#state = "text";
    return true;
  }

  #giveBack(): void {
    const raw = this.#call?.raw ?? "";
    this.#call = undefined;
    this.#state = "text";
    this.#emit("text", CALL + raw);
  }

  #openCall(name: string): void {
    const call: CallParts = { id: this.#options.newCallId(), name, arguments: "" };
    this.#calls.push(call);
    this.#text.newStretch();
    this.#out.push({ type: "call", index: this.#calls.length - 1, id: call.id, name });
  }

  #addArguments(text: string): void {
    const index = this.#calls.length - 1;
    const call = this.#calls[index];
    if (call === undefined) return;
    call.arguments += text;
    const last = this.#out.at(-1);
    if (last?.type === "call-arguments")
      this.#out[this.#out.length - 1] = { ...last, text: last.text + text };
    else this.#out.push({ type: "call-arguments", index, text });
  }

  #emit(part: "reasoning" | "text", text: string): void {
    const safe = (part === "reasoning" ? this.#reasoning : this.#text).push(text);
    if (safe !== "") this.#out.push({ type: part, text: safe });
  }
}
