/**
 * A hybrid whose attention has a sliding window (LFM2 with a window key): its window and its recurrent rows are saved and
 * restored together at each trip, and then it resumes in every way. Without trips its cells lie in another order.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import { selfTest } from "../../src/engine/proof/proveStates.ts";
import { StatesBench } from "../support/exactness/StatesBench.ts";
import { HOST, PARKED, ROLLED_BACK } from "../support/exactness/ways.ts";
import { makeTinyModel } from "../support/tinyModels/tinyModel.ts";

const WINDOW = 96;
const SETTINGS = { chunkTokensMin: 32, chunkTokensMax: 120, tripTokensMin: 128 };
/** Busy cores take their time. */
const TEST_MS_MAX = 120_000;

let folder: string;
let backend: Backend;
let model: Model;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "warmturn-model-"));
  const path = join(folder, "lfm2-window.gguf");
  const windowKey = "lfm2.attention.sliding_window";
  await Bun.write(
    path,
    await makeTinyModel("lfm2", (_weights, metadata) =>
      metadata.set(windowKey, { type: "uint32", value: WINDOW }),
    ),
  );
  backend = Backend.open();
  model = Model.load(backend, { path, gpuLayers: 0 });
});
afterAll(() => {
  model.close();
  backend.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  [64, 2],
  [128, 5],
  [37, 9],
])(
  "resumes in every way behind %d-token chunks, %d of them",
  (chunkTokens, chunks) => {
    using device = LlamaDevice.on(model, {
      lanes: 2,
      spares: 1,
      context: { ctxTokens: 1024, ubatch: 128, threads: 1 },
    });
    expect(device.memory).toBe("window");
    expect(selfTest(device, { chunkTokens, chunks }).equal).toEqual({
      again: true,
      resumed: true,
      otherSequence: true,
      restored: true,
      forked: true,
    });
  },
  TEST_MS_MAX,
);

test.each([ROLLED_BACK, PARKED, HOST])(
  "goes on as a cold run: $name",
  (way) => {
    const open = (spares: number) =>
      new StatesBench({
        model,
        memory: "window",
        threads: 1,
        ubatch: 128,
        settings: SETTINGS,
        lanes: way.lanes,
        spares,
        replyTokens: 12,
        seed: 1,
      });
    using bench = open(way.spares);
    const cut = bench.plan(bench.base).trips.at(-1) ?? 0;
    const id = way.play(bench, cut);
    expect(bench.report(id)).toMatchObject({ resumedTokens: cut, source: way.source.window });
    using cold = open(0);
    expect(bench.gave(id)).toEqual(cold.gave(cold.run(bench.promptOf(id), "c", 1)));
  },
  TEST_MS_MAX,
);
