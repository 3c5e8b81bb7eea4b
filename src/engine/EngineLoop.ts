/**
 * The engine's loop: one step at a time, over any device and any clock. Exactly one terminal event for each
 * accepted run, exactly one `refused` for any other; a cancel takes effect between two steps; an error of the
 * device ends the runs of that step and nothing else.
 */

import { DeviceError, type DeviceSampler } from "../run/Device.ts";
import type { EngineCommand, EngineErrorCode, EngineEvent } from "../run/EngineEvent.ts";
import type { RunSpec } from "../run/RunSpec.ts";
import { StateKeeper } from "../state/StateKeeper.ts";
import { Turns } from "../state/Turns.ts";
import { decodeStep } from "./decodeStep.ts";
import type { EngineLoopOptions, LoopContext } from "./LoopContext.ts";
import { PrefillOrder } from "./PrefillOrder.ts";
import { prefillStep, warmStep } from "./prefillStep.ts";
import { Run } from "./Run.ts";
import { checkRuns } from "./runIntegrity.ts";
import { mostWorth, nextUnit, type Unit } from "./schedule.ts";

export class EngineLoop implements LoopContext {
  readonly options: EngineLoopOptions;
  readonly states: StateKeeper;
  /** Requests in the order they came. */
  readonly #waiting: Run[] = [];
  /** Requests that hold a lane, oldest first. */
  readonly #running: Run[] = [];
  readonly #warm: Run[] = [];
  /** Newest turn of a request of each conversation. */
  readonly #turns = new Turns();
  readonly #order = new PrefillOrder<Run>();
  #lastUnit: Unit = "idle";
  #hasJustEmbedded = false;
  #warmState: "idle" | "working" = "idle";
  #closing = false;

  constructor(options: EngineLoopOptions) {
    this.options = options;
    const { device, stateRamBytes, resumeAllowed, chunkTokensMax, clock } = options;
    this.states = new StateKeeper({
      device,
      stateRamBytes,
      resumeAllowed,
      rollsBack: options.rollsBack ?? true,
      chunkTokensMax,
      now: () => clock.now(),
    });
  }

  /** Nothing is to be done: hands one kept state to the disk. True where there may be more. */
  idle(): boolean {
    return this.#nextUnit() === "idle" && !this.#closing && this.states.saveIdle();
  }

  handle(command: EngineCommand): void {
    switch (command.type) {
      case "run":
        this.#accept(command.run);
        break;
      case "cancel":
        this.#cancel(command.id);
        break;
      case "drop":
        this.#dropWarm((run) => run.spec.conversation.id === command.conversation);
        break;
      case "embed":
        this.options.embeds?.accept(command.job);
        break;
      case "cancel-embed":
        this.options.embeds?.cancel(command.id);
        break;
      case "close":
        this.#close();
        break;
    }
    this.#tellWarm();
  }

  /** One chunk of prefill, one decode step, one input to embed, or one save. True while there is more to do. */
  step(): boolean {
    const unit = this.#nextUnit();
    if (unit === "prefill") this.#prefill();
    else if (unit === "decode") decodeStep(this, this.#decoding());
    else if (unit === "embed") this.options.embeds?.step();
    else if (unit === "warm") this.#warmUnit();
    if (unit !== "embed") this.#lastUnit = unit;
    this.#hasJustEmbedded = unit === "embed";
    this.#tellWarm();
    if (this.#nextUnit() !== "idle") return true;
    if (this.options.debugIntegrity) this.checkIntegrity();
    return false;
  }

  /** Throws IntegrityError where the books of runs, lanes and kept states do not balance. Call it between two steps. */
  checkIntegrity(): void {
    this.states.checkIntegrity();
    const { sequences } = this.states;
    const busy = sequences.filter((one) => one.busy && !this.states.isCondemned(one));
    checkRuns({ waiting: this.#waiting, running: this.#running, warm: this.#warm }, new Set(busy));
  }

  /** Ends a run with its terminal event. Whatever is saved for later is saved after it, or was before. */
  end(run: Run, event: (at: number) => EngineEvent): void {
    if (run.phase === "ended") throw new Error(`run ${run.id} ends a second time`);
    run.phase = "ended";
    for (const queue of [this.#waiting, this.#running, this.#warm]) {
      const at = queue.indexOf(run);
      if (at >= 0) queue.splice(at, 1);
    }
    if (run.sequence !== null && run.spec.purpose === "request") this.states.release(run.sequence);
    run.sampler?.[Symbol.dispose]();
    if (this.#running.length === 0) this.states.wipeCondemned();
    this.options.emit(event(this.options.clock.now()));
  }

  done(run: Run, reason: "stop" | "length" | "prefilled"): void {
    const { id } = run;
    this.end(run, (now) => ({ type: "done", id, reason, report: run.report(now, this.options.debugHashes) }));
  }

  failed(run: Run, code: EngineErrorCode, message: string): void {
    this.end(run, () => ({ type: "failed", id: run.id, code, message }));
  }

  /** A device error ends these runs and empties their sequences. Anything else is a fault of ours: it is thrown. */
  failAll(runs: readonly Run[], error: unknown): void {
    if (!(error instanceof DeviceError)) throw error;
    for (const run of [...runs]) {
      const { sequence } = run;
      if (sequence !== null && sequence.writer === run.id) {
        if (error.code === "bad-numbers") this.states.condemn(sequence);
        else this.states.reset(sequence);
      }
      run.sequence = null;
      this.failed(run, error.code, error.message);
    }
  }

  /** No request but `run` runs or waits. */
  isAlone(run: Run): boolean {
    if ((this.options.embeds?.waiting ?? 0) > 0) return false;
    return this.#running.every((other) => other === run) && this.#waiting.every((other) => other === run);
  }

  #nextUnit(): Unit {
    const prefilling = this.#prefilling().length;
    return nextUnit({
      canPrefill: prefilling > 0 || (this.#waiting.length > 0 && this.states.hasIdleLane()),
      decoding: this.#running.length - prefilling,
      lastUnit: this.#lastUnit,
      warmRuns: this.#warm.length,
      embeds: this.options.embeds?.waiting ?? 0,
      hasJustEmbedded: this.#hasJustEmbedded,
    });
  }

  /** In the order of their lanes. */
  #decoding(): Run[] {
    return this.#running
      .filter((run) => run.phase === "decode")
      .sort((a, b) => (a.sequence?.index ?? 0) - (b.sequence?.index ?? 0));
  }

  #prefilling(): Run[] {
    return this.#running.filter((run) => run.phase === "prefill");
  }

  #prefill(): void {
    const run = this.#order.next(this.#prefilling(), this.#waiting, this.states.hasIdleLane());
    if (run === undefined) return;
    const at = this.#waiting.indexOf(run);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      this.#running.push(run);
    }
    prefillStep(this, run);
  }

  #warmUnit(): void {
    const run = mostWorth(this.#warm, (conversation) => this.#turns.returns(conversation));
    if (run !== undefined) warmStep(this, run);
  }

  #accept(spec: RunSpec): void {
    const refuse = (code: EngineErrorCode, message: string): void =>
      this.options.emit({ type: "refused", id: spec.id, code, message });
    const refusal = this.#refusal(spec);
    if (refusal !== null) {
      refuse(refusal.code, refusal.message);
      return;
    }
    let sampler: DeviceSampler | null = null;
    try {
      if (spec.sampling !== undefined && spec.purpose === "request")
        sampler = this.options.device.sampler(spec.sampling, spec.plan.tokens);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      refuse(error.code, error.message);
      return;
    }
    const run = new Run(spec, sampler, this.options.clock.now());
    this.options.emit({ type: "accepted", id: spec.id });
    const { id, turn } = spec.conversation;
    this.#turns.see(id, turn, spec.awaitsResults);
    if (spec.purpose === "warm") {
      this.states.expect(spec.conversation, spec.awaitsResults ?? false);
      this.#warm.push(run);
      return;
    }
    this.#waiting.push(run);
    this.#dropWarm((warm) => warm.spec.conversation.id === id && warm.spec.conversation.turn < turn);
  }

  #refusal(spec: RunSpec): { readonly code: EngineErrorCode; readonly message: string } | null {
    const { queueMax, device } = this.options;
    const tokens = spec.plan.tokens.length;
    if (this.#closing) return { code: "closing", message: "the server is shutting down" };
    if (tokens >= device.ctxTokens) {
      const message = `the prompt has ${tokens} tokens, and a conversation holds ${device.ctxTokens} with its reply`;
      return { code: "prompt-too-long", message };
    }
    if (tokens === 0) return { code: "evaluate-failed", message: "the prompt has no tokens" };
    if (spec.purpose === "request") {
      if (this.#waiting.length < queueMax) return null;
      return { code: "queue-full", message: `${queueMax} requests are waiting already` };
    }
    const { id, turn } = spec.conversation;
    if (turn < this.#turns.newest(id)) {
      return {
        code: "stale-warm-plan",
        message: `turn ${turn} was planned for, and the conversation is past it`,
      };
    }
    if (this.#warm.length < queueMax) return null;
    return { code: "queue-full", message: `${queueMax} warm runs are waiting already` };
  }

  #cancel(id: number): void {
    for (const queue of [this.#waiting, this.#running, this.#warm]) {
      const run = queue.find((other) => other.id === id);
      if (run === undefined) continue;
      this.#abort(run);
      return;
    }
  }

  /** What a dropped run has finished stays kept. */
  #dropWarm(match: (run: Run) => boolean): void {
    for (const run of this.#warm.filter(match)) this.#abort(run);
  }

  #abort(run: Run): void {
    const { id } = run;
    this.end(run, (now) => ({ type: "aborted", id, report: run.report(now, this.options.debugHashes) }));
  }

  #close(): void {
    this.#closing = true;
    this.options.embeds?.close();
    this.#dropWarm(() => true);
    for (const run of [...this.#running, ...this.#waiting])
      this.failed(run, "closing", "the server is shutting down");
  }

  #tellWarm(): void {
    const state = this.#warm.length > 0 ? "working" : "idle";
    if (state === this.#warmState) return;
    this.#warmState = state;
    this.options.emit({ type: "warm", state });
  }
}
