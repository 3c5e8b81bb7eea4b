/** A `/v1/responses` body to a Turn. Unknown fields are ignored; what is wrong is named. */

import type { Limits } from "../../base/limits.ts";
import { canonicalForm } from "../../chat/canonical.ts";
import { arrayAt, invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { Message, Tool, Turn } from "../../chat/Message.ts";
import { resultsInCallOrder } from "../../chat/resultsInCallOrder.ts";
import type { Json } from "../../json/json.ts";
import type { RunWishes } from "../../run/RunSpec.ts";
import type { StateScope } from "../../serve/StateScope.ts";
import { checkGrammar } from "../shared/checkGrammar.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { readSampling, type SamplingRules } from "../shared/sampling.ts";
import { readStateScope } from "../shared/stateScope.ts";
import { InputReader } from "./InputReader.ts";
import { type Echo, echoOf } from "./responseBody.ts";
import { type PlacedItem, resolveInput, type Stored } from "./storedInput.ts";
import { readTextFormat } from "./textFormat.ts";
import { readToolChoice } from "./toolChoice.ts";
import { type ClientTool, readTools } from "./tools.ts";

export interface ResponsesRequest {
  readonly turn: Turn;
  /** As the client wrote it; null where it names none. */
  readonly model: string | null;
  readonly stream: boolean;
  /** `prompt_cache_key`, or "": a hint that only breaks ties between conversations. */
  readonly session: string;
  readonly scope: StateScope;
  readonly store: boolean;
  readonly previous: string | null;
  /** Its own items, references resolved. */
  readonly input: readonly Json[];
  /** By the name that the model knows. */
  readonly clientTools: ReadonlyMap<string, ClientTool>;
  readonly sealsReasoning: boolean;
  /** What the response repeats of the request. */
  readonly echo: Echo;
  /** One sentence for each thing asked for that is not served. */
  readonly ignored: readonly string[];
}

export interface ReadOptions {
  readonly sampling: SamplingRules;
  readonly stored: Stored;
}

export function readResponsesRequest(body: Json, options: ReadOptions): ResponsesRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  refuseUnsupported(fields);
  const previous = fields.text("previous_response_id");
  const { tools, clientTools, ignored: ignoredTools } = readTools(fields.get("tools"));
  const toolChoice = readToolChoice(fields.get("tool_choice"), tools);
  const { items, own } = resolveInput(fields.get("input"), previous, options.stored);
  const { messages, ignored: ignoredItems } = readMessages(fields, items, tools);
  const sampling = readSampling(fields, options.sampling);
  const textSchema = readTextFormat(fields.get("text"));
  checkGrammar(sampling, textSchema, "a text.format", toolChoice);
  const turn: Turn = {
    prompt: { messages, tools, kwargs: readKwargs(fields) },
    // Each item is whole: a reply behind an assistant's is one of its own.
    continueLast: false,
    toolChoice,
    parallelCalls: fields.boolean("parallel_tool_calls", true),
    ...(textSchema === undefined ? {} : { textSchema }),
    sampling,
    // 0 answers after prefill.
    maxTokens: fields.number("max_output_tokens", Number.POSITIVE_INFINITY, { whole: true, min: 0 }),
    stop: [],
    wishes: readWishes(fields, options.sampling.limits),
  };
  const store = fields.boolean("store", true);
  return {
    turn,
    model: fields.text("model") ?? null,
    stream: fields.boolean("stream", false),
    session: fields.text("prompt_cache_key") ?? "",
    scope: readStateScope(fields),
    store,
    previous: previous ?? null,
    input: own,
    clientTools,
    // The AI SDK drops reasoning that is neither stored nor sealed.
    sealsReasoning: !store || included(fields).includes("reasoning.encrypted_content"),
    echo: echoOf(fields, turn, store),
    ignored: [...ignoredTools, ...ignoredItems, ...ignoredFields(fields)],
  };
}

/** Fields that would change the answer, and are refused rather than ignored. */
function refuseUnsupported(fields: RequestFields): void {
  if (fields.get("conversation") !== undefined) {
    throw invalid("conversation", "is not served here; send `previous_response_id` or the items themselves.");
  }
  if (fields.get("prompt") !== undefined) {
    throw invalid("prompt", "no prompts are stored here; send `instructions` and `input`.");
  }
}

function readMessages(
  fields: RequestFields,
  items: readonly PlacedItem[],
  tools: readonly Tool[],
): { readonly messages: readonly Message[]; readonly ignored: readonly string[] } {
  const reader = new InputReader();
  reader.instructions(fields.text("instructions") ?? "");
  for (const item of items) reader.item(item);
  reader.end();
  const { messages, ignored } = reader;
  if (messages.length === 0) throw invalid("input", "holds nothing that a model can be told.");
  return { messages: canonicalForm(resultsInCallOrder(messages), tools), ignored: [...ignored] };
}

/** As chat completions' `reasoning_effort`: the same request has the same tokens by either protocol. */
function readKwargs(fields: RequestFields): ReadonlyMap<string, Json> {
  const sent = fields.get("chat_template_kwargs");
  const kwargs = new Map<string, Json>(sent === undefined ? [] : objectAt(sent, "chat_template_kwargs"));
  const reasoning = fields.get("reasoning");
  const effort =
    reasoning === undefined ? undefined : (objectAt(reasoning, "reasoning").get("effort") ?? undefined);
  if (effort !== undefined && typeof effort !== "string") {
    throw invalid("reasoning.effort", `must be a string, not ${kindOf(effort)}.`);
  }
  if (effort !== undefined && !kwargs.has("reasoning_effort")) kwargs.set("reasoning_effort", effort);
  const thinking = kwargs.get("enable_thinking") ?? fields.boolean("enable_thinking", effort !== "none");
  if (typeof thinking !== "boolean") {
    throw invalid("chat_template_kwargs.enable_thinking", `must be true or false, not ${kindOf(thinking)}.`);
  }
  return kwargs.set("enable_thinking", thinking);
}

function included(fields: RequestFields): readonly Json[] {
  const include = fields.get("include");
  return include === undefined ? [] : arrayAt(include, "include");
}

/** `top_logprobs` means nothing without the other. */
function readWishes(fields: RequestFields, { topLogprobsMax: max }: Limits): RunWishes {
  const top = fields.number("top_logprobs", 0, { whole: true, min: 0, max });
  return included(fields).includes("message.output_text.logprobs")
    ? { probs: { top, afterSampling: false } }
    : {};
}

function ignoredFields(fields: RequestFields): string[] {
  const ignored: string[] = [];
  const ignore = (field: string, why: string): void => void ignored.push(`${field}: ${why}`);
  if (fields.get("background") === true) ignore("background", "the response is made at once.");
  if (fields.get("truncation") === "auto")
    ignore("truncation", "a prompt is never cut; one too long is a 400.");
  return ignored;
}
