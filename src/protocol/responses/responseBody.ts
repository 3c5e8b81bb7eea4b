/** The response object: what was asked for, and what has become of it so far. */

import type { AppError } from "../../base/AppError.ts";
import type { Turn } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { toPlain } from "../../json/plainJson.ts";
import type { ReplyEnd } from "../../serve/reply.ts";
import type { RequestFields } from "../shared/RequestFields.ts";
import { timingsOf, warmturnOf } from "../shared/usage.ts";
import type { OutputItem } from "./outputItem.ts";

/** The request's fields as a response repeats them, with the defaults that were taken. */
export type Echo = Readonly<Record<string, unknown>>;

export function echoOf(fields: RequestFields, turn: Turn, store: boolean): Echo {
  const plain = (name: string): unknown => toPlain(fields.get(name) ?? null);
  const text = (name: string): string | null => {
    const value = fields.get(name);
    return typeof value === "string" ? value : null;
  };
  const user = text("user");
  const metadata = fields.get("metadata");
  return {
    access_programs: null,
    background: false,
    frequency_penalty: turn.sampling.frequencyPenalty,
    instructions: text("instructions"),
    max_output_tokens: Number.isFinite(turn.maxTokens) ? turn.maxTokens : null,
    max_tool_calls: plain("max_tool_calls"),
    metadata: isJsonObject(metadata) ? toPlain(metadata) : {},
    parallel_tool_calls: turn.parallelCalls,
    presence_penalty: turn.sampling.presencePenalty,
    previous_response_id: text("previous_response_id"),
    prompt_cache_key: text("prompt_cache_key"),
    prompt_cache_retention: null,
    reasoning: { effort: null, summary: null, ...objectOf(fields.get("reasoning")) },
    safety_identifier: text("safety_identifier"),
    service_tier: "default",
    store,
    temperature: turn.sampling.temperature,
    text: { format: { type: "text" }, ...objectOf(fields.get("text")) },
    tool_choice: plain("tool_choice") ?? "auto",
    tools: toolsOf(plain("tools")),
    top_logprobs: plain("top_logprobs") ?? 0,
    top_p: turn.sampling.topP,
    truncation: "disabled",
    ...(user === null ? {} : { user }),
  };
}

function objectOf(value: Json | undefined): object {
  const plain = toPlain(value ?? null);
  const entries = Object.entries(typeof plain === "object" && plain !== null ? plain : {});
  return Object.fromEntries(entries.filter(([, item]) => item !== null));
}

/** A function always has these, as OpenAI's own responses do. */
function toolsOf(tools: unknown): readonly unknown[] {
  if (!Array.isArray(tools)) return [];
  return tools.map((tool: { readonly type?: unknown }) =>
    tool.type === "function" ? { description: null, parameters: null, strict: null, ...tool } : tool,
  );
}

/** What is known before the reply. */
export interface ResponseHeading {
  readonly id: string;
  readonly createdSeconds: number;
  readonly model: string;
  readonly echo: Echo;
}

export function runningBody(heading: ResponseHeading): object {
  return bodyOf(heading, { status: "in_progress", output: [] });
}

export function endedBody(
  heading: ResponseHeading,
  end: ReplyEnd,
  output: readonly OutputItem[],
  completedSeconds: number,
): object {
  const cut = isCut(end);
  const more = {
    usage: usageOf(end),
    warmturn: warmturnOf(end.report),
    timings: timingsOf(end.report),
  };
  if (!cut) return bodyOf(heading, { status: "completed", completed_at: completedSeconds, output, ...more });
  const incomplete_details = { reason: "max_output_tokens" };
  return bodyOf(heading, { status: "incomplete", incomplete_details, output, ...more });
}

/** Whether the reply ended before the model ended it. */
export function isCut({ finish }: ReplyEnd): boolean {
  return finish === "length";
}

export function failedBody(heading: ResponseHeading, error: AppError, output: readonly OutputItem[]): object {
  const code = error.row.status < 500 ? "invalid_prompt" : "server_error";
  return bodyOf(heading, { status: "failed", error: { code, message: error.message }, output });
}

interface Progress {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly OutputItem[];
  readonly [field: string]: unknown;
}

function bodyOf({ id, createdSeconds, model, echo }: ResponseHeading, progress: Progress): object {
  return {
    id,
    object: "response",
    created_at: createdSeconds,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model,
    ...echo,
    usage: null,
    ...progress,
  };
}

function usageOf({ report, reasoningTokens }: ReplyEnd) {
  return {
    input_tokens: report.promptTokens,
    input_tokens_details: { cached_tokens: report.resumedTokens, cache_write_tokens: 0 },
    output_tokens: report.predictedTokens,
    output_tokens_details: { reasoning_tokens: Math.min(reasoningTokens, report.predictedTokens) },
    total_tokens: report.promptTokens + report.predictedTokens,
  };
}
