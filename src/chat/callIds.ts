/**
 * Ids of calls in the model's own form, where its calls show them: Kimi's `functions.f:0` stands in front of the
 * arguments, and its template names a result by the id that the client sends back.
 */
import type { CallFormat } from "./CallFormat.ts";
import type { Message } from "./Message.ts";

/** Of the reply's `index`th call, from 0. */
export type NewCallId = (name: string, index: number) => string;

/** `otherwise` where the format shows no id made of the name. Ids that the history has are passed over. */
export function callIds(
  format: CallFormat | null | undefined,
  messages: readonly Message[],
  otherwise: () => string,
): NewCallId {
  const around = format === null || format === undefined ? null : aroundName(format);
  if (around === null) return otherwise;
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") used.add(message.toolCallId);
    if (message.role === "assistant") for (const call of message.toolCalls) used.add(call.id);
  }
  return (name, index) => {
    let count = index + around.from;
    while (used.has(`${around.before}${name}${around.behind}${count}`)) count += 1;
    const id = `${around.before}${name}${around.behind}${count}`;
    used.add(id);
    return id;
  };
}

/** A word that goes on in the name, and what counts behind it: `functions.` NAME `:` INDEX. */
function aroundName({ parts }: CallFormat): { before: string; behind: string; from: number } | null {
  const at = parts.findIndex((part) => typeof part !== "string" && part.slot === "name");
  const [head, behind, count] = [parts[at - 1], parts[at + 1], parts[at + 2]];
  const before = typeof head === "string" ? /[\w.]+$/.exec(head)?.[0] : undefined;
  if (before === undefined || behind !== ":" || typeof count !== "object" || count.slot !== "index")
    return null;
  return { before, behind, from: count.from ?? 0 };
}
