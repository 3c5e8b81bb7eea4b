/**
 * Takes the next token of a run from fresh logits, and ends the run where it is the last. A row that nothing can be
 * sampled from (NaN, infinite) ends its run, and no other.
 */

import type { EngineEvent } from "../run/EngineEvent.ts";
import type { LoopContext } from "./LoopContext.ts";
import type { Run } from "./Run.ts";

const tokenWord = new Int32Array(1);

/** `row` as in `DeviceSampler.sample`. */
export function sampleNext(loop: LoopContext, run: Run, row: number): void {
  try {
    sample(loop, run, row);
  } catch (error) {
    loop.failAll([run], error);
  }
}

function sample(loop: LoopContext, run: Run, row: number): void {
  const { sampler, sequence, spec } = run;
  if (sampler === null || sequence === null) throw new Error("a run without a sampler reached decode");
  const { device, debugHashes, emit } = loop.options;
  if (debugHashes) run.logitsHash = device.hashLogits(row, run.logitsHash);
  const due = run.reasoning?.due ?? -1;
  const sampled = due >= 0 && sampler.force(due) ? { token: due } : sampler.sample(row);
  if ("deadEnd" in sampled) {
    loop.failed(run, "grammar-dead-end", sampled.deadEnd);
    return;
  }
  const { token } = sampled;
  if (device.isEnd(token)) {
    loop.done(run, "stop");
    return;
  }
  run.predicted++;
  run.reasoning?.take(token);
  if (debugHashes) {
    tokenWord[0] = token;
    run.tokensHash = Bun.hash.xxHash64(tokenWord, run.tokensHash);
  }
  emit({ type: "tokens", id: run.id, tokens: [token], ...told(loop, run, row, token) });
  const contextIsFull = spec.plan.tokens.length + run.predicted >= device.ctxTokens;
  if (run.predicted >= spec.maxTokens || contextIsFull) {
    loop.done(run, "length");
    return;
  }
  run.phase = "decode";
  run.row.seq = sequence.index;
  run.row.pos = sequence.rows;
  run.row.token = token;
}

type Told = Pick<Extract<EngineEvent, { readonly type: "tokens" }>, "probs" | "report">;

/** What the run asked to be told of this token. Logits and sampler are read, never touched. */
function told({ options }: LoopContext, run: Run, row: number, token: number): Told {
  const { probs, reports } = run.spec;
  if (probs === undefined && reports !== true) return {};
  const { device, clock, debugHashes } = options;
  const read = probs?.afterSampling === true ? run.sampler : null;
  return {
    ...(probs === undefined
      ? {}
      : { probs: [read?.probs(token, probs.top) ?? device.logProbs(row, token, probs.top)] }),
    ...(reports === true ? { report: run.report(clock.now(), debugHashes) } : {}),
  };
}
