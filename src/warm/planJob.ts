/**
 * Plans a job: every variant of the next prompt through the same canonical form, render, tokeniser and
 * `requestChunks` as a request. Never throws: what cannot be planned becomes a note.
 */
import type { ChunkRules, Plan } from "../plan/Plan.ts";
import { requestChunks } from "../plan/requestChunks.ts";
import { predictedRaw, predictedTokens, type Renderer } from "./predictedTokens.ts";
import { variants } from "./variants.ts";
import type { AnyWarmJob, WarmRun } from "./WarmJob.ts";

export interface PlannedJob {
  /** Likeliest first, no two with the same tokens up to their last cut. */
  readonly runs: readonly WarmRun[];
  /** One sentence for each variant that the template refused. */
  readonly notes: readonly string[];
}

export function planJob(job: AnyWarmJob, renderer: Renderer, rules: ChunkRules): PlannedJob {
  const runs: WarmRun[] = [];
  const notes: string[] = [];
  const planned = new Set<bigint>();
  for (const { name, predict } of nextPrompts(job, renderer)) {
    try {
      const tokens = predict();
      if (tokens.length === 0) continue;
      const plan = requestChunks(tokens, rules, job.seed);
      // The last key names tokens, cuts and trips up to where a warm run stops.
      const last = plan.keys.at(-1);
      if (last === undefined || planned.has(last)) continue;
      planned.add(last);
      runs.push(warmRun(job, plan, runs.length));
    } catch (error) {
      notes.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { runs, notes };
}

interface NextPrompt {
  /** For notes. */
  readonly name: string;
  readonly predict: () => Int32Array;
}

function nextPrompts(job: AnyWarmJob, renderer: Renderer): readonly NextPrompt[] {
  if ("grown" in job) return [{ name: "raw", predict: () => predictedRaw(renderer, job.grown) }];
  return variants(job.reply, job.habits).map(({ name, reply }) => ({
    name,
    predict: () => predictedTokens(renderer, job.prompt, reply),
  }));
}

function warmRun(job: AnyWarmJob, plan: Plan, variant: number): WarmRun {
  return {
    purpose: "warm",
    plan,
    tenant: job.tenant,
    conversation: job.conversation,
    maxTokens: 0,
    variant,
    awaitsResults: "reply" in job && job.reply.toolCalls.length > 0,
  };
}
