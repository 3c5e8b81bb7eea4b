/** One accepted run: where it stands, what it took, and its one terminal event. */

import type { DeviceSampler } from "../run/Device.ts";
import type { MissReason, RunReport } from "../run/RunReport.ts";
import type { RunSpec } from "../run/RunSpec.ts";
import type { Resumed } from "../state/Resumed.ts";
import type { Sequence } from "../state/Sequence.ts";
import type { Moves } from "../state/StateMover.ts";
import { ReasoningWatch } from "./ReasoningWatch.ts";

export class Run {
  readonly spec: RunSpec;
  readonly sampler: DeviceSampler | null;
  /** Null where reasoning has no limit. */
  readonly reasoning: ReasoningWatch | null;
  readonly acceptedAt: number;
  readonly moves: Moves = { bytes: 0, ms: 0 };
  /** null until it has begun. */
  sequence: Sequence | null = null;
  /** Chunks of the plan that are in place. */
  chunks = 0;
  phase: "waiting" | "prefill" | "decode" | "ended" = "waiting";
  /** Prompt tokens this run has evaluated. */
  evaluated = 0;
  /** Tokens generated. */
  predicted = 0;
  /** Generated, and to be evaluated by the next decode step; reused as its row. */
  readonly row = { seq: 0, pos: 0, token: 0 };
  /** Once it has stopped after prefill. */
  keptTokens: number | null = null;
  logitsHash = 0n;
  tokensHash = 0n;
  #resumedTokens = 0;
  #warmedTokens = 0;
  #missReason: MissReason = "cold";
  #missAt = -1;
  #source: RunReport["source"] = "none";
  #startedAt = -1;
  #promptDoneAt = -1;

  constructor(spec: RunSpec, sampler: DeviceSampler | null, now: number) {
    this.spec = spec;
    this.sampler = sampler;
    const budget = spec.sampling?.reasoningBudget;
    this.reasoning = budget === undefined ? null : new ReasoningWatch(budget);
    this.acceptedAt = now;
  }

  get id(): number {
    return this.spec.id;
  }

  get resumedTokens(): number {
    return this.#resumedTokens;
  }

  /** What it resumed from. A warm run that begins again after others took its place tells of its first start. */
  begin(resumed: Resumed, now: number): void {
    this.phase = "prefill";
    this.sequence = resumed.sequence;
    this.chunks = resumed.chunks;
    if (this.#startedAt >= 0 && resumed.resumedTokens >= this.#resumedTokens) return;
    if (this.#startedAt < 0) this.#startedAt = now;
    this.#resumedTokens = resumed.resumedTokens;
    this.#warmedTokens = resumed.warmedTokens;
    this.#missReason = resumed.missReason;
    this.#missAt = resumed.missAt;
    this.#source = resumed.source;
  }

  promptDone(now: number): void {
    this.#promptDoneAt = now;
  }

  /** Milliseconds since it began. */
  runMs(now: number): number {
    return this.#startedAt < 0 ? 0 : now - this.#startedAt;
  }

  report(now: number, hashes: boolean): RunReport {
    const startedAt = this.#startedAt < 0 ? now : this.#startedAt;
    const promptDoneAt = this.#promptDoneAt < 0 ? now : this.#promptDoneAt;
    const report: RunReport = {
      promptTokens: this.spec.plan.tokens.length,
      resumedTokens: this.#resumedTokens,
      warmedTokens: this.#warmedTokens,
      prefilledTokens: this.evaluated,
      predictedTokens: this.predicted,
      missReason: this.#missReason,
      missAt: this.#missAt,
      source: this.#source,
      sequence: this.sequence?.index ?? -1,
      queuedMs: startedAt - this.acceptedAt,
      promptMs: promptDoneAt - startedAt,
      predictedMs: now - promptDoneAt,
      stateMs: this.moves.ms,
      bytesMoved: this.moves.bytes,
      ...(this.keptTokens === null ? {} : { keptTokens: this.keptTokens }),
    };
    if (!hashes) return report;
    return { ...report, logitsHash: hex(this.logitsHash), tokensHash: hex(this.tokensHash) };
  }
}

function hex(hash: bigint): string {
  return hash.toString(16).padStart(16, "0");
}
