/**
 * What a request has changed in front of what it adds, beside the nearest earlier prompt of its tenant: named by the
 * request's own parts, with the place in tokens. It says why a turn was not warm, and decides nothing.
 */
import type { AssistantMessage } from "../chat/Message.ts";
import { type MessageShape, messageShape, type PromptShape } from "./PromptShape.ts";

export interface PromptChange {
  readonly what:
    | "system"
    | "tools"
    | "template-option"
    | "message"
    | "reasoning"
    /** The parts are the same and the template writes them in another way: the date, or what it does to past turns. */
    | "template";
  /** Names of tools that were added, taken out, changed or moved; of an option. */
  readonly names?: readonly string[];
  /** Which message, counted from 0 as in the request. */
  readonly message?: number;
  /** First token that differs. */
  readonly at: number;
}

/** `reply`: what the earlier prompt was answered, where this request goes on from it; null where that is not known. */
export function promptChange(
  before: PromptShape,
  now: PromptShape,
  reply: AssistantMessage | null,
): PromptChange | null {
  const at = commonTokens(before.tokens, now.tokens);
  const isRewritten = at < commonPart(before, now);
  const named = { ...changedPart(before, now), at };
  if (isRewritten)
    return named.what === undefined ? { what: "template", at } : { ...named, what: named.what };
  return reply === null ? null : changedReply(before, now, reply, at);
}

/** Tokens of the earlier prompt without what only an answered prompt ends with: a little is let go. */
function commonPart(before: PromptShape, now: PromptShape): number {
  return Math.min(before.tokens.length - PROMPT_END, now.tokens.length);
}

/** Generation prompts are shorter. */
const PROMPT_END = 16;

type Part = Omit<PromptChange, "at" | "what"> & { readonly what?: PromptChange["what"] };

function changedPart(before: PromptShape, now: PromptShape): Part {
  const tools = changedNames(before.tools, now.tools);
  if (tools.length > 0) return { what: "tools", names: tools };
  const options = changedNames(before.options, now.options);
  if (options.length > 0) return { what: "template-option", names: options };
  const index = before.messages.findIndex((message, i) => !isSame(message, now.messages[i]));
  const [was, is] = [before.messages[index], now.messages[index]];
  if (was === undefined) return {};
  const isReasoning = is?.role === was.role && is.content === was.content;
  if (isReasoning) return { what: "reasoning", message: index };
  return { what: was.role === "system" && index === 0 ? "system" : "message", message: index };
}

/** What came back of the reply is another: its reasoning is gone, or its text or calls differ. */
function changedReply(
  before: PromptShape,
  now: PromptShape,
  reply: AssistantMessage,
  at: number,
): PromptChange | null {
  const message = before.messages.length;
  const echo = now.messages[message];
  const sent = messageShape(reply);
  if (echo?.role !== "assistant" || isSame(sent, echo)) return null;
  return { what: echo.content === sent.content ? "reasoning" : "message", message, at };
}

function isSame(a: MessageShape, b: MessageShape | undefined): boolean {
  return b !== undefined && a.role === b.role && a.content === b.content && a.reasoning === b.reasoning;
}

/** Those that only one has, that differ, or, where all are the same, that stand in another order. */
function changedNames(a: ReadonlyMap<string, bigint>, b: ReadonlyMap<string, bigint>): readonly string[] {
  const names = new Set([...a.keys(), ...b.keys()]);
  const changed = [...names].filter((name) => a.get(name) !== b.get(name));
  if (changed.length > 0) return changed;
  const order = [...b.keys()];
  return [...a.keys()].filter((name, i) => order[i] !== name);
}

export function commonTokens(a: Int32Array, b: Int32Array): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}
