/** What became of one request's run, for the log and for metrics: numbers alone, no text. */
import type { RunReport } from "../run/RunReport.ts";
import type { Task } from "./Task.ts";

export interface EndedRun {
  readonly task: Task;
  /** `aborted`: the client left, or a stop string was found. */
  readonly end: "done" | "aborted" | "refused" | "failed";
  /** Missing where the engine never had it, or lost it. */
  readonly report?: RunReport;
  /** Milliseconds since the request was handed to the engine; missing where no token came. */
  readonly firstTokenMs?: number;
  readonly totalMs: number;
}

export interface RunObserver {
  /** Milliseconds between two tokens of a reply. */
  gap?(tenant: string, ms: number): void;
  ended(run: EndedRun): void;
}
