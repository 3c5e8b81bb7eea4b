import { expect, test } from "bun:test";
import { type PadMachine, padRuleOf } from "../../../../src/engine/open/padRule.ts";

const CPU: PadMachine = {
  memory: "dense",
  useDevice: false,
  ubatch: 512,
  cacheTypeK: "f16",
  cacheTypeV: "f16",
};

function model(meta: Readonly<Record<string, string>>) {
  return {
    architecture: "qwen3",
    parameters: 116e6,
    embedding: 512,
    layers: 12,
    vocab: { size: 152_064 },
    meta: (key: string) => meta[key] ?? null,
  };
}
const QWEN = { "qwen3.attention.head_count": "8", "qwen3.attention.key_length": "64" };

test("a dense model on a CPU: operations of a row in weights, and of a row and position in attention", () => {
  const rule = padRuleOf(model(QWEN), CPU);
  expect(rule).toEqual({ weights: 2 * (116e6 - 152_064 * 512), attention: 4 * 8 * 64 * 12 });
});

test("without a key length, heads share the embedding", () => {
  expect(padRuleOf(model({ "qwen3.attention.head_count": "8" }), CPU)?.attention).toBe(4 * 512 * 12);
});

test("nothing where rows cannot be taken back, on a GPU, in short micro-batches, with a quantised KV cache, and for heads that differ by layer", () => {
  for (const memory of ["hybrid", "recurrent", "window"] as const) {
    expect(padRuleOf(model(QWEN), { ...CPU, memory })).toBeNull();
  }
  expect(padRuleOf(model(QWEN), { ...CPU, useDevice: true })).toBeNull();
  expect(padRuleOf(model(QWEN), { ...CPU, ubatch: 32 })).toBeNull();
  expect(padRuleOf(model(QWEN), { ...CPU, cacheTypeK: "q8_0", cacheTypeV: "q8_0" })).toBeNull();
  expect(padRuleOf(model(QWEN), { ...CPU, cacheTypeV: "f32" })).toBeNull();
  expect(padRuleOf(model({ "qwen3.attention.head_count": "[8, 4]" }), CPU)).toBeNull();
  expect(padRuleOf(model({}), CPU)).toBeNull();
});
