/**
 * The HTTP side of the engine Worker: starts it, hands over runs, and gives each run exactly one terminal
 * event, also when the Worker dies.
 */
import { workerError } from "../base/workerError.ts";
import { workerUrl } from "../base/workerUrl.ts";
import { EmbedError } from "../run/EmbedError.ts";
import type { EngineRun } from "../run/Engine.ts";
import type { EmbedEvent, EngineCommand, EngineEvent } from "../run/EngineEvent.ts";
import type { EngineReady } from "../run/EngineReady.ts";
import type { RunSpec } from "../run/RunSpec.ts";
import { buffersOfAll, type HandedOver } from "../state/handOver.ts";
import { EmbedCalls } from "./EmbedCalls.ts";
import type { EngineOptions } from "./open/EngineOptions.ts";
import type { EngineThatRests } from "./SleepingEngine.ts";

/** Worker → HTTP side: all that one step of the Worker had to say, in order. */
export type WorkerMessage =
  | SingleMessage
  | { readonly type: "several"; readonly messages: readonly SingleMessage[] };

export type SingleMessage =
  | EngineEvent
  | EmbedEvent
  | EngineReady
  /** The model or the context could not be made; one sentence. */
  | { readonly type: "fatal"; readonly message: string }
  /** In answer to `rest`: what is kept, in buffers that are moved. */
  | { readonly type: "kept"; readonly states: HandedOver }
  /** For the log: something that goes on without. */
  | { readonly type: "note"; readonly message: string }
  | { readonly type: "closed" };

/** HTTP side → Worker, beside the commands. */
export interface WorkerInit {
  readonly type: "init";
  readonly options: EngineOptions;
  /** One number, over shared memory where somebody watches the load (`LoadProgress`). */
  readonly progress: Int32Array;
  /** What the engine before this one kept; its buffers are moved. */
  readonly kept: HandedOver;
}

/** HTTP side → Worker, when no run is open: say what is kept; `close` follows. */
export interface WorkerRest {
  readonly type: "rest";
}

export interface StartOptions {
  readonly progress?: Int32Array;
  /** The Worker's module. */
  readonly url?: string;
  readonly kept?: HandedOver;
  /** Sentences for the log. */
  readonly onNote?: (message: string) => void;
}

/** The engine could not start; the message is one sentence for the user. */
export class EngineStartError extends Error {
  override readonly name = "EngineStartError";
}

interface OpenRun {
  readonly purpose: RunSpec["purpose"];
  readonly onEvent: (event: EngineEvent) => void;
}

export class EngineClient implements EngineThatRests {
  readonly ready: EngineReady;
  readonly #worker: Worker;
  readonly #runs = new Map<number, OpenRun>();
  readonly #embeds = new EmbedCalls({
    start: (job) => this.#post({ type: "embed", job }),
    cancel: (id) => this.#post({ type: "cancel-embed", id }),
  });
  readonly #onCrash: (message: string) => void;
  readonly #onNote: (message: string) => void;
  #nextId = 1;
  #requests = 0;
  #warmRuns = 0;
  #dead: string | undefined;
  #rested: (states: HandedOver) => void = () => {};
  #closed: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  /** Resolves when the model is loaded; rejects with EngineStartError. */
  static start(
    options: EngineOptions,
    onCrash: (message: string) => void,
    {
      progress = new Int32Array(1),
      url = workerUrl("engine/worker"),
      kept = [],
      onNote = () => {},
    }: StartOptions = {},
  ): Promise<EngineClient> {
    const worker = new Worker(url, { name: "engine" });
    return new Promise((resolve, reject) => {
      const fail = (message: string): void => {
        worker.terminate();
        reject(new EngineStartError(message));
      };
      worker.onerror = (event) => fail(`The engine Worker could not start: ${workerError(event.message)}`);
      worker.addEventListener("close", () => fail("The engine Worker exited while it started."));
      worker.onmessage = (event: MessageEvent<WorkerMessage>) => {
        const message = event.data;
        if (message.type === "fatal") fail(message.message);
        if (message.type === "note") onNote(message.message);
        if (message.type === "ready") resolve(new EngineClient(worker, message, onCrash, onNote));
      };
      worker.postMessage({ type: "init", options, progress, kept } satisfies WorkerInit, buffersOfAll(kept));
    });
  }

  private constructor(
    worker: Worker,
    ready: EngineReady,
    onCrash: (message: string) => void,
    onNote: (message: string) => void,
  ) {
    this.#worker = worker;
    this.ready = ready;
    this.#onCrash = onCrash;
    this.#onNote = onNote;
    worker.onmessage = (event: MessageEvent<WorkerMessage>) => this.#receive(event.data);
    worker.onerror = (event) => this.#crash(workerError(event.message));
    // A Worker that exits without an error has still died.
    worker.addEventListener("close", () => this.#crash("its Worker exited"));
  }

  get warm(): "idle" | "working" {
    return this.#warmRuns > 0 ? "working" : "idle";
  }

  get pending(): number {
    return this.#requests + this.#embeds.size;
  }

  async embed(inputs: readonly Int32Array[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    if (this.#dead !== undefined) throw new EmbedError("crashed", this.#dead);
    return await this.#embeds.call(inputs, signal);
  }

  run(spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void): EngineRun {
    const id = this.#nextId++;
    if (this.#dead !== undefined) {
      const message = this.#dead;
      queueMicrotask(() => onEvent({ type: "refused", id, code: "crashed", message }));
      return { id, cancel: () => {} };
    }
    this.#runs.set(id, { purpose: spec.purpose, onEvent });
    this.#count(spec.purpose, 1);
    this.#post({ type: "run", run: { ...spec, id } });
    return {
      id,
      cancel: () => {
        if (this.#runs.has(id)) this.#post({ type: "cancel", id });
      },
    };
  }

  drop(conversation: string): void {
    this.#post({ type: "drop", conversation });
  }

  async rest(): Promise<HandedOver> {
    const kept = Promise.withResolvers<HandedOver>();
    this.#rested = kept.resolve;
    if (this.#dead === undefined) this.#worker.postMessage({ type: "rest" } satisfies WorkerRest);
    else kept.resolve([]);
    const states = await kept.promise;
    await this.close();
    return states;
  }

  async close(): Promise<void> {
    if (this.#dead !== undefined) return;
    if (this.#closed === undefined) {
      this.#closed = Promise.withResolvers<void>();
      this.#post({ type: "close" });
    }
    await this.#closed.promise;
  }

  #post(command: EngineCommand): void {
    if (this.#dead === undefined) this.#worker.postMessage(command);
  }

  #count(purpose: RunSpec["purpose"], by: 1 | -1): void {
    if (purpose === "warm") this.#warmRuns += by;
    else this.#requests += by;
  }

  #receive(message: WorkerMessage): void {
    if (message.type === "several") for (const one of message.messages) this.#receiveOne(one);
    else this.#receiveOne(message);
  }

  #receiveOne(message: SingleMessage): void {
    if (message.type === "fatal") {
      this.#crash(message.message);
      return;
    }
    if (message.type === "kept") {
      this.#rested(message.states);
      return;
    }
    if (message.type === "closed") {
      this.#crashRuns("closing", "The server is shutting down.");
      this.#dead = "The server is shutting down.";
      this.#worker.terminate();
      this.#closed?.resolve();
      return;
    }
    if (message.type === "note") this.#onNote(message.message);
    if (message.type === "ready" || message.type === "warm" || message.type === "note") return;
    if (message.type === "embedded" || message.type === "not-embedded") {
      this.#embeds.receive(message);
      return;
    }
    const run = this.#runs.get(message.id);
    if (run === undefined) return;
    if (isTerminal(message)) {
      this.#runs.delete(message.id);
      this.#count(run.purpose, -1);
    }
    run.onEvent(message);
  }

  #crash(message: string): void {
    if (this.#dead !== undefined) return;
    this.#dead = `The engine stopped: ${message}`;
    this.#crashRuns("crashed", this.#dead);
    this.#closed?.resolve();
    this.#rested([]);
    this.#onCrash(this.#dead);
  }

  /** Every open run ends, so that no client waits for a dead Worker. */
  #crashRuns(code: "crashed" | "closing", message: string): void {
    this.#embeds.failAll(code, message);
    for (const [id, run] of [...this.#runs]) {
      this.#runs.delete(id);
      this.#count(run.purpose, -1);
      run.onEvent({ type: "failed", id, code, message });
    }
  }
}

function isTerminal(event: EngineEvent): boolean {
  return (
    event.type === "done" || event.type === "failed" || event.type === "aborted" || event.type === "refused"
  );
}
