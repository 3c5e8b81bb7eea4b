import type { ReplyFields } from "../base/replyLine.ts";
import type { EndedRun } from "./EndedRun.ts";

/** What the log tells of a reply at its end. `key`: the name of who asked, null where there are no keys. */
export function replyFields(
  { task, end, report, firstTokenMs, totalMs }: EndedRun,
  key: string | null,
): ReplyFields {
  return {
    ...(task.requestId === "" ? {} : { id: task.requestId }),
    ...(key === null ? {} : { key }),
    end,
    prompt: task.promptTokens,
    ...(report === undefined
      ? {}
      : { resumed: report.resumedTokens, warmed: report.warmedTokens, prefilled: report.prefilledTokens }),
    generated: task.predicted,
    ...(report === undefined ? {} : { queued_ms: Math.round(report.queuedMs) }),
    ...(firstTokenMs === undefined ? {} : { first_token_ms: Math.round(firstTokenMs) }),
    ...(report === undefined || report.predictedTokens < 2
      ? {}
      : {
          tokens_per_second:
            Math.round((report.predictedTokens * 10_000) / Math.max(1, report.predictedMs)) / 10,
        }),
    ms: Math.round(totalMs),
    ...(report === undefined || report.missReason === "none" ? {} : { miss: report.missReason }),
  };
}
