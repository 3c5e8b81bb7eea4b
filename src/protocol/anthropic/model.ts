/**
 * A `/v1/messages` body to a Turn. Unknown fields are ignored (betas, `context_management`, `diagnostics`, …);
 * what is wrong is named.
 */

import { invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { PromptInput, TextSchema, Turn } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";
import type { StateScope } from "../../serve/StateScope.ts";
import { stopStrings } from "../http/stopStrings.ts";
import { checkGrammar } from "../shared/checkGrammar.ts";
import { numberAt, RequestFields } from "../shared/RequestFields.ts";
import { readSampling, type SamplingRules } from "../shared/sampling.ts";
import { readMessages } from "./readMessages.ts";
import { readToolChoice, readTools } from "./tools.ts";

export interface MessagesRequest {
  readonly turn: Turn;
  /** As the client wrote it; null where it names none. */
  readonly model: string | null;
  readonly stream: boolean;
  /** Of `metadata.user_id`, or "": a hint that only breaks ties between conversations. */
  readonly session: string;
  readonly scope: StateScope;
  /** One sentence for each thing asked for that is not served. */
  readonly ignored: readonly string[];
}

export interface ReadOptions {
  readonly sampling: SamplingRules;
  readonly keepAttribution: boolean;
}

export function readMessagesRequest(body: Json, options: ReadOptions): MessagesRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const { ignored, toolChoice, parallelCalls, prompt } = readPrompt(fields, options.keepAttribution);
  const sampling = readSampling(fields, options.sampling);
  const textSchema = readTextSchema(fields);
  checkGrammar(sampling, textSchema, textSchema?.field ?? "", toolChoice);
  return {
    model: fields.text("model") ?? null,
    stream: fields.boolean("stream", false),
    session: sessionOf(fields.get("metadata")),
    scope: { salt: fields.text("cache_salt") ?? "", promptKey: "" },
    ignored,
    turn: {
      prompt,
      toolChoice,
      parallelCalls,
      ...(textSchema === undefined ? {} : { textSchema }),
      sampling,
      ...readBudget(fields.get("thinking")),
      // 0 answers after prefill.
      maxTokens: fields.number("max_tokens", Number.POSITIVE_INFINITY, { whole: true, min: 0 }),
      stop: stopStrings(fields.get("stop_sequences"), "stop_sequences", options.sampling.limits),
    },
  };
}

export interface CountRequest {
  readonly prompt: PromptInput;
  readonly model: string | null;
}

/** `/v1/messages/count_tokens`: the prompt's fields only. */
export function readCountRequest(body: Json, keepAttribution: boolean): CountRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const { prompt } = readPrompt(fields, keepAttribution);
  return { prompt, model: fields.text("model") ?? null };
}

function readPrompt(
  fields: RequestFields,
  keepAttribution: boolean,
): Pick<Turn, "prompt" | "toolChoice" | "parallelCalls"> & { readonly ignored: readonly string[] } {
  const { tools, deferred, ignored } = readTools(fields.get("tools"));
  const choice = readToolChoice(fields.get("tool_choice"), tools);
  const notes = new Set<string>();
  const rules = { keepAttribution, deferred, note: (sentence: string) => void notes.add(sentence) };
  const messages = readMessages(fields.get("system"), fields.get("messages"), tools, rules);
  return {
    ...choice,
    ignored: [...ignored, ...notes],
    prompt: { messages, tools, kwargs: readKwargs(fields) },
  };
}

/** `output_config.format`, or its name in the beta, `output_format`. */
function readTextSchema(fields: RequestFields): TextSchema | undefined {
  const output = fields.get("output_config");
  const configured = isJsonObject(output) ? (output.get("format") ?? undefined) : undefined;
  const field = configured === undefined ? "output_format" : "output_config.format";
  const format = configured ?? fields.get("output_format");
  if (format === undefined) return undefined;
  const { type, schema } = Object.fromEntries(objectAt(format, field));
  if (type !== "json_schema") {
    const sent = typeof type === "string" ? `"${type}"` : kindOf(type);
    throw invalid(`${field}.type`, `must be "json_schema", not ${sent}.`);
  }
  return { schema: objectAt(schema, `${field}.schema`), strict: false, field: `${field}.schema` };
}

const THINKING: Readonly<Record<string, boolean>> = {
  enabled: true,
  adaptive: true,
  between_tools: true,
  disabled: false,
};

/** How much effort templates know of. */
const EFFORT: Readonly<Record<string, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** Thinking is on where nothing is said, as in the other protocols. */
function readKwargs(fields: RequestFields): ReadonlyMap<string, Json> {
  const kwargs = new Map<string, Json>();
  const output = fields.get("output_config");
  const effort = isJsonObject(output) ? output.get("effort") : undefined;
  const known = typeof effort === "string" && Object.hasOwn(EFFORT, effort) ? EFFORT[effort] : undefined;
  if (known !== undefined) kwargs.set("reasoning_effort", known);
  return kwargs.set("enable_thinking", readThinking(fields.get("thinking")));
}

/** Enabled thinking names its budget; any whole number is one, also below Anthropic's least. */
function readBudget(thinking: Json | undefined): Pick<Turn, "reasoningBudget"> {
  if (!isJsonObject(thinking) || thinking.get("type") !== "enabled") return {};
  const budget = thinking.get("budget_tokens") ?? undefined;
  if (budget === undefined) return {};
  return { reasoningBudget: numberAt(budget, "thinking.budget_tokens", { whole: true, min: 0 }) };
}

function readThinking(value: Json | undefined): boolean {
  if (value === undefined) return true;
  const type = objectAt(value, "thinking").get("type");
  const on = typeof type === "string" && Object.hasOwn(THINKING, type) ? THINKING[type] : undefined;
  if (on !== undefined) return on;
  const sent = typeof type === "string" ? `"${type}"` : kindOf(type);
  throw invalid("thinking.type", `must be "enabled", "adaptive" or "disabled", not ${sent}.`);
}

/** Claude Code writes JSON with a `session_id` there, and earlier `user_…_session_…`. Anything else is no hint. */
function sessionOf(metadata: Json | undefined): string {
  const user = isJsonObject(metadata) ? metadata.get("user_id") : undefined;
  if (typeof user !== "string") return "";
  const old = /_session_([\w-]+)$/.exec(user)?.[1];
  if (old !== undefined || !user.startsWith("{")) return old ?? "";
  try {
    const parsed = parseJson(user);
    const session = isJsonObject(parsed) ? parsed.get("session_id") : undefined;
    return typeof session === "string" ? session : "";
  } catch {
    return "";
  }
}
