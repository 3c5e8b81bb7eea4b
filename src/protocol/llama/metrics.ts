/**
 * `/metrics`: Prometheus' text, with llama-server's names and our own (`serve/Metrics.ts`). Each key is told its own counts alone: the difference of
 * two readings is the length of somebody's prompt.
 */
import type { Counts } from "../../serve/Activity.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";

interface Metric {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  readonly help: string;
  readonly value: number;
}

export const METRICS_TYPE = "text/plain; version=0.0.4";

/** `tenant`: who asks. */
export async function metricsText({ turn, metrics }: ServiceDeps, tenant: string): Promise<string> {
  const named = metricsOf(turn.activity.countsOf(tenant))
    .map(({ name, kind, help, value }) =>
      [
        `# HELP llamacpp:${name} ${help}`,
        `# TYPE llamacpp:${name} ${kind}`,
        `llamacpp:${name} ${value}\n`,
      ].join("\n"),
    )
    .join("");
  return `${named}${sleepText(turn.engine.sleep)}${await metrics.text(tenant)}`;
}

function sleepText(sleep: ServiceDeps["turn"]["engine"]["sleep"]): string {
  if (sleep === undefined) return "";
  return [
    "# HELP warmturn_asleep 1 while the model is unloaded",
    "# TYPE warmturn_asleep gauge",
    `warmturn_asleep ${sleep.isAsleep ? 1 : 0}`,
    "# HELP warmturn_sleeps_total Times that the model was unloaded because nobody asked for anything",
    "# TYPE warmturn_sleeps_total counter",
    `warmturn_sleeps_total ${sleep.sleeps}\n`,
  ].join("\n");
}

function metricsOf({ totals, running, waiting }: Counts): readonly Metric[] {
  const counter = (name: string, help: string, value: number): Metric => ({
    name,
    kind: "counter",
    help,
    value,
  });
  const gauge = (name: string, help: string, value: number): Metric => ({ name, kind: "gauge", help, value });
  return [
    counter("prompt_tokens_total", "Prompt tokens that were evaluated", totals.prefilledTokens),
    counter("prompt_tokens_cached_total", "Prompt tokens that a kept state covered", totals.resumedTokens),
    counter("prompt_seconds_total", "Time for prompts", totals.promptMs / 1000),
    counter("tokens_predicted_total", "Tokens of replies", totals.predictedTokens),
    counter("tokens_predicted_seconds_total", "Time for replies", totals.predictedMs / 1000),
    counter("n_tokens_max", "Longest prompt with its reply", totals.tokensMax),
    gauge(
      "prompt_tokens_seconds",
      "Prompt tokens a second",
      perSecond(totals.prefilledTokens, totals.promptMs),
    ),
    gauge(
      "predicted_tokens_seconds",
      "Tokens of replies a second",
      perSecond(totals.predictedTokens, totals.predictedMs),
    ),
    gauge("requests_processing", "Requests that run", running),
    gauge("requests_deferred", "Requests that wait", waiting),
  ];
}

function perSecond(count: number, ms: number): number {
  return ms > 0 ? (count * 1000) / ms : 0;
}
