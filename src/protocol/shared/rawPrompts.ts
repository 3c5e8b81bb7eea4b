/**
 * `prompt` in all forms of llama-server and of OpenAI's completions: text, token ids, both mixed, an object with
 * `prompt_string`, and lists of these.
 */
import { invalid, kindOf } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../../json/kinds.ts";
import type { RawPart, RawPrompt } from "../../prompt/RawPrompt.ts";
import type { SamplingRules } from "./sampling.ts";

export interface SentPrompt {
  readonly prompt: RawPrompt;
  /** Its path in the body. */
  readonly field: string;
}

/** Of the vocabulary, and how many prompts there may be. */
export type PromptRules = Pick<SamplingRules, "vocab" | "limits">;

const FORMS = "a string, an array of token ids and strings, or a list of these";

/** Where prompts stand in the body, how many there may be, and what they are called. */
interface PromptPlace {
  readonly field: string;
  readonly most: number;
  readonly are: string;
}

/** At least one. A list that holds a number is one prompt, any other list is several. */
export function readPrompts(
  value: Json | undefined,
  rules: PromptRules,
  { field, most, are }: PromptPlace = { field: "prompt", most: rules.limits.promptsMax, are: "prompts" },
): readonly SentPrompt[] {
  if (value === undefined) throw invalid(field, `is missing; it must be ${FORMS}.`);
  if (!isJsonArray(value) || value.some((item) => isJsonNumber(item)))
    return [onePrompt(value, field, rules)];
  if (value.length === 0) throw invalid(field, "must not be empty.");
  if (value.length > most) {
    throw invalid(field, `holds ${value.length} ${are}; at most ${most} are allowed.`);
  }
  return value.map((item, index) => onePrompt(item, `${field}[${index}]`, rules));
}

function onePrompt(value: Json, field: string, rules: PromptRules): SentPrompt {
  if (isJsonObject(value)) {
    if ((value.get("multimodal_data") ?? null) !== null) {
      throw invalid(`${field}.multimodal_data`, "is not understood: pictures and sound are not read here.");
    }
    const text = value.get("prompt_string");
    if (typeof text === "string") return { prompt: rawPrompt([{ text, special: true }]), field };
    throw invalid(`${field}.prompt_string`, `must be a string, not ${kindOf(text)}.`);
  }
  const parts = mixedParts(value, field, rules.vocab.size);
  if (parts.length === 0) throw invalid(field, "must not be empty.");
  return { prompt: rawPrompt(parts), field };
}

/** Text, or a list of token ids and texts; also what `/tokenize` takes as `content`. */
export function mixedParts(
  value: Json | undefined,
  field: string,
  vocabSize: number,
  special = true,
): readonly RawPart[] {
  if (typeof value === "string") return [{ text: value, special }];
  if (!isJsonArray(value)) throw invalid(field, `must be ${FORMS}, not ${kindOf(value)}.`);
  const parts: RawPart[] = [];
  let ids: number[] | undefined;
  for (const [index, item] of value.entries()) {
    if (typeof item === "string") {
      parts.push({ text: item, special });
      ids = undefined;
      continue;
    }
    if (ids === undefined) {
      ids = [];
      parts.push({ tokens: ids });
    }
    ids.push(tokenAt(item, `${field}[${index}]`, vocabSize));
  }
  return parts;
}

export function tokenAt(value: Json, field: string, vocabSize: number): number {
  const right = `must be a token id from 0 to ${vocabSize - 1}`;
  if (!isJsonNumber(value)) throw invalid(field, `${right}, not ${kindOf(value)}.`);
  const token = Number(value.raw);
  if (Number.isInteger(token) && token >= 0 && token < vocabSize) return token;
  throw invalid(field, `${right}, not ${value.raw}.`);
}

/** As in llama-server, BOS is put in front of text alone. */
function rawPrompt(parts: readonly RawPart[]): RawPrompt {
  const [first] = parts;
  return { parts, bos: first !== undefined && "text" in first, grows: parts.length - 1 };
}
