/**
 * The items that a request stands for: those of the responses that it goes on from, then its own, with references
 * replaced by what they name. A missing one is a 404: nothing is guessed.
 */

import { AppError } from "../../base/AppError.ts";
import { MESSAGES_MAX } from "../../chat/canonical.ts";
import { arrayAt, invalid, kindOf, textAt } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import { isJsonArray, isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";
import type { StoredResponse } from "./ResponseStore.ts";

/** What one API key has stored. */
export interface Stored {
  response(id: string): StoredResponse | undefined;
  item(id: string): string | undefined;
}

export interface PlacedItem {
  readonly item: Json;
  /** For errors. */
  readonly at: string;
}

export interface ResolvedInput {
  readonly items: readonly PlacedItem[];
  /** The request's own, to be stored with its response. */
  readonly own: readonly Json[];
}

export function resolveInput(
  input: Json | undefined,
  previous: string | undefined,
  stored: Stored,
): ResolvedInput {
  const items = previous === undefined ? [] : earlierItems(previous, stored);
  const own = ownItems(input, stored, previous !== undefined);
  const all = [...items, ...own];
  if (all.length > MESSAGES_MAX) {
    throw invalid("input", `stands for ${all.length} items; at most ${MESSAGES_MAX} are allowed.`);
  }
  return { items: all, own: own.map(({ item }) => item) };
}

function ownItems(input: Json | undefined, stored: Stored, mayBeEmpty: boolean): PlacedItem[] {
  if (typeof input === "string") return [{ item: userMessage(input), at: "input" }];
  if (input === undefined && mayBeEmpty) return [];
  if (!isJsonArray(input)) {
    throw invalid("input", `must be a string or an array of items, not ${kindOf(input)}.`);
  }
  if (input.length === 0 && !mayBeEmpty) throw invalid("input", "must hold at least one item.");
  return input.map((item, index) => resolved(item, `input[${index}]`, stored));
}

function userMessage(text: string): Json {
  return new Map<string, Json>([
    ["type", "message"],
    ["role", "user"],
    ["content", text],
  ]);
}

function resolved(item: Json, at: string, stored: Stored): PlacedItem {
  if (!isReference(item)) return { item, at };
  const id = textAt(item.get("id"), `${at}.id`);
  const text = stored.item(id);
  if (text === undefined) throw missing(`${at}.id`, `item "${id}"`);
  return { item: parseJson(text), at };
}

/** Its type may be left out. */
function isReference(item: Json): item is ReadonlyMap<string, Json> {
  if (!isJsonObject(item)) return false;
  const type = item.get("type") ?? undefined;
  return type === "item_reference" || (type === undefined && item.has("id") && !item.has("role"));
}

/** Oldest first. */
function earlierItems(id: string, stored: Stored): PlacedItem[] {
  const at = "previous_response_id";
  const turns: Json[][] = [];
  for (let next: string | null = id; next !== null; ) {
    const found: StoredResponse | undefined = stored.response(next);
    if (found === undefined) throw missing(at, `response "${next}"`);
    turns.push([found.input, found.output].flatMap((text) => arrayAt(parseJson(text), at)));
    next = found.previous;
  }
  return turns.reverse().flatMap((turn) => turn.map((item) => ({ item, at })));
}

function missing(field: string, what: string): AppError {
  return new AppError(
    "not-found",
    `${field}: ${what} is not stored here: it was never, was made with \`store: false\`, or had to go; ` +
      "send the items themselves.",
    { field },
  );
}
