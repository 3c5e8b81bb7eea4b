/**
 * `/warmturn/live`: what happens now and what the last turns took, as the page shows it. A key is told its own requests
 * alone; of another's nothing but that a lane is busy.
 */
import type { Lane } from "../../serve/Activity.ts";
import type { RecentTurn } from "../../serve/RecentTurns.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { whyOf } from "../shared/usage.ts";

/** `tenant`: who asks. */
export function liveOf(service: ServiceDeps, tenant: string): object {
  const { turn, recent, models } = service;
  const { engine, warm, activity } = turn;
  const { ctxTokens, facts } = engine.ready;
  const { totals, running, waiting } = activity.countsOf(tenant);
  return {
    model: models.name,
    asleep: engine.sleep?.isAsleep === true,
    warm: warm.idle && engine.warm === "idle" ? "idle" : "working",
    context: ctxTokens,
    running,
    waiting,
    totals: {
      resumed: totals.resumedTokens,
      prefilled: totals.prefilledTokens,
      generated: totals.predictedTokens,
    },
    speed: {
      prefill: perSecond(totals.prefilledTokens, totals.promptMs),
      reply: perSecond(totals.predictedTokens, totals.predictedMs),
    },
    memory: {
      weights: facts.weightBytes,
      sequences: facts.kvBytes,
      states_max: facts.stateRamBytes,
      // It grows with what others ask.
      process: tenant === "" ? process.memoryUsage.rss() : null,
    },
    lanes: activity.lanes.map((lane) => laneOf(lane, tenant, service)),
    turns: recent.of(tenant).map(turnOf),
  };
}

function laneOf({ busy, task }: Lane, tenant: string, { recent }: ServiceDeps): object {
  if (!busy || task === null || task.tenant !== tenant) return { busy, own: null };
  const own = {
    conversation: recent.numberOf(tenant, task.conversation),
    prompt: task.promptTokens,
    resumed: task.resumed,
    prefilled: task.evaluated,
    generated: task.predicted,
  };
  return { busy, own };
}

function turnOf(turn: RecentTurn): object {
  const { report } = turn;
  return {
    id: turn.id,
    at: turn.at,
    conversation: turn.conversation,
    end: turn.end,
    prompt: turn.promptTokens,
    resumed: report?.resumedTokens ?? 0,
    warmed: report?.warmedTokens ?? 0,
    prefilled: report?.prefilledTokens ?? 0,
    generated: turn.generatedTokens,
    first_token_ms: turn.firstTokenMs === null ? null : tenth(turn.firstTokenMs),
    tokens_per_second: report === null ? null : perSecond(report.predictedTokens, report.predictedMs),
    ms: tenth(turn.totalMs),
    source: report?.source ?? "none",
    miss: report === null || report.missReason === "none" ? null : report.missReason,
    why: report === null ? "" : whyOf(report),
  };
}

/** Null where nothing was measured. */
function perSecond(tokens: number, ms: number): number | null {
  return tokens > 0 && ms > 0 ? tenth((tokens * 1000) / ms) : null;
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
