/**
 * The engine's simulation over the tiny models: what the fake device promises of forks, snapshots, trips, parked
 * and saved states holds for libllama. Each seed plays some thousand tokens; `SIM_SEEDS=20` plays more.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import { type RealDevices, Simulation } from "../sim/Simulation.ts";
import { CHUNK_MAX } from "../support/makePlan.ts";
import { TINY_KINDS, tinyModel } from "../support/tinyModels/tinyModel.ts";

const SEEDS = Number(process.env["SIM_SEEDS"] ?? 2);
/** Room for what follows a chunk's last decided cut. */
const UBATCH = CHUNK_MAX + 32;

describe.each(TINY_KINDS)("%s", (kind) => {
  let backend: Backend;
  let model: Model;
  let memory: Awaited<ReturnType<typeof tinyModel>>["memory"];

  beforeAll(async () => {
    const made = await tinyModel(kind);
    memory = made.memory;
    backend = Backend.open({});
    model = Model.load(backend, { path: made.path, gpuLayers: 0 });
  });

  afterAll(() => {
    model[Symbol.dispose]();
    backend[Symbol.dispose]();
  });

  const devices: RealDevices = {
    open: (lanes, spares, ctxTokens) => openDevice(lanes, spares, ctxTokens),
    cold: (ctxTokens) => openDevice(1, 0, ctxTokens),
  };

  function openDevice(lanes: number, spares: number, ctxTokens: number): LlamaDevice {
    return LlamaDevice.on(model, { lanes, spares, context: { ctxTokens, ubatch: UBATCH, threads: 1 } });
  }

  test("every reply is its cold run's", () => {
    let resumed = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { counts } = new Simulation(memory, seed, devices).run();
      if (process.env["SIM_SHOW"] !== undefined) console.log(kind, seed, counts);
      for (const [what, times] of Object.entries(counts)) if (what.startsWith("resumed")) resumed += times;
    }
    expect(resumed).toBeGreaterThan(0);
  });
});
