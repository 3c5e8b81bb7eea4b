/**
 * An engine that plays a script. Events come in microtasks, as they come from a Worker: never before `run`
 * has returned. Where a script holds, the run stands still until it is cancelled or released.
 */
import type { Engine, EngineRun } from "../../src/run/Engine.ts";
import type { EngineErrorCode, EngineEvent } from "../../src/run/EngineEvent.ts";
import type { EngineReady } from "../../src/run/EngineReady.ts";
import type { RunReport } from "../../src/run/RunReport.ts";
import type { RunSpec } from "../../src/run/RunSpec.ts";

export interface FakeScript {
  /** The reply, given token by token through the vocabulary of `byteVocab`. */
  readonly text?: string;
  /** Raw tokens instead. */
  readonly tokens?: readonly number[];
  readonly reason?: "stop" | "length" | "prefilled";
  readonly refuse?: { readonly code: EngineErrorCode; readonly message: string };
  /** After the tokens. */
  readonly fail?: { readonly code: EngineErrorCode; readonly message: string };
  /** Where the run stands still: before `accepted`, after it, or after its first tokens. */
  readonly hold?: "queue" | "prefill" | "decode";
  readonly report?: Partial<RunReport>;
}

export class FakeRun implements EngineRun {
  readonly id: number;
  readonly spec: Omit<RunSpec, "id">;
  /** Resolves when the run was cancelled. */
  readonly cancelled: Promise<void>;
  /** Resolves when the run stands at its hold. */
  readonly held: Promise<void>;
  isCancelled = false;
  terminal: EngineEvent | undefined;
  readonly #cancelled = Promise.withResolvers<void>();
  readonly #held = Promise.withResolvers<void>();
  readonly #go = Promise.withResolvers<void>();

  constructor(id: number, spec: Omit<RunSpec, "id">) {
    this.id = id;
    this.spec = spec;
    this.cancelled = this.#cancelled.promise;
    this.held = this.#held.promise;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#cancelled.resolve();
    this.#go.resolve();
  }

  release(): void {
    this.#go.resolve();
  }

  async hold(): Promise<void> {
    this.#held.resolve();
    await this.#go.promise;
  }
}

export const FAKE_READY: EngineReady = {
  type: "ready",
  memory: "dense",
  setup: 0x1234n,
  ctxTokens: 4096,
  lanes: 1,
  spares: 1,
  chunkTokensMin: 32,
  chunkTokensMax: 64,
  taperTokens: 0,
  tripTokensMin: 0,
  resume: { allowed: true, why: "" },
  notes: [],
  facts: {
    description: "fake 8B Q4_K - Medium",
    architecture: "fake",
    quantisation: "Q4_K - Medium",
    parameters: 8_190_735_360,
    weightBytes: 5_021_786_112,
    devices: ["libggml-cpu-haswell.so"],
    kvBytes: 2 ** 30,
    stateRamBytes: 4 * 2 ** 30,
    tokenBytes: 147_456,
    snapshotBytes: 0,
  },
  embeddings: { size: 3, tokensMax: 64, pooling: "last" },
  ranking: { tokensMax: 64 },
};

export class FakeEngine implements Engine {
  readonly ready: EngineReady;
  readonly runs: FakeRun[] = [];
  readonly dropped: string[] = [];
  warm: "idle" | "working" = "idle";
  pending = 0;
  closed = false;
  /** What was to be embedded, in order. */
  readonly embeds: (readonly Int32Array[])[] = [];
  /** By default the count of tokens, and 1 and 2. */
  embedding: (inputs: readonly Int32Array[], signal: AbortSignal) => Promise<readonly Float32Array[]> =
    async (inputs) => inputs.map(({ length }) => Float32Array.of(length, 1, 2));
  /** What each run does; by default it says "hello". */
  script: (spec: Omit<RunSpec, "id">) => FakeScript = () => ({ text: "hello" });
  #started: ((run: FakeRun) => void)[] = [];

  constructor(ready: Partial<EngineReady> = {}) {
    this.ready = { ...FAKE_READY, ...ready };
  }

  /** The next run that is handed over. */
  nextRun(): Promise<FakeRun> {
    return new Promise((resolve) => this.#started.push(resolve));
  }

  run(spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void): FakeRun {
    const run = new FakeRun(this.runs.length + 1, spec);
    this.runs.push(run);
    this.pending += 1;
    const script = this.script(spec);
    queueMicrotask(() => this.#play(run, script, onEvent));
    for (const started of this.#started.splice(0)) started(run);
    return run;
  }

  embed(inputs: readonly Int32Array[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    this.embeds.push(inputs);
    return this.embedding(inputs, signal);
  }

  drop(conversation: string): void {
    this.dropped.push(conversation);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  async #play(run: FakeRun, script: FakeScript, onEvent: (event: EngineEvent) => void): Promise<void> {
    const { id } = run;
    const promptTokens = run.spec.plan.tokens.length;
    let predicted = 0;
    const report = (): RunReport =>
      fakeReport({ promptTokens, predictedTokens: predicted, ...script.report });
    const end = (event: EngineEvent): void => {
      this.pending -= 1;
      run.terminal = event;
      onEvent(event);
    };
    const at = async (point: FakeScript["hold"]): Promise<boolean> => {
      if (script.hold === point) await run.hold();
      return run.isCancelled;
    };
    if (script.refuse !== undefined) return end({ type: "refused", id, ...script.refuse });
    if (await at("queue")) return end({ type: "aborted", id, report: report() });
    onEvent({ type: "accepted", id });
    onEvent({ type: "prefill", id, resumed: 0, evaluated: 0, total: promptTokens, ms: 0 });
    if (await at("prefill")) return end({ type: "aborted", id, report: report() });
    for (const token of script.tokens ?? new TextEncoder().encode(script.text ?? "")) {
      if (run.isCancelled) return end({ type: "aborted", id, report: report() });
      predicted += 1;
      onEvent({ type: "tokens", id, tokens: [token], ...told(run.spec, token, report) });
      await Promise.resolve();
    }
    if (await at("decode")) return end({ type: "aborted", id, report: report() });
    if (script.fail !== undefined) return end({ type: "failed", id, ...script.fail });
    end({ type: "done", id, reason: script.reason ?? "stop", report: report() });
  }
}

/** Where it is asked for, as the engine does. */
function told({ probs, reports }: Omit<RunSpec, "id">, token: number, report: () => RunReport) {
  const top = Array.from({ length: probs?.top ?? 0 }, (_, i) => ({ token: 97 + i, value: -1 - i }));
  return {
    ...(probs === undefined ? {} : { probs: [{ token, value: -0.5, top }] }),
    ...(reports === true ? { report: report() } : {}),
  };
}

export function fakeReport(some: Partial<RunReport>): RunReport {
  return {
    promptTokens: 0,
    resumedTokens: 0,
    warmedTokens: 0,
    prefilledTokens: some.promptTokens ?? 0,
    predictedTokens: 0,
    missReason: "cold",
    missAt: -1,
    source: "none",
    sequence: 0,
    queuedMs: 0,
    promptMs: 1,
    predictedMs: 1,
    stateMs: 0,
    bytesMoved: 0,
    ...some,
  };
}

/** Every byte is a token, so that characters span tokens; -1 is a defect. */
export const byteVocab = {
  specials: [],
  piece(token: number): Uint8Array {
    if (token < 0) throw new Error("a secret of the server");
    return Uint8Array.of(token);
  },
};
