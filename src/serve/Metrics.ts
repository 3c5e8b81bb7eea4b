/**
 * What Prometheus is told beside llama-server's names: times as histograms, and what kept states were worth. One registry
 * a tenant: the difference of two readings is the length of somebody's prompt, so that each key is told its own alone.
 */
import { Counter, Histogram, Registry } from "prom-client";
import type { RunReport } from "../run/RunReport.ts";
import type { EndedRun, RunObserver } from "./EndedRun.ts";

/** Seconds; a warm first token lies at the lower end, a cold one of a long prompt at the upper. */
const FIRST_TOKEN_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const GAP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export class Metrics implements RunObserver {
  readonly #tenants = new Map<string, TenantMetrics>();

  ended(run: EndedRun): void {
    this.#of(run.task.tenant).ended(run);
  }

  gap(tenant: string, ms: number): void {
    this.#of(tenant).gap.observe(ms / 1000);
  }

  /** A warm run has ended: nobody waits for it, and its work is told apart from that of requests. */
  warmed(tenant: string, report: RunReport): void {
    this.#of(tenant).warmed(report);
  }

  /** Prometheus' text; every metric stands in it from the start. */
  async text(tenant: string): Promise<string> {
    return await this.#of(tenant).registry.metrics();
  }

  #of(tenant: string): TenantMetrics {
    let metrics = this.#tenants.get(tenant);
    if (metrics === undefined) {
      metrics = new TenantMetrics();
      this.#tenants.set(tenant, metrics);
    }
    return metrics;
  }
}

/** Of one key. */
class TenantMetrics {
  readonly registry = new Registry();
  readonly gap = this.#histogram("token_gap_seconds", "Time between two tokens of a reply", GAP_BUCKETS);
  readonly #first = this.#histogram(
    "first_token_seconds",
    "Time from a request's arrival at the engine to its first token",
    FIRST_TOKEN_BUCKETS,
  );
  readonly #queue = this.#histogram(
    "queue_seconds",
    "Time that a request waited for a lane",
    FIRST_TOKEN_BUCKETS,
  );
  readonly #requests = this.#counter("requests_total", "Runs of requests, by how they ended", ["end"]);
  readonly #prompt = this.#counter("prompt_tokens_total", "Tokens of prompts");
  readonly #resumed = this.#counter("resumed_tokens_total", "Prompt tokens that a kept state covered", [
    "source",
  ]);
  readonly #used = this.#counter(
    "warmed_tokens_used_total",
    "Prompt tokens that a kept state covered and that had been prefilled ahead of the request",
  );
  readonly #prefilled = this.#counter("prefilled_tokens_total", "Prompt tokens that requests had to prefill");
  readonly #generated = this.#counter("generated_tokens_total", "Tokens of replies");
  readonly #misses = this.#counter(
    "misses_total",
    "Requests that resumed less than they might have, by reason",
    ["reason"],
  );
  readonly #warmRuns = this.#counter("warm_runs_total", "Runs of the warm pass");
  readonly #warmTokens = this.#counter("warm_tokens_total", "Tokens that the warm pass prefilled");
  readonly #warmSeconds = this.#counter("warm_seconds_total", "Time that the warm pass took");

  constructor() {
    for (const end of ["done", "aborted", "refused", "failed"]) this.#requests.inc({ end }, 0);
    for (const source of ["sequence", "snapshot", "host", "fork"]) this.#resumed.inc({ source }, 0);
  }

  ended({ end, report, firstTokenMs }: EndedRun): void {
    this.#requests.inc({ end });
    if (firstTokenMs !== undefined) this.#first.observe(firstTokenMs / 1000);
    if (report === undefined) return;
    this.#queue.observe(report.queuedMs / 1000);
    this.#prompt.inc(report.promptTokens);
    if (report.resumedTokens > 0) this.#resumed.inc({ source: report.source }, report.resumedTokens);
    this.#used.inc(report.warmedTokens);
    this.#prefilled.inc(report.prefilledTokens);
    this.#generated.inc(report.predictedTokens);
    if (report.missReason !== "none") this.#misses.inc({ reason: report.missReason });
  }

  warmed(report: RunReport): void {
    this.#warmRuns.inc();
    this.#warmTokens.inc(report.prefilledTokens);
    this.#warmSeconds.inc(report.promptMs / 1000);
  }

  #counter(name: string, help: string, labelNames: readonly string[] = []): Counter<string> {
    return new Counter({
      name: `warmturn_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram<string> {
    return new Histogram({ name: `warmturn_${name}`, help, buckets, registers: [this.registry] });
  }
}
