/**
 * Prefill alone, in as few evaluations as tell: one prompt, cold in a fresh context, then from the live end, rolled
 * back, and from host memory over other rows; the logits of its last token must be the same bits each time. For
 * more threads than cores are free: llama.cpp's threads spin, and a busy neighbour slows them a hundredfold.
 */
import { expect, test } from "bun:test";
import { Backend } from "../../../ffi/Backend.ts";
import { Model } from "../../../ffi/Model.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import type { RunReport } from "../../../src/run/RunReport.ts";
import { type TinyKind, tinyModel } from "../tinyModels/tinyModel.ts";
import { StatesBench } from "./StatesBench.ts";
import type { PlanSettings } from "./statesPlan.ts";

export interface PrefillOptions {
  readonly kind: TinyKind;
  readonly threads: number;
  readonly ubatch: number;
  readonly settings: PlanSettings;
}

const PREFILL_MS_MAX = 300_000;
/** Enough to lie in the way. */
const OTHER_TOKENS = 100;

export function prefillMatrix(options: PrefillOptions): void {
  const { kind, threads, settings } = options;
  const name = `${kind}, ${threads} threads, chunks of ${settings.chunkTokensMax}: the prompt's last logits`;
  test(name, async () => await play(options), PREFILL_MS_MAX);
}

async function play(options: PrefillOptions): Promise<void> {
  const { path, memory } = await tinyModel(options.kind);
  using backend = Backend.open();
  using model = Model.load(backend, { path, gpuLayers: 0 });
  const open = () =>
    new StatesBench({ ...options, model, memory, lanes: 1, spares: 0, seed: 1, replyTokens: 1 });
  using fresh = open();
  using bench = open();

  const last = bench.plan(bench.base).cuts.at(-1) ?? 0;
  const next = bench.goOn(last);
  expect(next.length).toBeGreaterThan(512);
  const cold = fresh.run(next, "a", 1);
  expect(fresh.report(cold).source).toBe("none");

  const resumes = (turn: number, source: RunReport["source"]): number => {
    const id = bench.run(next, "a", turn);
    expect(bench.report(id).source).toBe(source);
    expect(bench.gave(id)).toEqual(fresh.gave(cold));
    return bench.report(id).resumedTokens;
  };
  const { cuts, trips } = bench.plan(next);
  expect(cuts.length).toBeGreaterThanOrEqual(6);
  const kept = (memory === "window" ? trips : cuts).at(-1) ?? 0;
  bench.warm(bench.base, "a", 1);
  expect(resumes(2, "sequence")).toBe(last);
  expect(resumes(3, rolledBack(memory))).toBe(kept);
  bench.run(bench.other.slice(0, OTHER_TOKENS), "d", 1);
  expect(resumes(4, saved(memory))).toBe(kept);
}

function rolledBack(memory: MemoryKind): RunReport["source"] {
  return memory === "dense" ? "sequence" : "snapshot";
}

/** A recurrent snapshot is everything that a sequence holds. */
function saved(memory: MemoryKind): RunReport["source"] {
  return memory === "recurrent" ? "snapshot" : "host";
}
