/** What a reply took: OpenAI's `usage`, llama-server's `timings`, and our `warmturn`. */
import type { MissReason, RunReport } from "../../run/RunReport.ts";
import type { ReplyEnd, ReplyEvent } from "../../serve/reply.ts";
import type { ToldChange, TurnReport } from "../../serve/TurnReport.ts";

const WHY: Record<MissReason, string> = {
  none: "Resumed at the prompt's last cut: nothing was missed.",
  cold: "No kept state shares a cut with this prompt.",
  "tokens-differ": "The nearest kept conversation has other tokens from `miss_at` on.",
  "not-warmed": "What follows the last reply was not warmed yet when this request came.",
  evicted: "A state with these tokens was kept once, but was evicted or overwritten.",
  "no-rollback": "This model's memory cannot go back to where the tokens part.",
  "resume-off": "Resuming is off for this setup.",
  "not-asked": "The request wanted nothing resumed: cache_prompt is false.",
};

const CHANGED: Record<ToldChange["what"], (change: ToldChange) => string> = {
  system: () => "The system prompt has changed.",
  tools: ({ names = [] }) => `The list of tools has changed: ${names.join(", ")}.`,
  "template-option": ({ names = [] }) => `Options of the template have changed: ${names.join(", ")}.`,
  message: ({ message }) => `Message ${message} has changed.`,
  reasoning: ({ message }) => `The reasoning of message ${message} was dropped or changed.`,
  template: () => "The template writes earlier messages in another way now, or the date has changed.",
};

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

/** Of all choices: their one prompt counts once, as the first of them met it, and their replies together. */
export function usageOf(ends: readonly ReplyEnd[]): Usage {
  const prompt = ends[0]?.report.promptTokens ?? 0;
  const completion = ends.reduce((sum, { report }) => sum + report.predictedTokens, 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: ends[0]?.report.resumedTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: ends.reduce((sum, end) => sum + end.reasoningTokens, 0) },
  };
}

/** While the reply is being written; what of it is reasoning is told at its end. */
export function usageSoFar(report: RunReport): Omit<Usage, "completion_tokens_details"> {
  const { promptTokens, predictedTokens, resumedTokens } = report;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: predictedTokens,
    total_tokens: promptTokens + predictedTokens,
    prompt_tokens_details: { cached_tokens: resumedTokens },
  };
}

export interface Timings {
  readonly cache_n: number;
  readonly prompt_n: number;
  readonly prompt_ms: number;
  readonly prompt_per_token_ms: number;
  readonly prompt_per_second: number;
  readonly predicted_n: number;
  readonly predicted_ms: number;
  readonly predicted_per_token_ms: number;
  readonly predicted_per_second: number;
}

export function timingsOf(report: RunReport): Timings {
  return {
    cache_n: report.resumedTokens,
    prompt_n: report.prefilledTokens,
    prompt_ms: report.promptMs,
    prompt_per_token_ms: ratio(report.promptMs, report.prefilledTokens),
    prompt_per_second: ratio(report.prefilledTokens * 1000, report.promptMs),
    predicted_n: report.predictedTokens,
    predicted_ms: report.predictedMs,
    predicted_per_token_ms: ratio(report.predictedMs, report.predictedTokens),
    predicted_per_second: ratio(report.predictedTokens * 1000, report.predictedMs),
  };
}

/** 0 for nothing in no time: JSON has no infinity. */
function ratio(a: number, b: number): number {
  return b > 0 ? a / b : 0;
}

export interface WarmturnReport {
  /** Prompt tokens that a kept state covered; of those `warmed` ahead of the request. */
  readonly resumed: number;
  readonly warmed: number;
  readonly prefilled: number;
  /** Why no more was resumed. */
  readonly miss: MissReason;
  readonly why: string;
  /** First token position that parts from the nearest kept conversation, or -1. */
  readonly miss_at: number;
  /** What the request changed in front of what it adds, where that is why. */
  readonly changed?: ToldChange;
  readonly source: RunReport["source"];
  readonly bytes_moved: number;
  readonly state_ms: number;
  readonly queued_ms: number;
  /** Of a request that stops after prefill: prompt tokens that are kept now. */
  readonly kept?: number;
  /** With `--debug-hashes`. */
  readonly logits_hash?: string;
  readonly tokens_hash?: string;
}

/** A prompt without a cut has missed nothing either, but nothing was resumed. */
export function whyOf({ missReason, resumedTokens, changed }: TurnReport): string {
  if (changed !== undefined) return CHANGED[changed.what](changed);
  if (missReason === "none" && resumedTokens === 0) return "The prompt is too short to hold a cut.";
  return WHY[missReason];
}

export function warmturnOf(report: TurnReport): WarmturnReport {
  return {
    resumed: report.resumedTokens,
    warmed: report.warmedTokens,
    prefilled: report.prefilledTokens,
    miss: report.missReason,
    why: whyOf(report),
    miss_at: report.missAt,
    ...(report.changed === undefined ? {} : { changed: report.changed }),
    source: report.source,
    bytes_moved: report.bytesMoved,
    state_ms: report.stateMs,
    queued_ms: report.queuedMs,
    ...(report.keptTokens === undefined ? {} : { kept: report.keptTokens }),
    ...(report.logitsHash === undefined ? {} : { logits_hash: report.logitsHash }),
    ...(report.tokensHash === undefined ? {} : { tokens_hash: report.tokensHash }),
  };
}

/** llama-server's `prompt_progress`; `processed` counts what was resumed as well. */
export function progressOf({
  total,
  resumed,
  evaluated,
  ms,
}: Extract<ReplyEvent, { type: "prefill" }>): object {
  return { total, cache: resumed, processed: resumed + evaluated, time_ms: Math.round(ms) };
}
