/**
 * Tool results in the order of their calls, whichever finished first: clients that run calls side by side send
 * them as they come. Replies that stand side by side get their own results right behind them.
 */
import type { AssistantMessage, Message, ToolMessage } from "./Message.ts";

export function resultsInCallOrder(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  let at = 0;
  while (at < messages.length) {
    const replies = stretch(messages, at, isReply);
    at += replies.length;
    const results = stretch(messages, at, isResult);
    at += results.length;
    out.push(...withResults(replies, results));
    const next = messages[at];
    if (next === undefined || isReply(next) || isResult(next)) continue;
    out.push(next);
    at += 1;
  }
  return out;
}

function isReply(message: Message): message is AssistantMessage {
  return message.role === "assistant";
}

function isResult(message: Message): message is ToolMessage {
  return message.role === "tool";
}

function stretch<M extends Message>(
  messages: readonly Message[],
  from: number,
  is: (message: Message) => message is M,
): M[] {
  const out: M[] = [];
  for (let at = from; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined || !is(message)) break;
    out.push(message);
  }
  return out;
}

function withResults(replies: readonly AssistantMessage[], results: readonly ToolMessage[]): Message[] {
  if (results.length === 0) return [...replies];
  const waiting = new Map<string, ToolMessage[]>();
  for (const result of results) {
    const same = waiting.get(result.toolCallId);
    if (same === undefined) waiting.set(result.toolCallId, [result]);
    else same.push(result);
  }
  const out: Message[] = [];
  for (const reply of replies) {
    out.push(reply);
    for (const { id } of reply.toolCalls) {
      out.push(...(waiting.get(id) ?? []));
      waiting.delete(id);
    }
  }
  // Results of earlier calls, in the order they were sent.
  for (const result of results) if (waiting.has(result.toolCallId)) out.push(result);
  return out;
}
