/** What a reply took: OpenAI's `usage`, llama-server's `timings`, and our `warmturn`. */
import type { MissReason, RunReport } from "../../engine/protocol.ts";
import type { ReplyEnd } from "../../serve/reply.ts";

const WHY: Record<MissReason, string> = {
  none: "Resumed at the prompt's last cut: nothing was missed.",
  cold: "No kept state shares a cut with this prompt.",
  "tokens-differ": "The nearest kept conversation has other tokens from `miss_at` on.",
  evicted: "A state with these tokens was kept once, but was evicted or overwritten.",
  "no-rollback": "This model's memory cannot go back to where the tokens part.",
  "resume-off": "Resuming is off for this setup.",
};

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

export function usageOf({ report, reasoningTokens }: ReplyEnd): Usage {
  return {
    prompt_tokens: report.promptTokens,
    completion_tokens: report.predictedTokens,
    total_tokens: report.promptTokens + report.predictedTokens,
    prompt_tokens_details: { cached_tokens: report.resumedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
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
  readonly source: RunReport["source"];
  readonly bytes_moved: number;
  readonly state_ms: number;
  readonly queued_ms: number;
  /** With `--debug-hashes`. */
  readonly logits_hash?: string;
  readonly tokens_hash?: string;
}

/** A prompt without a cut has missed nothing either, but nothing was resumed. */
function whyOf({ missReason, resumedTokens }: RunReport): string {
  if (missReason === "none" && resumedTokens === 0) return "The prompt is too short to hold a cut.";
  return WHY[missReason];
}

export function warmturnOf(report: RunReport): WarmturnReport {
  return {
    resumed: report.resumedTokens,
    warmed: report.warmedTokens,
    prefilled: report.prefilledTokens,
    miss: report.missReason,
    why: whyOf(report),
    miss_at: report.missAt,
    source: report.source,
    bytes_moved: report.bytesMoved,
    state_ms: report.stateMs,
    queued_ms: report.queuedMs,
    ...(report.logitsHash === undefined ? {} : { logits_hash: report.logitsHash }),
    ...(report.tokensHash === undefined ? {} : { tokens_hash: report.tokensHash }),
  };
}
