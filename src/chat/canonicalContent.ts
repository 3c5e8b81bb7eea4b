/**
 * Content in its one form: a string. A string and its one text block are the same; several text blocks are
 * joined by a newline, as llama.cpp and the clients that flatten blocks themselves do; blank ones are dropped.
 * Nothing is trimmed. Whatever else hangs on a block (`cache_control`, annotations) is not read.
 */
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray } from "../json/kinds.ts";
import { invalid, kindOf, objectAt } from "./fields.ts";

/** Where content may come from decides what else but text it may hold. */
export type ContentOwner = "system" | "user" | "assistant" | "tool";

/** Told, for the log, what a request says that does not reach the model as it was meant: one sentence, no text of it. */
export type Note = (sentence: string) => void;

const NO_NOTE: Note = () => {};

export interface CanonicalContent {
  readonly text: string;
  /** Of thinking blocks, which only an assistant has. */
  readonly reasoning: string;
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

export function canonicalContent(
  content: Json | undefined,
  owner: ContentOwner,
  field: string,
  note: Note = NO_NOTE,
): CanonicalContent {
  if (content === undefined || content === null) {
    if (owner === "assistant" || owner === "tool") return { text: "", reasoning: "" };
    throw invalid(field, `must be a string or an array of text parts, not ${kindOf(content)}.`);
  }
  if (typeof content === "string") return { text: isBlank(content) ? "" : content, reasoning: "" };
  if (!isJsonArray(content)) {
    throw invalid(field, `must be a string or an array of text parts, not ${kindOf(content)}.`);
  }
  return joinedParts(content.map((item, index) => canonicalPart(item, owner, `${field}[${index}]`, note)));
}

/** One block of content; `at` is its own place. */
export function canonicalPart(
  item: Json,
  owner: ContentOwner,
  at: string,
  note: Note = NO_NOTE,
): CanonicalContent {
  const part = objectAt(item, at);
  const type = part.get("type");
  if ((type === "thinking" || type === "reasoning") && owner === "assistant") {
    return { text: "", reasoning: partText(part, ["thinking", "text"], at) };
  }
  if (type === "text" || type === "input_text" || type === "output_text") {
    return { text: partText(part, ["text"], at), reasoning: "" };
  }
  if (type === "refusal" && owner === "assistant") {
    return { text: partText(part, ["refusal"], at), reasoning: "" };
  }
  return { text: otherPart(type, at, note), reasoning: "" };
}

export function joinedParts(parts: readonly CanonicalContent[]): CanonicalContent {
  return {
    text: joined(parts.map((part) => part.text)),
    reasoning: joined(parts.map((part) => part.reasoning)),
  };
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => !isBlank(text)).join("\n");
}

function partText(part: JsonObject, names: readonly string[], at: string): string {
  for (const name of names) {
    const value = part.get(name);
    if (typeof value === "string") return value;
  }
  throw invalid(`${at}.${names[0]}`, "must be a string.");
}

const MEDIA = /image|audio|video|file|document/;

/**
 * No image reaches a model here: a placeholder stands for it, as one request that held it (a coding agent that has
 * read a PDF) is in the history of all that follow.
 */
function otherPart(type: Json | undefined, at: string, note: Note): string {
  if (typeof type !== "string") throw invalid(`${at}.type`, `must be "text", not ${kindOf(type)}.`);
  const media = MEDIA.exec(type)?.[0];
  if (media === undefined) throw invalid(`${at}.type`, `unknown part type "${type}"; must be "text".`);
  note(`Parts of type "${type}" are not read: a placeholder stands for each.`);
  return `[${media} omitted]`;
}
