/** The real loop over the fake device, with a virtual clock and everything that was emitted. */

import type { EmbedQueue } from "../../src/engine/EmbedQueue.ts";
import { EngineLoop } from "../../src/engine/EngineLoop.ts";
import type { Plan } from "../../src/plan/Plan.ts";
import type { PadRule } from "../../src/plan/padding.ts";
import type { Device } from "../../src/run/Device.ts";
import type { EngineEvent } from "../../src/run/EngineEvent.ts";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import type { RunReport } from "../../src/run/RunReport.ts";
import type { RunSpec, Sampling } from "../../src/run/RunSpec.ts";
import { FakeDevice, type FakeDeviceOptions, type FakeOp } from "./FakeDevice.ts";
import { CHUNK_MAX } from "./makePlan.ts";
import { GREEDY as DEFAULTS } from "./sampling.ts";

export interface HarnessOptions extends Omit<FakeDeviceOptions, "memory" | "onOp"> {
  readonly memory: MemoryKind;
  readonly padding?: PadRule | null;
  readonly stateRamBytes?: number;
  readonly queueMax?: number;
  readonly exactDecode?: boolean;
  readonly resumeAllowed?: boolean;
  readonly rollsBack?: boolean;
  readonly debugHashes?: boolean;
  /** Throws to inject a fault. */
  readonly fault?: (op: FakeOp, seq: number) => void;
  readonly onEvent?: (event: EngineEvent) => void;
  readonly embeds?: EmbedQueue;
  /** Takes the fake's place: a real model. */
  readonly real?: Device | undefined;
}

/** Behind any token, 19 tokens and more are padded: what is padded has to be exact in every test. */
const PADS_ALWAYS: PadRule = { weights: 1, attention: 1e6 };

export const GREEDY: Sampling = { ...DEFAULTS, ignoreEos: true };

const STEPS_MAX = 100_000;

/** Virtual milliseconds for each token evaluated, row decoded or byte moved. */
const MS: Readonly<Record<FakeOp, number>> = {
  prefill: 1,
  decode: 1,
  save: 1e-4,
  restore: 1e-4,
  copy: 1e-4,
  truncate: 0,
  clear: 0,
};

export type RunOptions = Partial<Omit<RunSpec, "plan" | "conversation">> & {
  readonly conversation?: string;
  readonly turn?: number;
};

export class EngineHarness {
  readonly device: FakeDevice;
  readonly loop: EngineLoop;
  readonly events: EngineEvent[] = [];
  now = 0;
  #nextId = 1;

  constructor(options: HarnessOptions) {
    this.device = new FakeDevice({
      ...options,
      onOp: (op, seq, amount) => {
        options.fault?.(op, seq);
        this.now += amount * MS[op];
      },
    });
    this.loop = new EngineLoop({
      device: options.real ?? this.device,
      chunkTokensMax: CHUNK_MAX,
      padding:
        options.padding === undefined && options.memory === "dense" ? PADS_ALWAYS : (options.padding ?? null),
      stateRamBytes: options.stateRamBytes ?? 1 << 20,
      queueMax: options.queueMax ?? 64,
      exactDecode: options.exactDecode ?? false,
      debugHashes: options.debugHashes ?? true,
      debugIntegrity: true,
      resumeAllowed: options.resumeAllowed ?? true,
      rollsBack: options.rollsBack ?? true,
      // A real model moves no virtual clock: there each look at it takes a millisecond.
      clock: { now: () => (options.real === undefined ? this.now : this.now++) },
      ...(options.embeds === undefined ? {} : { embeds: options.embeds }),
      emit: (event) => {
        this.events.push(event);
        options.onEvent?.(event);
      },
    });
  }

  /** Hands a run in; returns its id. */
  submit(plan: Plan, options: RunOptions = {}): number {
    const { conversation = "c", turn = 1, purpose = "request", ...rest } = options;
    const id = rest.id ?? this.#nextId++;
    const spec: RunSpec = {
      tenant: "",
      maxTokens: purpose === "warm" ? 0 : 8,
      ...(purpose === "warm" ? {} : { sampling: GREEDY }),
      ...rest,
      id,
      purpose,
      plan,
      conversation: { id: conversation, turn },
    };
    this.loop.handle({ type: "run", run: spec });
    return id;
  }

  warm(plan: Plan, options: RunOptions = {}): number {
    return this.submit(plan, { ...options, purpose: "warm" });
  }

  /** Steps until there is nothing to do. */
  drain(): void {
    for (let i = 0; i < STEPS_MAX; i++) if (!this.loop.step()) return;
    throw new Error("the loop did not come to rest");
  }

  /** Submits, drains, and gives the report of a run that must end `done`. */
  run(plan: Plan, options: RunOptions = {}): RunReport {
    const id = this.submit(plan, options);
    this.drain();
    return this.report(id);
  }

  of(id: number): EngineEvent[] {
    return this.events.filter((event) => "id" in event && event.id === id);
  }

  terminal(id: number): EngineEvent {
    const ends = this.of(id).filter((event) => isTerminal(event));
    const [end] = ends;
    if (ends.length !== 1 || end === undefined) {
      throw new Error(`run ${id} has ${ends.length} terminal events: ${JSON.stringify(ends)}`);
    }
    return end;
  }

  report(id: number): RunReport {
    const end = this.terminal(id);
    if (end.type !== "done" && end.type !== "aborted") throw new Error(`run ${id}: ${JSON.stringify(end)}`);
    return end.report;
  }

  tokens(id: number): number[] {
    return this.of(id).flatMap((event) => (event.type === "tokens" ? event.tokens : []));
  }
}

export function isTerminal(event: EngineEvent): boolean {
  return event.type === "done" || event.type === "aborted" || event.type === "failed";
}

/** The same run in a fresh engine that keeps nothing. */
export function coldRun(
  memory: MemoryKind,
  plan: Plan,
  options: RunOptions = {},
  device: { readonly ctxTokens?: number; readonly real?: Device | undefined } = {},
) {
  const harness = new EngineHarness({ memory, lanes: 1, spares: 0, stateRamBytes: 0, ...device });
  const id = harness.submit(plan, options);
  harness.drain();
  return { end: harness.terminal(id), tokens: harness.tokens(id) };
}
