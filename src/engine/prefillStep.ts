/**
 * Prefill, in exactly the plan's chunks. Requests and warm runs take the same path: a warm run is one that
 * stops at the plan's last cut, and that gives its sequence up between two chunks.
 */
import { paddedRows } from "../plan/padding.ts";
import type { LoopContext } from "./LoopContext.ts";
import type { Run } from "./Run.ts";
import { sampleNext } from "./sampleNext.ts";

/** Begins the run if it has not, and evaluates one chunk of it. */
export function prefillStep(loop: LoopContext, run: Run): void {
  try {
    if (run.phase === "waiting") begin(loop, run);
    evaluateChunk(loop, run);
  } catch (error) {
    loop.failAll([run], error);
    return;
  }
  const { plan, maxTokens } = run.spec;
  if (run.chunks <= plan.cuts.length) return;
  run.promptDone(loop.options.clock.now());
  if (run.sampler === null || maxTokens <= 0) {
    run.keptTokens = loop.states.keptTokens(run.spec.tenant, plan);
    loop.done(run, "prefilled");
  } else sampleNext(loop, run, 0);
}

/** One chunk of a warm run, or one save that it needs. */
export function warmStep(loop: LoopContext, run: Run): void {
  try {
    const goesOn = run.sequence?.writer === run.id;
    if (!goesOn && begin(loop, run) === "wait") return;
    if (run.chunks < run.spec.plan.cuts.length) evaluateChunk(loop, run);
  } catch (error) {
    loop.failAll([run], error);
    return;
  }
  if (run.phase !== "ended" && run.chunks >= run.spec.plan.cuts.length) loop.done(run, "prefilled");
}

/** "wait" when there is nothing to evaluate in this step. */
function begin(loop: LoopContext, run: Run): "go" | "wait" {
  const { spec } = run;
  if (spec.purpose === "warm" && (!loop.options.resumeAllowed || spec.plan.cuts.length === 0)) {
    loop.done(run, "prefilled");
    return "wait";
  }
  const begun = loop.states.begin(
    {
      id: spec.id,
      plan: spec.plan,
      tenant: spec.tenant,
      conversation: spec.conversation.id,
      turn: spec.conversation.turn,
      purpose: spec.purpose,
      variant: spec.variant ?? 0,
      awaitsResults: spec.awaitsResults ?? false,
      alone: loop.isAlone(run),
      resumes: spec.resumes ?? true,
    },
    run.moves,
  );
  if (begun.type === "saved") return "wait";
  if (begun.type === "nowhere") {
    loop.done(run, "prefilled");
    return "wait";
  }
  run.begin(begun.resumed, loop.options.clock.now());
  loop.options.emit(progress(loop, run));
  return "go";
}

function evaluateChunk(loop: LoopContext, run: Run): void {
  const { plan, purpose, maxTokens } = run.spec;
  const { sequence } = run;
  if (sequence === null) throw new Error("a run without a sequence was evaluated");
  const { device, clock } = loop.options;
  const from = run.chunks === 0 ? 0 : (plan.cuts[run.chunks - 1] ?? 0);
  const to = plan.cuts[run.chunks] ?? plan.tokens.length;
  const isLast = run.chunks === plan.cuts.length;
  const start = clock.now();
  const rows = isLast ? paddedRows(loop.options.padding, from, to - from, device.ctxTokens) : to - from;
  device.prefill(sequence.index, from, plan.tokens.subarray(from, to), isLast && maxTokens > 0, rows);
  loop.states.evaluated(to - from, clock.now() - start);
  run.evaluated += to - from;
  run.chunks++;
  if (isLast) loop.states.promptDone(sequence, to - from);
  else loop.states.chunkDone(sequence, run.chunks - 1, purpose === "warm", run.moves);
  loop.options.emit(progress(loop, run));
}

function progress({ options }: LoopContext, run: Run) {
  const { id, resumedTokens: resumed, evaluated } = run;
  const ms = run.runMs(options.clock.now());
  return { type: "prefill", id, resumed, evaluated, total: run.spec.plan.tokens.length, ms } as const;
}
