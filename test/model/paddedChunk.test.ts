/** A padded last chunk: other bits than a plain one, and the same ones wherever and however often it is evaluated. */
import { expect, test } from "bun:test";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import { TILE_ROWS } from "../../src/plan/padding.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const FRONT = 512;
const CHUNK = 40;
const TOKENS = Int32Array.from({ length: FRONT + CHUNK + 1 }, (_, i) => 3 + ((i * 7) % 89));

for (const threads of [1, 2]) {
  for (const cacheType of ["f16", "q8_0"] as const) {
    test(`${threads} threads, KV in ${cacheType}`, async () => {
      const { path } = await tinyModel("qwen3");
      using backend = Backend.open();
      using model = Model.load(backend, { path, gpuLayers: 0 });
      const context = { ctxTokens: 1024, ubatch: 256, threads, cacheTypeK: cacheType, cacheTypeV: cacheType };
      using device = LlamaDevice.on(model, { lanes: 2, spares: 0, context });
      const chunk = TOKENS.subarray(FRONT, FRONT + CHUNK);
      const front = (seq: number): void => {
        device.clear(seq);
        for (let at = 0; at < FRONT; at += 256) device.prefill(seq, at, TOKENS.subarray(at, at + 256), false);
      };
      /** Of the chunk, and of the token decoded behind it. */
      const evaluated = (seq: number, rows: number): string => {
        device.prefill(seq, FRONT, chunk, true, rows);
        const chain = device.hashLogits(0, 0n);
        device.decode([{ seq, pos: FRONT + CHUNK, token: TOKENS[FRONT + CHUNK] ?? 0 }]);
        const both = `${chain} ${device.hashLogits(0, chain)}`;
        expect(device.truncate(seq, FRONT)).toBe(true);
        return both;
      };
      front(0);
      const padded = evaluated(0, TILE_ROWS);
      expect(evaluated(0, TILE_ROWS)).toBe(padded);
      front(1);
      expect(evaluated(1, TILE_ROWS)).toBe(padded);
      const saved = device.save(0, "full");
      front(1);
      expect(device.restore(1, "full", saved)).toBe(true);
      expect(evaluated(1, TILE_ROWS)).toBe(padded);
      // A quantised KV cache is worked on row by row always: padding it would change nothing but the time.
      if (cacheType === "f16") expect(evaluated(0, CHUNK)).not.toBe(padded);
    });
  }
}
