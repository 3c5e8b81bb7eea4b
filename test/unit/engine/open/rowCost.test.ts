import { expect, test } from "bun:test";
import { type CostMachine, rowCostOf } from "../../../../src/engine/open/rowCost.ts";

/** Keys and values of 12 layers, 4 heads of 64, in f16. */
const TOKEN_BYTES = 12 * 4 * 64 * 2 * 2;
const CPU: CostMachine = {
  memory: "dense",
  useDevice: false,
  ubatch: 512,
  cacheTypeK: "f16",
  cacheTypeV: "f16",
  tokenBytes: TOKEN_BYTES,
};
const MODEL = { parameters: 116e6, embedding: 512, heads: 8, headsKv: 4, vocab: { size: 152_064 } };
const WEIGHTS = 2 * (116e6 - 152_064 * 512);
const NONE = { padding: null, taperTokens: 0 };

test("a dense model on a CPU: operations of a row in weights, and of a row and position in attention", () => {
  expect(rowCostOf(MODEL, CPU)).toEqual({
    padding: { weights: WEIGHTS, attention: 4 * 8 * 64 * 12 },
    taperTokens: 1150,
  });
});

test("bytes of the KV cache tell its numbers", () => {
  const wide = { ...CPU, cacheTypeK: "f32", cacheTypeV: "f32", tokenBytes: 2 * TOKEN_BYTES } as const;
  expect(rowCostOf(MODEL, wide)).toEqual(rowCostOf(MODEL, CPU));
});

test("a hybrid's chunks get shorter behind many tokens, and are never padded", () => {
  const { padding, taperTokens } = rowCostOf(MODEL, {
    ...CPU,
    memory: "hybrid",
    tokenBytes: TOKEN_BYTES / 4,
  });
  expect(padding).toBeNull();
  expect(taperTokens).toBeGreaterThan(4000);
});

test("on a GPU, with short micro-batches, a quantised KV cache, a window, or no attention, chunks stay as they are", () => {
  expect(rowCostOf(MODEL, { ...CPU, useDevice: true })).toEqual(NONE);
  expect(rowCostOf(MODEL, { ...CPU, ubatch: 32 })).toEqual(NONE);
  expect(rowCostOf(MODEL, { ...CPU, cacheTypeK: "q8_0", cacheTypeV: "q8_0" })).toEqual(NONE);
  expect(rowCostOf(MODEL, { ...CPU, cacheTypeV: "f32" })).toEqual(NONE);
  for (const memory of ["recurrent", "window"] as const)
    expect(rowCostOf(MODEL, { ...CPU, memory })).toEqual(NONE);
  expect(rowCostOf(MODEL, { ...CPU, tokenBytes: 0 })).toEqual(NONE);
  expect(rowCostOf({ ...MODEL, headsKv: 0 }, CPU)).toEqual(NONE);
});
