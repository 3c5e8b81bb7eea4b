/**
 * Content blocks of a message: what they say, in the canonical form's parts. Signatures, `cache_control`,
 * citations and the like say nothing and are not read.
 */
import {
  type CanonicalContent,
  canonicalContent,
  canonicalPart,
  isBlank,
  joinedParts,
  type Note,
} from "../../chat/canonicalContent.ts";
import { invalid, kindOf, objectAt, textAt } from "../../chat/fields.ts";
import type { AssistantMessage, Tool, ToolCall } from "../../chat/Message.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonArray, isJsonObject } from "../../json/kinds.ts";
import { writeJson } from "../../json/writeJson.ts";
import { withoutAttribution } from "./attribution.ts";

export interface BlockRules {
  readonly keepAttribution: boolean;
  readonly note: Note;
  readonly deferred: ReadonlyMap<string, Tool>;
}

/** A string, or text blocks; "" for none. */
export function systemText(content: Json | undefined, field: string, rules: BlockRules): string {
  const clean = (text: string): string => (rules.keepAttribution ? text : withoutAttribution(text));
  if (typeof content === "string") return clean(content);
  if (!isJsonArray(content)) return canonicalContent(content, "system", field, rules.note).text;
  const parts = content.map((item, index) => canonicalPart(item, "system", `${field}[${index}]`, rules.note));
  return joinedParts(parts.map((part) => ({ ...part, text: clean(part.text) }))).text;
}

export interface UserResult {
  readonly id: string;
  readonly content: string;
}

export interface UserContent {
  readonly results: readonly UserResult[];
  readonly text: string;
}

export function userContent(content: Json | undefined, field: string, rules: BlockRules): UserContent {
  if (!isJsonArray(content))
    return { results: [], text: canonicalContent(content, "user", field, rules.note).text };
  const results: UserResult[] = [];
  const ids = new Set<string>();
  const parts: CanonicalContent[] = [];
  for (const [index, item] of content.entries()) {
    const at = `${field}[${index}]`;
    const block = objectAt(item, at);
    if (block.get("type") !== "tool_result") {
      parts.push(canonicalPart(asText(block), "user", at, rules.note));
      continue;
    }
    // One without an id answers no call that could be told.
    const sent = block.get("tool_use_id") ?? "";
    const id = sent === "" ? "" : textAt(sent, `${at}.tool_use_id`);
    if (id !== "" && ids.has(id)) {
      throw invalid(`${at}.tool_use_id`, `"${id}" has a result in this message already.`);
    }
    ids.add(id);
    results.push({ id, content: resultText(block, at, rules) });
  }
  return { results, text: joinedParts(parts).text };
}

function resultText(block: JsonObject, at: string, rules: BlockRules): string {
  const content = block.get("content") ?? undefined;
  const plain = isJsonArray(content) ? content.map((item) => asText(item, rules.deferred)) : content;
  const { text } = canonicalContent(plain, "tool", `${at}.content`, rules.note);
  const failed = block.get("is_error") ?? false;
  if (typeof failed !== "boolean") {
    throw invalid(`${at}.is_error`, `must be true or false, not ${kindOf(failed)}.`);
  }
  if (!failed || /^\W*error\b/i.test(text)) return text;
  return text === "" ? "Error" : `Error: ${text}`;
}

/** Blocks that hold text in a form of their own, as text; any other as it is. */
function asText(item: Json, deferred?: ReadonlyMap<string, Tool>): Json {
  if (!isJsonObject(item)) return item;
  const text = ownText(item, deferred);
  return text === undefined
    ? item
    : new Map([
        ["type", "text"],
        ["text", text],
      ]);
}

function ownText(block: JsonObject, deferred: ReadonlyMap<string, Tool> | undefined): string | undefined {
  const title = block.get("title");
  const titled = (text: string): string => (typeof title === "string" ? `${title}\n${text}` : text);
  switch (block.get("type")) {
    case "document": {
      const source = block.get("source");
      if (!isJsonObject(source)) return undefined;
      const data = source.get("data");
      if (source.get("type") === "text" && typeof data === "string") return titled(data);
      return source.get("type") === "content" ? titled(nestedText(source.get("content"))) : undefined;
    }
    case "search_result":
      return titled(nestedText(block.get("content")));
    case "tool_reference": {
      const name = block.get("tool_name");
      if (deferred === undefined || typeof name !== "string") return undefined;
      // From here on the model knows the tool: appended, so that no earlier token changes.
      const tool = deferred.get(name);
      return tool === undefined ? name : writeJson(tool.definition);
    }
    default:
      return undefined;
  }
}

function nestedText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!isJsonArray(content)) return "";
  const texts = content.map((item) => (isJsonObject(item) ? item.get("text") : undefined));
  return texts.filter((text) => typeof text === "string").join("\n");
}

/** What Anthropic's own servers put into a reply: no tool of this request, and no text. */
const OF_SERVERS =
  /^(redacted_thinking|server_tool_use|mcp_tool_use|\w+_tool_result|container_upload|compaction)$/;

/**
 * The assistant's blocks, in order. Thinking after a call begins a message of its own: a message holds one
 * stretch of reasoning, in front of its calls.
 */
export function assistantMessages(content: Json | undefined, field: string): AssistantMessage[] {
  if (!isJsonArray(content)) return [assistantMessage([canonicalContent(content, "assistant", field)], [])];
  const out: AssistantMessage[] = [];
  let parts: CanonicalContent[] = [];
  let calls: ToolCall[] = [];
  const ids = new Set<string>();
  for (const [index, item] of content.entries()) {
    const at = `${field}[${index}]`;
    const block = objectAt(item, at);
    const type = block.get("type");
    if (type === "tool_use") {
      const call = readCall(block, at);
      if (ids.has(call.id)) throw invalid(`${at}.id`, `"${call.id}" is the id of another call already.`);
      ids.add(call.id);
      calls.push(call);
    } else if (typeof type !== "string" || !OF_SERVERS.test(type)) {
      const part = canonicalPart(block, "assistant", at);
      if (calls.length > 0 && !isBlank(part.reasoning)) {
        out.push(assistantMessage(parts, calls));
        parts = [];
        calls = [];
      }
      parts.push(part);
    }
  }
  return [...out, assistantMessage(parts, calls)];
}

function assistantMessage(
  parts: readonly CanonicalContent[],
  toolCalls: readonly ToolCall[],
): AssistantMessage {
  const { text, reasoning } = joinedParts(parts);
  return { role: "assistant", content: text, reasoning, toolCalls };
}

/** Input that a client could not parse comes back as the string it was. */
function readCall(block: JsonObject, at: string): ToolCall {
  const input = block.get("input") ?? "";
  if (typeof input !== "string" && !isJsonObject(input)) {
    throw invalid(`${at}.input`, `must be an object, not ${kindOf(input)}.`);
  }
  return {
    id: textAt(block.get("id"), `${at}.id`),
    name: textAt(block.get("name"), `${at}.name`),
    arguments: input,
  };
}
