/** A run's report as the client is told it: with what this side alone knows of why a turn was not warm. */
import type { MissReason, RunReport } from "../run/RunReport.ts";
import type { PromptChange } from "./promptChange.ts";

export interface TurnReport extends RunReport {
  readonly changed?: ToldChange;
}

export interface ToldChange extends PromptChange {
  /** The texts around the place, before and now; missing with `--redact`. */
  readonly before?: string;
  readonly now?: string;
}

/** What is known of a request when it arrives. */
export interface ArrivalFacts {
  readonly changed: ToldChange | null;
  /** The reply before it was still being warmed, or waited for that. */
  readonly wasWarming: boolean;
}

export function turnReport(report: RunReport, { changed, wasWarming }: ArrivalFacts): TurnReport {
  const { missReason } = report;
  if (missReason === "none" || missReason === "resume-off" || missReason === "not-asked") return report;
  if (changed !== null) {
    const named: MissReason = missReason === "cold" ? "tokens-differ" : missReason;
    return { ...report, missReason: named, missAt: report.missAt < 0 ? changed.at : report.missAt, changed };
  }
  // Where nothing is kept, warming would have begun from nothing as well.
  return wasWarming && missReason !== "cold" ? { ...report, missReason: "not-warmed" } : report;
}
