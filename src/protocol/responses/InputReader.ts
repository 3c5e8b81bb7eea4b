/**
 * Items of a conversation as canonical messages. What a client sends back of one reply (reasoning, text, calls)
 * becomes one assistant message again; reasoning stands in front of what follows it.
 */
import {
  type CanonicalContent,
  canonicalContent,
  isBlank,
  joinedParts,
} from "../../chat/canonicalContent.ts";
import { arrayAt, invalid, kindOf, objectAt, textAt } from "../../chat/fields.ts";
import type { Message, ToolCall } from "../../chat/Message.ts";
import { ORPHAN_RESULT } from "../../chat/SentCalls.ts";
import type { JsonObject } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { openSealed } from "./sealedReasoning.ts";
import type { PlacedItem } from "./storedInput.ts";
import { modelName } from "./tools.ts";

/** Items that only OpenAI's own servers make or need; the model neither said nor was told them. */
const OF_SERVERS =
  /^(compaction(_\w+)?|additional_tools|configuration_update|program(_output)?|(web_search|file_search|computer|image_generation|code_interpreter|local_shell|shell|apply_patch|tool_search|mcp)_\w+)$/;

export class InputReader {
  readonly messages: Message[] = [];
  /** One sentence for each kind of item that was left out. */
  readonly ignored = new Set<string>();
  /** The assistant's turn that is being read. */
  #parts: CanonicalContent[] = [];
  #calls: ToolCall[] = [];
  readonly #callIds = new Set<string>();
  #inTurn = false;
  /** Name of the tool that each call so far has called, by the call's id. */
  readonly #called = new Map<string, string>();
  /** Calls that were answered since the last turn of the assistant. */
  readonly #answered = new Set<string>();

  readonly #note = (sentence: string): void => void this.ignored.add(sentence);

  instructions(text: string): void {
    this.#system(text);
  }

  item({ item, at }: PlacedItem): void {
    const raw = objectAt(item, at);
    const type = raw.get("type") ?? "message";
    if (typeof type !== "string") throw invalid(`${at}.type`, `must be a string, not ${kindOf(type)}.`);
    if (type === "message") this.#message(raw, at);
    else if (type === "reasoning") this.#reasoning(raw, at);
    else if (/^(function|custom_tool)_call$/.test(type)) this.#call(raw, type === "custom_tool_call", at);
    else if (/^(function|custom_tool)_call_output$/.test(type)) this.#result(raw, at);
    else if (OF_SERVERS.test(type)) {
      this.ignored.add(`Items of type "${type}" are not served here and were left out.`);
    } else throw invalid(`${at}.type`, `unknown item type "${type}".`);
  }

  end(): void {
    this.#endTurn();
  }

  #message(raw: JsonObject, at: string): void {
    const role = raw.get("role");
    const content = raw.get("content");
    const field = `${at}.content`;
    if (role === "system" || role === "developer") {
      this.#system(canonicalContent(content, "system", field, this.#note).text);
    } else if (role === "user") {
      this.#endTurn();
      this.messages.push({ role, content: canonicalContent(content, "user", field, this.#note).text });
    } else if (role === "assistant") {
      this.#part(canonicalContent(content, "assistant", field, this.#note));
    } else {
      const sent = typeof role === "string" ? `"${role}"` : kindOf(role);
      throw invalid(`${at}.role`, `must be one of system, developer, user, assistant; not ${sent}.`);
    }
  }

  #system(text: string): void {
    this.#endTurn();
    if (!isBlank(text)) this.messages.push({ role: "system", content: text });
  }

  /** Its text, or its summary, or what we sealed for clients that keep nothing else. */
  #reasoning(raw: JsonObject, at: string): void {
    const texts = [
      textsOf(raw, "content", at),
      textsOf(raw, "summary", at),
      openSealed(raw.get("encrypted_content")),
    ];
    this.#part({ text: "", reasoning: texts.find((text) => !isBlank(text)) ?? "" });
  }

  /** Reasoning behind calls begins a message of its own: a message holds one stretch of it, in front. */
  #part(part: CanonicalContent): void {
    if (this.#calls.length > 0 && !isBlank(part.reasoning)) this.#endTurn();
    this.#inTurn = true;
    this.#parts.push(part);
  }

  #call(raw: JsonObject, custom: boolean, at: string): void {
    const id = textAt(raw.get("call_id"), `${at}.call_id`);
    const namespace = raw.get("namespace") ?? null;
    if (namespace !== null && typeof namespace !== "string") {
      throw invalid(`${at}.namespace`, `must be a string, not ${kindOf(namespace)}.`);
    }
    const name = modelName(namespace, textAt(raw.get("name"), `${at}.name`));
    if (this.#callIds.has(id)) {
      throw invalid(`${at}.call_id`, `"${id}" is the id of another call already.`);
    }
    this.#callIds.add(id);
    this.#inTurn = true;
    this.#calls.push({ id, name, arguments: custom ? customArguments(raw, at) : sentArguments(raw, at) });
  }

  #result(raw: JsonObject, at: string): void {
    this.#endTurn();
    // One without an id answers no call that could be told.
    const sent = raw.get("call_id") ?? "";
    const id = sent === "" ? "" : textAt(sent, `${at}.call_id`);
    const name = this.#called.get(id);
    if (name === undefined) this.#note(ORPHAN_RESULT);
    if (id !== "" && this.#answered.has(id)) throw invalid(`${at}.call_id`, `"${id}" has an output already.`);
    this.#answered.add(id);
    const { text } = canonicalContent(raw.get("output"), "tool", `${at}.output`, this.#note);
    this.messages.push({ role: "tool", content: text, toolCallId: id, name: name ?? "" });
  }

  #endTurn(): void {
    if (!this.#inTurn) return;
    const { text, reasoning } = joinedParts(this.#parts);
    this.messages.push({ role: "assistant", content: text, reasoning, toolCalls: this.#calls });
    for (const call of this.#calls) this.#called.set(call.id, call.name);
    this.#callIds.clear();
    this.#answered.clear();
    this.#parts = [];
    this.#calls = [];
    this.#inTurn = false;
  }
}

function textsOf(raw: JsonObject, name: string, at: string): string {
  const list = raw.get(name) ?? null;
  if (list === null) return "";
  const texts = arrayAt(list, `${at}.${name}`).map((item, index) => {
    const text = objectAt(item, `${at}.${name}[${index}]`).get("text");
    if (typeof text === "string") return text;
    throw invalid(`${at}.${name}[${index}].text`, `must be a string, not ${kindOf(text)}.`);
  });
  return joinedParts(texts.map((text) => ({ text, reasoning: "" }))).text;
}

function sentArguments(raw: JsonObject, at: string): JsonObject | string {
  const sent = raw.get("arguments") ?? "";
  if (typeof sent === "string" || isJsonObject(sent)) return sent;
  throw invalid(`${at}.arguments`, `must be a string of JSON, not ${kindOf(sent)}.`);
}

function customArguments(raw: JsonObject, at: string): JsonObject {
  const input = raw.get("input") ?? "";
  if (typeof input !== "string") throw invalid(`${at}.input`, `must be a string, not ${kindOf(input)}.`);
  return new Map([["input", input]]);
}
