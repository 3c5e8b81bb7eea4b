/**
 * Reply events to Ollama's objects: one a line as they come, the last of them with the counts; or all of them in one.
 * A call is said whole, once its arguments are, with the digits and key order that the model wrote.
 */
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";
import { fromPlain } from "../../json/plainJson.ts";
import { writeJson } from "../../json/writeJson.ts";
import { endOf, type FinishReason, type ReplyEnd, type ReplyEvent } from "../../serve/reply.ts";
import { timingsOf, warmturnOf } from "../shared/usage.ts";
import { ollamaErrorBody } from "./errorBody.ts";

export interface ReplyForm {
  /** `chat` says it in a `message`, `generate` in a `response`. */
  readonly kind: "chat" | "generate";
  readonly model: string;
  readonly createdAt: () => string;
}

/** What one line says. */
interface Said {
  readonly content?: string;
  readonly thinking?: string;
  readonly calls?: readonly JsonObject[];
}

const DONE: Readonly<Record<FinishReason, "stop" | "length">> = {
  stop: "stop",
  "stop-string": "stop",
  "tool-calls": "stop",
  length: "length",
};

/** An empty line of this kind says that somebody is there. */
export function saysNothing(form: ReplyForm): string {
  return line(form, {}, { done: false });
}

/** What is answered where nothing was asked: the model is loaded. */
export function loaded(form: ReplyForm): string {
  return line(form, {}, { done: true, done_reason: "load" });
}

export async function* replyLines(
  events: AsyncIterable<ReplyEvent>,
  form: ReplyForm,
): AsyncGenerator<string> {
  const calls = new Calls();
  for await (const event of events) {
    if (event.type === "error") {
      yield JSON.stringify(ollamaErrorBody(event.error));
      return;
    }
    const call = calls.take(event);
    if (call !== null) yield line(form, { calls: [call] }, { done: false });
    if (event.type === "text") yield line(form, { content: event.text }, { done: false });
    if (event.type === "reasoning") yield line(form, { thinking: event.text }, { done: false });
    if (event.type === "end") yield line(form, {}, counts(event));
  }
}

/** The JSON text. Throws the AppError that a stream would have said. */
export async function wholeReply(events: AsyncIterable<ReplyEvent>, form: ReplyForm): Promise<string> {
  const calls = new Calls();
  const made: JsonObject[] = [];
  const said = { content: "", thinking: "" };
  let end: ReplyEnd | undefined;
  for await (const event of events) {
    if (event.type === "error") throw event.error;
    const call = calls.take(event);
    if (call !== null) made.push(call);
    if (event.type === "text") said.content += event.text;
    if (event.type === "reasoning") said.thinking += event.text;
    if (event.type === "end") end = event;
  }
  return line(form, { ...said, calls: made }, counts(endOf(end)));
}

function line({ kind, model, createdAt }: ReplyForm, said: Said, rest: object): string {
  const { content = "", thinking = "", calls = [] } = said;
  const out = new Map<string, Json>([
    ["model", model],
    ["created_at", createdAt()],
  ]);
  const thought: [string, Json][] = thinking === "" ? [] : [["thinking", thinking]];
  if (kind === "generate") {
    out.set("response", content);
    for (const [name, value] of thought) out.set(name, value);
  } else {
    const called: [string, Json][] = calls.length === 0 ? [] : [["tool_calls", calls]];
    out.set("message", new Map([["role", "assistant"], ["content", content], ...thought, ...called]));
  }
  const plain = fromPlain(rest);
  return writeJson(new Map([...out, ...(isJsonObject(plain) ? plain : [])]), "compact");
}

/** Nanoseconds, as Ollama counts. */
function counts({ finish, report }: ReplyEnd): object {
  const timings = timingsOf(report);
  const ns = (ms: number): number => Math.round(ms * 1e6);
  const [prompt, predicted] = [ns(timings.prompt_ms), ns(timings.predicted_ms)];
  return {
    done: true,
    done_reason: DONE[finish],
    total_duration: ns(report.queuedMs) + prompt + predicted,
    load_duration: 0,
    prompt_eval_count: report.promptTokens,
    prompt_eval_duration: prompt,
    eval_count: report.predictedTokens,
    eval_duration: predicted,
    warmturn: warmturnOf(report),
    timings,
  };
}

/** Calls, until they are whole. */
class Calls {
  #open: { readonly index: number; readonly name: string; text: string } | null = null;

  /** The call that this event shows to be over. */
  take(event: ReplyEvent): JsonObject | null {
    if (event.type === "told") return null;
    if (event.type === "call-arguments") {
      if (this.#open !== null) this.#open.text += event.text;
      return null;
    }
    const over = this.#open;
    this.#open = event.type === "call" ? { index: event.index, name: event.name, text: "" } : null;
    return over === null ? null : callOf(over.index, over.name, over.text);
  }
}

function callOf(index: number, name: string, text: string): JsonObject {
  const body = fromPlain({ index, name });
  const called = new Map(isJsonObject(body) ? body : []);
  return new Map([["function", called.set("arguments", argumentsOf(text))]]);
}

/** A call that was cut off has the arguments that could be read of it: none. */
function argumentsOf(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : new Map();
  } catch {
    return new Map();
  }
}
