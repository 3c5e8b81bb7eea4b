/**
 * Messages in an order and in roles that a template takes. Nothing is dropped, and what stands behind a message
 * changes nothing in front of it but by what the template itself refuses or rewrites.
 */
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../chat/Message.ts";
import type { TemplateCaps } from "./learn/TemplateCaps.ts";

export function arrangeMessages(messages: readonly Message[], caps: TemplateCaps): readonly Message[] {
  let out = messages;
  if (!caps.systemRole) out = withoutSystem(out, true);
  else if (!caps.systemAnywhere) out = withoutSystem(out, false);
  if (!caps.toolRole) out = out.map(resultAsText);
  else if (!caps.orphanResults) out = withoutOrphans(out);
  if (caps.userAfterResult !== "message") out = joinedToResults(out, caps.userAfterResult === "joined");
  if (caps.callsAtOnce === "one") out = out.flatMap((message, index) => oneCallEach(message, index, out));
  if (!caps.repeatedRoles) out = withoutRepeats(out);
  if (caps.userNeeded) out = withUser(out);
  return caps.userFirst ? withUserFirst(out) : out;
}

/** The user says nothing, where nobody asks for anything. */
function withUser(messages: readonly Message[]): readonly Message[] {
  if (messages.some((message) => message.role === "user")) return messages;
  const first = messages.findIndex((message) => message.role !== "system");
  const at = first < 0 ? messages.length : first;
  return [...messages.slice(0, at), { role: "user", content: "" }, ...messages.slice(at)];
}

/** The user says nothing in front of a greeting. */
function withUserFirst(messages: readonly Message[]): readonly Message[] {
  const at = messages.findIndex((message) => message.role !== "system");
  if (at < 0 || messages[at]?.role === "user") return messages;
  return [...messages.slice(0, at), { role: "user", content: "" }, ...messages.slice(at)];
}

/**
 * System text becomes the user's: in front of the user message that follows, or else behind the one it follows.
 * Behind a result it is no new message of the user's: a client adds it to results in the middle of a turn, which
 * must not become a turn of the past by it. Unless `all`, what stands at the very start stays, in one message.
 */
function withoutSystem(messages: readonly Message[], all: boolean): Message[] {
  const first = messages.findIndex((message) => message.role !== "system");
  const head = first < 0 ? messages.length : first;
  const out: Message[] = [];
  if (!all && head > 0) out.push({ role: "system", content: joined(messages.slice(0, head)) });
  let pending: Message[] = all ? messages.slice(0, head).filter(isSaid) : [];
  for (const message of messages.slice(head)) {
    if (message.role === "system") {
      if (isSaid(message)) pending.push(message);
      continue;
    }
    if (message.role === "user") {
      out.push({ ...message, content: joined([...pending, message]) });
      pending = [];
      continue;
    }
    if (pending.length > 0) addToUser(out, pending);
    pending = [];
    out.push(message);
  }
  if (pending.length > 0) addToUser(out, pending);
  return out;
}

function isSaid(message: Message): boolean {
  return message.content !== "";
}

function joined(messages: readonly Message[]): string {
  return messages.map((message) => message.content).join("\n\n");
}

function addToUser(out: Message[], pending: readonly Message[]): void {
  const before = out.at(-1);
  const content = joined(before?.role === "user" ? [before, ...pending] : pending);
  if (before?.role === "user") out[out.length - 1] = { ...before, content };
  else out.push({ role: "user", content, ...(before?.role === "tool" ? { besideResult: true } : {}) });
}

/** Qwen's words for a result in a user message, which most models have seen. */
function resultAsText(message: Message): Message {
  if (message.role !== "tool") return message;
  return { role: "user", content: `<tool_response>\n${message.content}\n</tool_response>` };
}

/** Clients trim their history, and calls with it. */
function withoutOrphans(messages: readonly Message[]): readonly Message[] {
  const called = new Set<string>();
  return messages.map((message) => {
    if (message.role === "assistant") for (const { id } of message.toolCalls) called.add(id);
    return message.role === "tool" && !called.has(message.toolCallId) ? resultAsText(message) : message;
  });
}

function joinedToResults(messages: readonly Message[], all: boolean): Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    const before = out.at(-1);
    const asked = before?.role === "assistant" ? before.toolCalls.at(-1) : undefined;
    if (all && asked !== undefined && message.role === "user") {
      out.push({ role: "tool", content: message.content, toolCallId: asked.id, name: asked.name });
    } else if (before?.role === "tool" && message.role === "user" && (all || message.besideResult === true)) {
      out[out.length - 1] = { ...before, content: joined([before, message].filter(isSaid)) };
    } else out.push(message);
  }
  return out;
}

/** Each call in a message of its own, with its result behind it; text and reasoning stay with the first. */
function oneCallEach(message: Message, index: number, all: readonly Message[]): Message[] {
  const results = (at: number): ToolMessage[] => {
    const end = all.findIndex((other, i) => i > at && other.role !== "tool");
    return all.slice(at + 1, end < 0 ? all.length : end).filter((other) => other.role === "tool");
  };
  if (message.role === "tool") {
    const owner = all.slice(0, index).findLastIndex((other) => other.role !== "tool");
    const asker = all[owner];
    const moved =
      asker?.role === "assistant" &&
      asker.toolCalls.length > 1 &&
      asker.toolCalls.some((call) => call.id === message.toolCallId);
    return moved ? [] : [message];
  }
  if (message.role !== "assistant" || message.toolCalls.length < 2) return [message];
  const answers = results(index);
  return message.toolCalls.flatMap((call, i): Message[] => {
    const asks: AssistantMessage =
      i === 0
        ? { ...message, toolCalls: [call] }
        : { role: "assistant", content: "", reasoning: "", toolCalls: [call] };
    return [asks, ...answers.filter((answer) => answer.toolCallId === call.id)];
  });
}

function withoutRepeats(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    const before = out.at(-1);
    if (before?.role === "user" && message.role === "user") out[out.length - 1] = bothUsers(before, message);
    else if (before?.role === "assistant" && message.role === "assistant") {
      out[out.length - 1] = bothReplies(before, message);
    } else out.push(message);
  }
  return out;
}

function bothUsers(a: UserMessage, b: UserMessage): UserMessage {
  return { role: "user", content: joined([a, b]) };
}

function bothReplies(a: AssistantMessage, b: AssistantMessage): AssistantMessage {
  const both = (x: string, y: string): string => [x, y].filter((text) => text !== "").join("\n\n");
  return {
    role: "assistant",
    content: both(a.content, b.content),
    reasoning: both(a.reasoning, b.reasoning),
    toolCalls: [...a.toolCalls, ...b.toolCalls],
  };
}
