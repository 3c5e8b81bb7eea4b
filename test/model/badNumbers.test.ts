/**
 * A model one of whose tokens has an embedding that is no number: a prompt with it fails, and the next one in the same
 * lane is exact, on every kind of memory. llama.cpp reads cells that are free, so that emptying the sequence would not do.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import { NO_NUMBERS, selfTest } from "../../src/engine/proof/proveStates.ts";
import { coldRun, EngineHarness } from "../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../support/makePlan.ts";
import { makeTinyModel, TINY_KINDS } from "../support/tinyModels/tinyModel.ts";

/** No word of the plans. */
const BAD_TOKEN = 610;

describe.each(TINY_KINDS)("%s", (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-test-"));
  let backend: Backend;
  let model: Model;

  /** `value` at a place of each embedding that is chosen. */
  const load = async (isBad: (token: number) => boolean): Promise<Model> => {
    const bytes = await makeTinyModel(kind, (weights) => {
      const embedding = weights.tensors.find(({ name }) => name === "token_embd.weight");
      const [size = 0, count = 0] = embedding?.shape ?? [];
      for (let token = 0; token < count; token++)
        if (isBad(token)) embedding?.data.fill(Number.NaN, token * size + 1, token * size + 2);
    });
    const path = join(folder, `${Bun.hash(bytes)}.gguf`);
    writeFileSync(path, bytes);
    return Model.load(backend, { path, gpuLayers: 0 });
  };
  const open = (lanes: number, on = model): LlamaDevice =>
    LlamaDevice.on(on, { lanes, spares: 0, context: { ctxTokens: 512, ubatch: 128, threads: 1 } });

  beforeAll(async () => {
    backend = Backend.open();
    model = await load((token) => token === BAD_TOKEN);
  });
  afterAll(() => {
    model.close();
    backend.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a prompt with it fails, and others are exact in the lane that it had", () => {
    using device = open(1);
    const { memory } = device;
    const good = makePlan(memory, prompt(words(1, 200), user(1, 20)));
    const tokens = [...good.tokens];
    tokens[150] = BAD_TOKEN;
    using fresh = open(1);
    const cold = coldRun(memory, good, {}, { real: fresh, ctxTokens: 512 }).tokens;
    const engine = new EngineHarness({
      memory,
      lanes: 1,
      spares: 0,
      ctxTokens: 512,
      real: device,
      padding: null,
    });
    const bad = engine.submit(makePlan(memory, tokens));
    engine.drain();
    expect(engine.terminal(bad)).toMatchObject({
      type: "failed",
      code: "bad-numbers",
      message: expect.stringContaining("logits that are not numbers"),
    });
    const id = engine.submit(good, { conversation: "d" });
    engine.drain();
    expect(cold).toHaveLength(8);
    expect(engine.tokens(id)).toEqual(cold);
  });

  test("the self-test says of a model whose every logit is one that it cannot write", async () => {
    const broken = await load(() => true);
    const device = open(1, broken);
    const { allowed, why } = selfTest(device, { chunkTokens: 64, chunks: 2 });
    expect([allowed, why]).toEqual([false, NO_NUMBERS]);
    device[Symbol.dispose]();
    broken.close();
  });
});
