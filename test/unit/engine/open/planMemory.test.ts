import { describe, expect, test } from "bun:test";
import {
  type ModelShape,
  measureBytes,
  memoryBytes,
  snapshotBytes,
  stateBytes,
} from "../../../../src/engine/open/modelShape.ts";
import {
  MemoryError,
  type MemoryWish,
  planMemory,
  roundedSentence,
} from "../../../../src/engine/open/planMemory.ts";
import { FakeDevice } from "../../../support/FakeDevice.ts";

const GIB = 2 ** 30;

/** Qwen3-8B: 36 layers, 8 KV heads of 128, f16: 4.8 GB at 32k tokens. */
const QWEN3_8B: ModelShape = {
  weightBytes: 5 * GIB,
  embedding: 4096,
  vocab: 151936,
  ctxTrain: 40960,
  tokenBytes: 36 * 8 * 128 * 2 * 2,
  windowTokenBytes: 0,
  window: 0,
  recurrentBytes: 0,
};
const WISH: MemoryWish = {
  ctxSize: 32768,
  extendsRope: false,
  parallel: 4,
  spareSequences: 1,
  ubatch: 512,
  embeds: false,
  stateRamBytes: GIB,
  deviceShare: 0,
};
const kv = (ctxTokens: number, sequences: number) =>
  memoryBytes(QWEN3_8B, { ctxTokens, sequences, ubatch: 512 });

describe("memory plan", () => {
  test("a second context that embeds is planned for, with the logits that llama.cpp makes in it", () => {
    const room = { hostBytes: 64 * GIB, deviceBytes: 0, unified: false };
    const [without, embeds] = [false, true].map((yes) =>
      planMemory(QWEN3_8B, { ...WISH, embeds: yes }, room),
    );
    expect((embeds?.kvBytes ?? 0) - (without?.kvBytes ?? 0)).toBe(kv(512, 1));
    expect((embeds?.computeBytes ?? 0) - (without?.computeBytes ?? 0)).toBeGreaterThan(
      8 * 512 * QWEN3_8B.vocab,
    );
  });

  test("KV bytes of a known model", () => {
    expect(kv(32768, 1)).toBe(36 * 8 * 128 * 2 * 2 * 32768);
    expect(kv(32768, 1) / 1e9).toBeCloseTo(4.83, 2);
  });

  test("everything fits: nothing is lowered", () => {
    const plan = planMemory(QWEN3_8B, WISH, { hostBytes: 64 * GIB, deviceBytes: 0, unified: false });
    expect(plan).toMatchObject({ ctxTokens: 32768, parallel: 4, spareSequences: 1, notes: [] });
  });

  test("no context is longer than the training without being asked to by RoPE flags, and that is said", () => {
    const room = { hostBytes: 64 * GIB, deviceBytes: 0, unified: false };
    const wish = { ...WISH, ctxSize: 100_000, parallel: 1, spareSequences: 0 };
    const capped = planMemory(QWEN3_8B, wish, room);
    expect(capped.ctxTokens).toBe(40960);
    expect(capped.notes).toEqual([
      expect.stringContaining("--ctx-size lowered from 100000 to 40960, the length that"),
    ]);
    expect(planMemory(QWEN3_8B, { ...wish, extendsRope: true }, room)).toMatchObject({
      ctxTokens: 100_000,
      notes: [],
    });
    // A file that says nothing of its training.
    const untold = planMemory({ ...QWEN3_8B, ctxTrain: 0 }, wish, room);
    expect([untold.ctxTokens, untold.notes]).toEqual([100_000, []]);
  });

  test("a context that llama.cpp rounds up is said", () => {
    expect(roundedSentence(16, 256)).toBe(
      "--ctx-size raised from 16 to 256: a context is a multiple of 256 tokens.",
    );
    expect([roundedSentence(0, 4096), roundedSentence(512, 512)]).toEqual([null, null]);
  });

  test("parallel is lowered first, and said", () => {
    const plan = planMemory(QWEN3_8B, WISH, { hostBytes: 22 * GIB, deviceBytes: 0, unified: false });
    expect(plan.ctxTokens).toBe(32768);
    expect(plan.parallel).toBeLessThan(4);
    expect(plan.notes).toHaveLength(1);
    expect(plan.notes[0]).toContain(`--parallel lowered from 4 to ${plan.parallel}`);
    expect(plan.totalBytes).toBeLessThanOrEqual(22 * GIB);
  });

  test("then ctx-size, to the largest that fits", () => {
    const room = { hostBytes: 12 * GIB, deviceBytes: 0, unified: false };
    const plan = planMemory(QWEN3_8B, WISH, room);
    expect(plan.parallel).toBe(1);
    expect(plan.ctxTokens).toBeLessThan(32768);
    expect(plan.ctxTokens % 256).toBe(0);
    expect(plan.notes).toHaveLength(2);
    const more = { ...WISH, ctxSize: plan.ctxTokens + 256, parallel: 1 };
    expect(planMemory(QWEN3_8B, more, room).ctxTokens).toBe(plan.ctxTokens);
  });

  test("what cannot fit ends with the numbers", () => {
    const plan = () => planMemory(QWEN3_8B, WISH, { hostBytes: 4 * GIB, deviceBytes: 0, unified: false });
    expect(plan).toThrow(MemoryError);
    expect(plan).toThrow(/weights 5120 MiB.*4096 MiB are free/);
  });

  test("on a device the weights and the KV count there, kept states on the host", () => {
    const wish = { ...WISH, deviceShare: 1, stateRamBytes: 8 * GIB };
    const plan = planMemory(QWEN3_8B, wish, { hostBytes: 9 * GIB, deviceBytes: 16 * GIB, unified: false });
    expect(plan.parallel).toBe(1);
    expect(() =>
      planMemory(QWEN3_8B, wish, { hostBytes: 7 * GIB, deviceBytes: 99 * GIB, unified: false }),
    ).toThrow();
  });

  test("one pool: kept states and weights together", () => {
    const wish = { ...WISH, deviceShare: 1, parallel: 1, stateRamBytes: 4 * GIB };
    const room = { hostBytes: 16 * GIB, deviceBytes: 16 * GIB, unified: true };
    expect(planMemory(QWEN3_8B, wish, room).ctxTokens).toBeLessThan(32768);
  });

  test("an automatic budget is a quarter of what is left, at most 8 GiB", () => {
    const wish = { ...WISH, stateRamBytes: -1, ctxSize: 4096, parallel: 1 };
    const plan = (hostBytes: number) =>
      planMemory(QWEN3_8B, wish, { hostBytes, deviceBytes: 0, unified: false }).stateRamBytes;
    expect(plan(256 * GIB)).toBe(8 * GIB);
    expect(plan(13 * GIB)).toBeLessThan(2 * GIB);
  });

  test("a sliding layer takes its window, recurrent rows no context", () => {
    const shape = { ...QWEN3_8B, tokenBytes: 10, windowTokenBytes: 100, window: 1024, recurrentBytes: 7 };
    const bytes = memoryBytes(shape, { ctxTokens: 8192, sequences: 2, ubatch: 512 });
    expect(bytes).toBe(2 * (8192 * 10 + 1536 * 100 + 7));
  });

  test("a kept state takes its rows, its window and its recurrent rows; a snapshot the last two", () => {
    const shape = { tokenBytes: 10, windowTokenBytes: 100, window: 1024, recurrentBytes: 7 };
    expect(snapshotBytes(shape, 8192)).toBe(1024 * 100 + 7);
    expect(stateBytes(shape, 8192)).toBe(8192 * 10 + 1024 * 100 + 7);
    expect(stateBytes(shape, 100)).toBe(100 * 110 + 7);
  });

  test("what a device takes per token is measured", () => {
    using device = new FakeDevice({ memory: "dense", lanes: 1, spares: 0, ctxTokens: 256 });
    expect(measureBytes(device)).toMatchObject({ windowTokenBytes: 0, recurrentBytes: 0 });
  });
});
