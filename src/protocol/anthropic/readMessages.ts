/**
 * Anthropic's `system` and `messages` as canonical messages. System messages stay where they are in the list;
 * text beside tool results becomes a user message after them.
 */
import { canonicalForm, MESSAGES_MAX } from "../../chat/canonical.ts";
import { arrayAt, invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { Message, Tool } from "../../chat/Message.ts";
import { resultsInCallOrder } from "../../chat/resultsInCallOrder.ts";
import { ORPHAN_RESULT } from "../../chat/SentCalls.ts";
import type { Json } from "../../json/json.ts";
import { assistantMessages, type BlockRules, systemText, userContent } from "./blocks.ts";

export function readMessages(
  system: Json | undefined,
  messages: Json | undefined,
  tools: readonly Tool[],
  rules: BlockRules,
): Message[] {
  const raw = arrayAt(messages, "messages");
  if (raw.length === 0) throw invalid("messages", "must hold at least one message.");
  const reader = new MessageReader(rules);
  if (system !== undefined) reader.system(system, "system");
  for (const [index, item] of raw.entries()) reader.message(item, `messages[${index}]`);
  if (reader.out.length === 0) throw invalid("messages", "holds nothing but blank system text.");
  return canonicalForm(resultsInCallOrder(reader.out), tools);
}

class MessageReader {
  readonly out: Message[] = [];
  readonly #rules: BlockRules;
  /** Name of the tool that each call so far has called, by the call's id. */
  readonly #called = new Map<string, string>();

  constructor(rules: BlockRules) {
    this.#rules = rules;
  }

  /** Results and calls come to messages of their own: these are counted. */
  #add(message: Message): void {
    if (this.out.length === MESSAGES_MAX) {
      throw invalid(
        "messages",
        `hold more than ${MESSAGES_MAX} messages and tool results, which is the limit.`,
      );
    }
    this.out.push(message);
  }

  system(content: Json | undefined, field: string): void {
    const text = systemText(content, field, this.#rules);
    if (text.trim() !== "") this.#add({ role: "system", content: text });
  }

  message(item: Json, at: string): void {
    const raw = objectAt(item, at);
    const role = raw.get("role");
    const content = raw.get("content") ?? undefined;
    const field = `${at}.content`;
    if (role === "system") this.system(content, field);
    else if (role === "user") this.#user(content, field);
    else if (role === "assistant") this.#assistant(content, field);
    else {
      const sent = typeof role === "string" ? `"${role}"` : kindOf(role);
      throw invalid(`${at}.role`, `must be one of user, assistant, system; not ${sent}.`);
    }
  }

  #user(content: Json | undefined, field: string): void {
    const { results, text } = userContent(content, field, this.#rules);
    for (const { id, content: result } of results) {
      const name = this.#called.get(id);
      if (name === undefined) this.#rules.note(ORPHAN_RESULT);
      this.#add({ role: "tool", content: result, toolCallId: id, name: name ?? "" });
    }
    if (results.length === 0) this.#add({ role: "user", content: text });
    else if (text !== "") this.#add({ role: "user", content: text, besideResult: true });
  }

  #assistant(content: Json | undefined, field: string): void {
    for (const message of assistantMessages(content, field)) {
      this.#add(message);
      for (const call of message.toolCalls) this.#called.set(call.id, call.name);
    }
  }
}
