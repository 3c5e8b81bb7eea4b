/** Searches in a row of logits find what a plain loop finds, and a sampler that uses them chooses as one that does not. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import wabt from "wabt";
import { Context } from "../../ffi/Context.ts";
import { LogitRow } from "../../ffi/rows/LogitRow.ts";
import { ROWS_MODULE } from "../../ffi/rows/module.ts";
import { shortWay } from "../../ffi/rows/shortWay.ts";
import { Sampler } from "../../ffi/Sampler.ts";
import type { Sampling } from "../../src/run/RunSpec.ts";
import { Prng } from "../support/tinyModels/Prng.ts";
import { GREEDY, openBackend, openTiny, someTokens } from "./rig.ts";

test("the module is its source, assembled", async () => {
  const source = await Bun.file(join(import.meta.dir, "../../ffi/rows/rows.wat")).text();
  const assembled = (await wabt()).parseWat("rows.wat", source, { simd: true }).toBinary({}).buffer;
  expect(ROWS_MODULE).toBe(assembled.toBase64());
});

function rowOf(size: number): LogitRow {
  const row = LogitRow.of(size);
  if (row === null) throw new Error("this runtime has no vectors");
  return row;
}

describe("searches", () => {
  const random = new Prng("rows");
  const sizes = [1, 3, 63, 64, 65, 1000, 4097, 152_064];

  test.each(sizes)("of %d logits", (size) => {
    const row = rowOf(size);
    for (let round = 0; round < 20; round++) {
      // Few values, so that there are equals; and now and then what cannot be chosen.
      const values = round % 2 === 0 ? 7 : 1e6;
      for (let i = 0; i < size; i++) {
        row.logits[i] =
          random.uniform() < 0.1 ? Number.NEGATIVE_INFINITY : Math.floor(random.uniform() * values) - 3;
      }
      row.logits[Math.floor(random.uniform() * size)] = 1;
      const largest = row.logits.reduce((a, b) => Math.max(a, b));
      expect(row.best()).toEqual(Int32Array.of(row.logits.indexOf(largest)));
      for (const count of [1, 5, 40, 200]) {
        const found = row.top(count);
        if (typeof found === "string") {
          expect(found).toBe("many");
          continue;
        }
        const least = Math.min(...[...found].map((token) => row.logits[token] ?? Number.NaN));
        const better = [...row.logits.keys()].filter((token) => (row.logits[token] ?? 0) >= least);
        expect([...found]).toEqual(better);
        expect(found.length).toBeGreaterThanOrEqual(count);
      }
    }
  });

  test("numbers that are none, wherever they stand", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      for (let at = 0; at < 130; at++) {
        const row = rowOf(130);
        row.logits.fill(-1);
        row.logits[at] = bad;
        expect(row.best()).toBe("nan");
        expect(row.top(5)).toBe("nan");
      }
    }
  });

  test("nothing to choose", () => {
    const row = rowOf(100);
    row.logits.fill(Number.NEGATIVE_INFINITY);
    expect(row.best()).toBe("none");
    expect(row.top(3)).toBe("none");
  });
});

const HOT: Sampling = { ...GREEDY, temperature: 0.8 };

test.each<readonly [string, Partial<Sampling>, number | null]>([
  ["llama-server's defaults", {}, HOT.topK],
  ["temperature 0", { temperature: 0 }, 1],
  ["temperature 0, ranged", { temperature: 0, dynatempRange: 1 }, HOT.topK],
  ["temperature 0 without its link", { temperature: 0, samplers: ["top_k"] }, HOT.topK],
  ["temperature 0 behind xtc", { temperature: 0, xtcProbability: 0.5 }, null],
  ["temperature 0 behind typical_p", { temperature: 0, typicalP: 0.5 }, null],
  ["a penalty", { repeatPenalty: 1.1 }, null],
  ["a penalty on presence, at temperature 0", { temperature: 0, presencePenalty: 0.1 }, null],
  ["a penalty that looks back on nothing", { repeatPenalty: 1.1, repeatLastN: 0 }, HOT.topK],
  ["dry", { dryMultiplier: 0.5 }, null],
  ["dry at temperature 0", { temperature: 0, dryMultiplier: 0.5 }, null],
  ["top_n_sigma", { topNSigma: 1 }, null],
  ["no top_k", { topK: 0 }, null],
  ["a top_k of thousands", { topK: 5000 }, null],
  ["top_p in front", { samplers: ["top_p", "top_k", "temperature"] }, null],
  ["the temperature in front", { samplers: ["temperature", "top_k"] }, null],
  ["mirostat", { mirostat: 2 }, null],
  ["a bias", { logitBias: [{ token: 1, bias: 0 }] }, null],
])("enough for %s", (_, more, enough) => {
  const { topP, ...rest } = more;
  expect(shortWay({ ...HOT, topP: topP ?? 0.95, ...rest }, 0)).toBe(enough);
});

test("tokens that the model's file bans need the whole row", () => {
  expect(shortWay(HOT, 1)).toBeNull();
});

const backend = openBackend();

test.skipIf(backend === null)("the same tokens by the short way and from the whole row", async () => {
  if (backend === null) return;
  using model = await openTiny(backend, "qwen3");
  using context = Context.open(model, { ctxTokens: 256, sequences: 1, ubatch: 64, threads: 1 });
  const settings: Partial<Sampling>[] = [
    { temperature: 0 },
    { temperature: 0, ignoreEos: true },
    { temperature: 0.8 },
    { temperature: 1.5, topK: 5, ignoreEos: true },
    { temperature: 1, topK: 100, minP: 0, topP: 1, xtcProbability: 0.5 },
  ];
  for (let prompt = 0; prompt < 6; prompt++) {
    context.clear(0);
    context.prefill(0, 0, someTokens(model.vocab.size, 20, prompt), true);
    for (const more of settings) {
      const sampling = { ...GREEDY, ...more, seed: prompt };
      expect(shortWay(sampling, model.suppressed)).not.toBeNull();
      // A bias of nothing changes no logit, and needs the whole row.
      const biased = { ...sampling, logitBias: [{ token: 5, bias: 0 }] };
      expect(shortWay(biased, model.suppressed)).toBeNull();
      using short = Sampler.open(context, sampling);
      using whole = Sampler.open(context, biased);
      for (let i = 0; i < 20; i++) expect(short.sample(0)).toEqual(whole.sample(0));
    }
  }
});
