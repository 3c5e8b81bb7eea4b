/**
 * The engine of a scripted model: the real loop and the real kept states over the fake device, in this process.
 * What each run had to prefill is counted at the device, and not taken from what the engine says of itself.
 */

import { EngineLoop } from "../../src/engine/EngineLoop.ts";
import { EmbedError } from "../../src/run/EmbedError.ts";
import type { Engine, EngineRun } from "../../src/run/Engine.ts";
import type { EngineEvent } from "../../src/run/EngineEvent.ts";
import type { EngineReady, MemoryKind } from "../../src/run/EngineReady.ts";
import type { RunSpec } from "../../src/run/RunSpec.ts";
import { FAKE_READY } from "../support/FakeEngine.ts";
import { ScriptedDevice } from "./ScriptedDevice.ts";

export interface ScriptedEngineOptions {
  readonly memory: MemoryKind;
  readonly endToken: number;
  /** Called once for each request, inside `run`: the tokens of its reply. */
  readonly nextReply: () => Iterable<number>;
  /** What became of each run of a request, inside `run`. */
  readonly onRequest: (run: ScriptedRun) => void;
}

export interface ScriptedRun {
  readonly tokens: Int32Array;
  readonly conversation: string;
  /** Tokens that the device evaluated for it. */
  prefilled: number;
  end: EngineEvent | null;
}

interface OpenRun {
  readonly onEvent: (event: EngineEvent) => void;
  readonly run: ScriptedRun;
  readonly purpose: RunSpec["purpose"];
}

const CTX_TOKENS = 256 * 1024;
/** In `ScriptedDevice`'s scale: 4 GiB. */
const STATE_RAM_BYTES = 512 * 1024;
const CHUNK_TOKENS_MAX = 512;

export class ScriptedEngine implements Engine {
  readonly ready: EngineReady;
  readonly #device: ScriptedDevice;
  readonly #loop: EngineLoop;
  readonly #onRequest: (run: ScriptedRun) => void;
  readonly #open = new Map<number, OpenRun>();
  #nextId = 1;
  #pumping = false;
  /** The run that the last event was of. */
  #lastId = 0;
  /** Tokens prefilled in warm runs. */
  warmPrefilled = 0;

  constructor({ memory, endToken, nextReply, onRequest }: ScriptedEngineOptions) {
    this.#onRequest = onRequest;
    this.#device = new ScriptedDevice({ memory, endToken, nextReply, ctxTokens: CTX_TOKENS });
    this.#loop = new EngineLoop({
      device: this.#device,
      chunkTokensMax: CHUNK_TOKENS_MAX,
      padding: null,
      stateRamBytes: STATE_RAM_BYTES,
      queueMax: 64,
      exactDecode: false,
      debugHashes: false,
      debugIntegrity: true,
      resumeAllowed: true,
      clock: this.#device.clock,
      emit: (event) => this.#emit(event),
    });
    this.ready = {
      ...FAKE_READY,
      memory,
      ctxTokens: CTX_TOKENS,
      lanes: this.#device.lanes,
      spares: this.#device.spares,
      chunkTokensMax: CHUNK_TOKENS_MAX,
      tripTokensMin: memory === "window" ? 128 : 0,
      embeddings: null,
    };
  }

  get warm(): "idle" | "working" {
    return this.#count("warm") > 0 ? "working" : "idle";
  }

  get pending(): number {
    return this.#count("request");
  }

  run(spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void): EngineRun {
    const id = this.#nextId++;
    const { purpose, plan, conversation } = spec;
    const run: ScriptedRun = { tokens: plan.tokens, conversation: conversation.id, prefilled: 0, end: null };
    this.#open.set(id, { onEvent, run, purpose });
    if (purpose === "request") this.#onRequest(run);
    this.#loop.handle({ type: "run", run: { ...spec, id } });
    this.#pump();
    return { id, cancel: () => this.#loop.handle({ type: "cancel", id }) };
  }

  /** `ready` says so. */
  async embed(): Promise<never> {
    throw new EmbedError("evaluate-failed", "a scripted engine embeds nothing");
  }

  drop(conversation: string): void {
    this.#loop.handle({ type: "drop", conversation });
  }

  async close(): Promise<void> {
    this.#loop.handle({ type: "close" });
  }

  #count(purpose: RunSpec["purpose"]): number {
    return [...this.#open.values()].filter((open) => open.purpose === purpose).length;
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      if (this.#step()) this.#pump();
    });
  }

  /** All that one step prefills is of one run, and the step says something of it. */
  #step(): boolean {
    const before = this.#device.prefilled;
    const open = new Map(this.#open);
    const more = this.#loop.step();
    const prefilled = this.#device.prefilled - before;
    if (prefilled > 0) {
      const of = open.get(this.#lastId);
      if (of === undefined) throw new Error(`${prefilled} tokens were prefilled for no run`);
      of.run.prefilled += prefilled;
      if (of.purpose === "warm") this.warmPrefilled += prefilled;
    }
    return more;
  }

  /** Never before `run` has returned. */
  #emit(event: EngineEvent): void {
    if (!("id" in event)) return;
    this.#lastId = event.id;
    queueMicrotask(() => {
      const open = this.#open.get(event.id);
      if (open === undefined) return;
      if (["done", "failed", "aborted", "refused"].includes(event.type)) {
        open.run.end = event;
        this.#open.delete(event.id);
      }
      open.onEvent(event);
    });
  }
}
