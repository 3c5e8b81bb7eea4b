/** A `/v1/chat/completions` body to a Turn. Unknown fields are ignored; what is wrong is named. */

import { canonicalMessages, canonicalTools } from "../../chat/canonical.ts";
import { invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { Turn } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import type { StateScope } from "../../serve/StateScope.ts";
import { stopStrings } from "../http/stopStrings.ts";
import { checkGrammar } from "../shared/checkGrammar.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { readTextSchema } from "../shared/responseFormat.ts";
import { readSampling, type SamplingRules } from "../shared/sampling.ts";
import { readStateScope } from "../shared/stateScope.ts";
import { readChatProbs, readWishes, type Wishes } from "../shared/wishes.ts";
import { isLegacy, legacyChoice, legacyTools } from "./legacyFunctions.ts";
import { readToolChoice } from "./toolChoice.ts";

export interface ChatRequest {
  readonly turn: Turn;
  /** As the client wrote it; null where it names none. */
  readonly model: string | null;
  readonly stream: boolean;
  /** Replies that are wanted. */
  readonly choices: number;
  readonly wishes: Wishes;
  readonly includeUsage: boolean;
  /** vLLM's: usage so far in every chunk. */
  readonly continuousUsage: boolean;
  /** It came with `functions`, and is answered with a `function_call`. */
  readonly legacy: boolean;
  /** One sentence for each thing that does not reach the model as it was sent. */
  readonly ignored: readonly string[];
  /** `prompt_cache_key`, or "": a hint that only breaks ties between conversations. */
  readonly session: string;
  readonly scope: StateScope;
}

export function readChatRequest(body: Json, rules: SamplingRules): ChatRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const legacy = isLegacy(fields);
  const tools = legacy ? legacyTools(fields.get("functions")) : canonicalTools(fields.get("tools") ?? null);
  const ignored = new Set<string>();
  const messages = canonicalMessages(fields.get("messages"), tools, "messages", (note) => ignored.add(note));
  const [called, chosen] = [fields.get("function_call"), fields.get("tool_choice")];
  const toolChoice = legacy ? legacyChoice(called, tools) : readToolChoice(chosen, tools);
  const sampling = readSampling(fields, rules);
  const usage = readStreamUsage(fields);
  const wishes = readWishes(fields, readChatProbs(fields, rules.limits));
  const continueLast = readContinueLast(fields);
  const textSchema = readTextSchema(fields);
  checkGrammar(sampling, textSchema, "a response_format or a json_schema", toolChoice);
  return {
    model: fields.text("model") ?? null,
    stream: fields.boolean("stream", false),
    choices: fields.number("n", 1, { whole: true, min: 1, max: rules.limits.choicesMax }),
    wishes,
    ...usage,
    legacy,
    ignored: [...ignored],
    session: fields.text("prompt_cache_key") ?? "",
    scope: readStateScope(fields),
    turn: {
      prompt: { messages, tools, kwargs: readKwargs(fields) },
      ...(continueLast === undefined ? {} : { continueLast }),
      toolChoice,
      // A `function_call` is one.
      parallelCalls: !legacy && fields.boolean("parallel_tool_calls", true),
      ...(textSchema === undefined ? {} : { textSchema }),
      sampling,
      wishes: usage.continuousUsage ? { ...wishes.run, reports: true } : wishes.run,
      ...readReasoningBudget(fields),
      maxTokens: readMaxTokens(fields),
      stop: stopStrings(fields.get("stop"), "stop", rules.limits),
    },
  };
}

/** As in vLLM and llama-server: it stands for the end of a message, `add_generation_prompt` for a new one. */
function readContinueLast(fields: RequestFields): boolean | undefined {
  const adds = fields.boolean("add_generation_prompt", false);
  const on = fields.boolean("continue_final_message", false);
  if (fields.get("continue_final_message") === undefined) return undefined;
  if (on && adds) {
    throw invalid("add_generation_prompt", "cannot be true together with `continue_final_message`.");
  }
  return on;
}

export function readIncludeUsage(value: Json | undefined): boolean {
  return streamOptions(value)?.boolean("include_usage", false) ?? false;
}

/** `continuous_usage_stats` stands in `stream_options`; some clients send it beside. */
function readStreamUsage(fields: RequestFields): Pick<ChatRequest, "includeUsage" | "continuousUsage"> {
  const options = fields.get("stream_options");
  const name = "continuous_usage_stats";
  const beside = fields.boolean(name, false);
  const continuousUsage = streamOptions(options)?.boolean(name, beside) ?? beside;
  return { includeUsage: readIncludeUsage(options), continuousUsage };
}

function streamOptions(value: Json | undefined): RequestFields | undefined {
  if (value === undefined) return undefined;
  return new RequestFields(objectAt(value, "stream_options"), "stream_options.");
}

/** `enable_thinking` is always set: 17 of 68 templates tell "absent" from "true". */
function readKwargs(fields: RequestFields): ReadonlyMap<string, Json> {
  const sent = fields.get("chat_template_kwargs");
  const kwargs = new Map<string, Json>(
    sent === undefined ? [] : objectAt(sent, "chat_template_kwargs").entries(),
  );
  const effort = fields.text("reasoning_effort");
  if (effort !== undefined && !kwargs.has("reasoning_effort")) kwargs.set("reasoning_effort", effort);
  // vLLM's and SGLang's clients send it beside the others, too.
  const thinking = kwargs.get("enable_thinking") ?? fields.boolean("enable_thinking", effort !== "none");
  if (typeof thinking !== "boolean") {
    throw invalid("chat_template_kwargs.enable_thinking", `must be true or false, not ${kindOf(thinking)}.`);
  }
  return kwargs.set("enable_thinking", thinking);
}

/** llama-server's names; -1 is as the server is set. */
function readReasoningBudget(fields: RequestFields): Pick<Turn, "reasoningBudget"> {
  for (const name of ["reasoning_budget_tokens", "thinking_budget_tokens", "reasoning_budget"]) {
    const tokens = fields.number(name, -1, { whole: true, min: -1 });
    if (tokens >= 0) return { reasoningBudget: tokens };
  }
  return {};
}

/** -1 is no limit, as in llama-server; 0 answers after prefill. The least of those that are sent holds. */
function readMaxTokens(fields: RequestFields): number {
  const rule = { whole: true, min: -1 };
  const sent = ["max_tokens", "max_completion_tokens", "n_predict"].map((name) =>
    fields.number(name, -1, rule),
  );
  return Math.min(...sent.map((tokens) => (tokens === -1 ? Number.POSITIVE_INFINITY : tokens)));
}
