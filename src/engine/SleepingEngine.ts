/**
 * An engine that sleeps: when nobody has asked for anything for a while, its Worker ends, and with it the model and the
 * context. Kept states wait in this thread's memory. The next request wakes it; meanwhile it counts as accepted, so that
 * its stream is open and kept alive. Each run has its one end as with any engine; a load that fails ends those that wait.
 */
import { EmbedError } from "../run/EmbedError.ts";
import type { Engine, EngineRun } from "../run/Engine.ts";
import type { EngineEvent } from "../run/EngineEvent.ts";
import type { EngineReady } from "../run/EngineReady.ts";
import type { RunSpec } from "../run/RunSpec.ts";
import type { HandedOver } from "../state/handOver.ts";

export interface EngineThatRests extends Engine {
  /** Ends it when nothing runs, and gives what it kept. */
  rest(): Promise<HandedOver>;
}

export interface SleepOptions {
  readonly afterMs: number;
  /** `before` is what the first engine said: the next one must be its like. Rejects with a sentence. */
  readonly start: (before: EngineReady | null, kept: HandedOver) => Promise<EngineThatRests>;
  readonly now: () => number;
  readonly log: { info(message: string): void; error(message: string): void };
}

interface WaitingRun {
  readonly spec: Omit<RunSpec, "id">;
  readonly onEvent: (event: EngineEvent) => void;
  readonly id: number;
  /** Once it is handed to an engine. */
  run: EngineRun | null;
}

export class SleepingEngine implements Engine {
  readonly ready: EngineReady;
  readonly #options: SleepOptions;
  readonly #waiting: WaitingRun[] = [];
  #engine: EngineThatRests | null;
  #kept: HandedOver = [];
  #changing: Promise<void> | null = null;
  #busyAt: number;
  #nextId = 1;
  #embeds = 0;
  #isClosed = false;
  #sleeps = 0;

  static async start(options: SleepOptions): Promise<SleepingEngine> {
    return new SleepingEngine(await options.start(null, []), options);
  }

  private constructor(engine: EngineThatRests, options: SleepOptions) {
    this.#engine = engine;
    this.ready = engine.ready;
    this.#options = options;
    this.#busyAt = options.now();
  }

  get sleep(): { readonly isAsleep: boolean; readonly sleeps: number } {
    return { isAsleep: this.#engine === null, sleeps: this.#sleeps };
  }

  get warm(): "idle" | "working" {
    return this.#engine?.warm ?? "idle";
  }

  get pending(): number {
    return (this.#engine?.pending ?? 0) + this.#waiting.length + this.#embeds;
  }

  /** To be called now and then: falls asleep when it is time. */
  async tick(): Promise<void> {
    const { afterMs, now } = this.#options;
    const isBusy = this.pending > 0 || this.warm === "working" || this.#changing !== null;
    if (isBusy) this.#busyAt = now();
    if (isBusy || this.#isClosed || this.#engine === null || now() - this.#busyAt < afterMs) return;
    await this.#change(() => this.#sleep(this.#engine));
  }

  run(spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void): EngineRun {
    this.#busyAt = this.#options.now();
    if (this.#engine !== null && this.#changing === null) return this.#engine.run(spec, onEvent);
    const id = this.#nextId++;
    const waiting: WaitingRun = { spec, onEvent, id, run: null };
    const refusal = this.#refusal(spec);
    if (refusal !== null) {
      queueMicrotask(() => onEvent({ type: "refused", id, ...refusal }));
      return { id, cancel: () => {} };
    }
    this.#waiting.push(waiting);
    queueMicrotask(() => onEvent({ type: "accepted", id }));
    void this.#wake();
    return { id, cancel: () => this.#cancel(waiting) };
  }

  /** A warm run wakes nobody. What an engine would refuse by number is refused as it would be. */
  #refusal({ purpose, plan }: Omit<RunSpec, "id">) {
    const tokens = plan.tokens.length;
    const { ctxTokens } = this.ready;
    if (this.#isClosed) return { code: "closing", message: "the server is shutting down" } as const;
    if (purpose === "warm") return { code: "stale-warm-plan", message: "the engine is asleep" } as const;
    if (tokens < ctxTokens) return null;
    const message = `the prompt has ${tokens} tokens, and a conversation holds ${ctxTokens} with its reply`;
    return { code: "prompt-too-long", message } as const;
  }

  #cancel(waiting: WaitingRun): void {
    if (waiting.run !== null) {
      waiting.run.cancel();
      return;
    }
    const at = this.#waiting.indexOf(waiting);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#end(waiting, "closing", "the run was cancelled before the model was loaded");
  }

  drop(conversation: string): void {
    this.#engine?.drop(conversation);
  }

  async embed(inputs: readonly Int32Array[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    this.#embeds += 1;
    try {
      if (this.#engine === null || this.#changing !== null) await this.#wake();
      signal.throwIfAborted();
      const engine = this.#engine;
      if (engine === null) throw new EmbedError("crashed", "the model could not be loaded again");
      return await engine.embed(inputs, signal);
    } finally {
      this.#embeds -= 1;
      this.#busyAt = this.#options.now();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changing;
    for (const waiting of this.#waiting.splice(0))
      this.#end(waiting, "closing", "the server is shutting down");
    await this.#engine?.close();
  }

  /** One change at a time; never rejects. */
  async #change(change: () => Promise<void>): Promise<void> {
    const before = this.#changing ?? Promise.resolve();
    const whole = before.then(change).finally(() => {
      if (this.#changing === whole) this.#changing = null;
    });
    this.#changing = whole;
    await whole;
  }

  async #sleep(engine: EngineThatRests | null): Promise<void> {
    if (engine === null) return;
    this.#kept = await engine.rest();
    this.#engine = null;
    this.#sleeps += 1;
    this.#options.log.info("asleep: the model is unloaded until the next request");
  }

  async #wake(): Promise<void> {
    await this.#change(async () => {
      if (this.#engine === null && !this.#isClosed) await this.#load();
      this.#handOver();
    });
  }

  async #load(): Promise<void> {
    const { log, now, start } = this.#options;
    const since = now();
    const kept = this.#kept;
    // Moved to the next engine, not copied: what fails to start takes it along.
    this.#kept = [];
    try {
      const engine = await start(this.ready, kept);
      if (engine.ready.setup !== this.ready.setup) {
        await engine.close();
        throw new Error("it would be loaded otherwise than before: is there less memory now?");
      }
      this.#engine = engine;
      log.info(`awake again after ${Math.round(now() - since)} ms`);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      log.error(`The model cannot be loaded again: ${words}`);
      for (const waiting of this.#waiting.splice(0)) this.#end(waiting, "crashed", words);
    }
  }

  #handOver(): void {
    const engine = this.#engine;
    if (engine === null) return;
    for (const waiting of this.#waiting.splice(0)) {
      waiting.run = engine.run(waiting.spec, (event) => {
        // It has been told already that it is accepted: what is refused now has failed.
        if (event.type === "refused") waiting.onEvent({ ...event, type: "failed" });
        else if (event.type !== "accepted") waiting.onEvent(event);
      });
    }
  }

  #end(waiting: WaitingRun, code: "closing" | "crashed", message: string): void {
    // Behind its `accepted`.
    queueMicrotask(() => waiting.onEvent({ type: "failed", id: waiting.id, code, message }));
  }
}
