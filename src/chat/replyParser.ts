/**
 * A reply's text, as it comes, into reasoning, text and calls, in the model's own format. Tags never leak: what
 * may become one is held back. The deltas of each part put together are what `replyMessage` makes of the whole
 * reply, however the text was split. A malformed or cut-off call is text until its arguments have begun; from
 * then on it stays a call, because the client has seen it. A stop string ends the text in front of it, and the reply.
 */
import type { JsonObject } from "../json/json.ts";
import { isJsonObject } from "../json/kinds.ts";
import { AnswerStop } from "./AnswerStop.ts";
import type { NewCallId } from "./callIds.ts";
import type { ContinuedPart } from "./continuation.ts";
import { type ReplyFormat, USUAL_FORMAT } from "./formats/ReplyFormat.ts";
import type { ReplySink } from "./formats/ReplySink.ts";
import { ReplySource, type Step } from "./formats/ReplySource.ts";
import { readReply } from "./formats/readReply.ts";
import type { AssistantMessage, Tool } from "./Message.ts";
import { EdgeTrimmer } from "./replyEdges.ts";
import { replyMessage } from "./replyMessage.ts";

export type ReplyDelta =
  | { readonly type: "reasoning"; readonly text: string }
  /** `token` where each token's text is told by itself, "" included. */
  | { readonly type: "text"; readonly text: string; readonly token?: number }
  | { readonly type: "call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "call-arguments"; readonly index: number; readonly text: string };

export interface ReplyParserOptions {
  /** The model's own; Qwen's and Hermes' where none is given. */
  readonly format?: ReplyFormat;
  /** The prompt's end has opened the reasoning already. */
  readonly opensReasoning: boolean;
  /** The prompt ends in a part that the reply continues: its first white space is not an edge. */
  readonly continues?: ContinuedPart;
  /** The request's tools; without any a call's spelling is text. `true` is any tools at all. */
  readonly tools: boolean | readonly Tool[];
  /** Strings that end the answer; missing: none. */
  readonly stop?: readonly string[];
  /** Unique in its conversation. */
  readonly newCallId: NewCallId;
}

interface CallParts {
  readonly id: string;
  readonly name: string;
  readonly arguments: string[];
}

export class ReplyParser implements ReplySink {
  readonly #options: ReplyParserOptions;
  readonly #reasoning: EdgeTrimmer;
  readonly #text: EdgeTrimmer;
  readonly #stop: AnswerStop;
  readonly #calls: CallParts[] = [];
  readonly #source = new ReplySource();
  readonly #reading: Step<void>;
  #out: ReplyDelta[] = [];
  /** What came last. */
  #part: "reasoning" | "text" | "call";

  constructor(options: ReplyParserOptions) {
    this.#options = options;
    const { format = USUAL_FORMAT, tools, continues } = options;
    const start = options.opensReasoning ? "reasoning" : (continues ?? "start");
    this.#part = start === "start" ? "text" : start;
    this.#reasoning = new EdgeTrimmer(continues === "reasoning");
    this.#text = new EdgeTrimmer(continues === "text");
    this.#stop = new AnswerStop(options.stop ?? [], continues === "text");
    const hasTools = tools === true || (tools !== false && tools.length > 0);
    this.#reading = readReply(this.#source, this, format, start, hasTools);
  }

  /** Whether the last text that came was reasoning. */
  get inReasoning(): boolean {
    return this.#part === "reasoning";
  }

  get callCount(): number {
    return this.#calls.length;
  }

  /** Whether there are stop strings to be found, and which one was: nothing is taken behind it. */
  get stop(): Pick<AnswerStop, "isWatching" | "hit" | "heldChars"> {
    return this.#stop;
  }

  push(text: string): readonly ReplyDelta[] {
    this.#source.push(text);
    this.#reading.next();
    return this.#take();
  }

  /** The reply has ended: what was held back is text. */
  end(): readonly ReplyDelta[] {
    this.#source.end();
    this.#reading.next();
    this.#endStretch();
    return this.#take();
  }

  message(): AssistantMessage {
    const calls = this.#calls.map((call) => ({ ...call, arguments: call.arguments.join("") }));
    const reasoning = this.#reasoning.all;
    const text = this.#text.all;
    const message = replyMessage({ reasoning, text, calls });
    // White space in front of what goes on from the client's own text is no edge.
    return this.#options.continues === undefined ? message : { ...message, reasoning, content: text };
  }

  reasoning(text: string): void {
    if (this.#stop.hit !== null) return;
    this.#endStretch();
    if (this.#part !== "reasoning") this.#reasoning.newStretch();
    this.#part = "reasoning";
    this.#emit("reasoning", this.#reasoning.push(text));
  }

  text(text: string): void {
    if (this.#stop.hit !== null) return;
    if (this.#part !== "text") this.#text.newStretch();
    this.#part = "text";
    this.#emit("text", this.#text.push(this.#stop.push(text)));
  }

  open(name: string): void {
    if (this.#stop.hit !== null) return;
    this.#endStretch();
    this.#part = "call";
    const call: CallParts = { id: this.#options.newCallId(name, this.#calls.length), name, arguments: [] };
    this.#calls.push(call);
    this.#out.push({ type: "call", index: this.#calls.length - 1, id: call.id, name });
  }

  arguments(text: string): void {
    const index = this.#calls.length - 1;
    if (text === "" || this.#stop.hit !== null) return;
    this.#calls[index]?.arguments.push(text);
    const last = this.#out.at(-1);
    if (last?.type === "call-arguments") {
      this.#out[this.#out.length - 1] = { ...last, text: last.text + text };
    } else this.#out.push({ type: "call-arguments", index, text });
  }

  knows(name: string): boolean {
    const { tools } = this.#options;
    return typeof tools === "boolean" ? tools : tools.some((tool) => tool.name === name);
  }

  schema(name: string): JsonObject | undefined {
    const { tools } = this.#options;
    const tool = typeof tools === "boolean" ? undefined : tools.find((one) => one.name === name);
    const body = tool?.definition.get("function");
    const schema = isJsonObject(body) ? body.get("parameters") : undefined;
    return isJsonObject(schema) ? schema : undefined;
  }

  /** What might have become a stop string has not. */
  #endStretch(): void {
    if (this.#part === "text") this.#emit("text", this.#text.push(this.#stop.end()));
  }

  #take(): readonly ReplyDelta[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #emit(type: "reasoning" | "text", text: string): void {
    if (text === "") return;
    const last = this.#out.at(-1);
    if (last?.type === type) this.#out[this.#out.length - 1] = { type, text: last.text + text };
    else this.#out.push({ type, text });
  }
}
