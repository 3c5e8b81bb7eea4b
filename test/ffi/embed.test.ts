/** A context that embeds: what its poolings mean, the same bits whatever came before, and what it refuses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Context, type Pooling } from "../../ffi/Context.ts";
import type { Model } from "../../ffi/Model.ts";
import type { TinyKind } from "../support/tinyModels/tinyModel.ts";
import { openBackend, openTiny, someTokens } from "./rig.ts";

const backend = openBackend();
const UBATCH = 64;
const KINDS: readonly TinyKind[] = ["qwen3", "qwen35", "gemma3", "mamba2"];

describe.skipIf(backend === null).each(KINDS.map((kind) => [kind] as const))("%s", (kind) => {
  let model: Model;
  beforeAll(async () => {
    if (backend !== null) model = await openTiny(backend, kind);
  });
  afterAll(() => model.close());

  const open = (pooling?: Pooling): Context =>
    Context.open(model, {
      ctxTokens: 256,
      sequences: 1,
      ubatch: UBATCH,
      threads: 1,
      ...(pooling === undefined ? {} : { pooling }),
    });
  const tokens = (count: number, seed = 1): Int32Array => someTokens(model.vocab.size, count, seed);
  /** Sums of other lengths are summed in another order. */
  const expectNear = (seen: Float32Array, wanted: Float32Array): void => {
    expect(seen.length).toBe(wanted.length);
    const most = Math.max(...wanted.map(Math.abs));
    for (const [index, value] of seen.entries())
      expect(Math.abs(value - (wanted[index] ?? 0)) / most).toBeLessThan(2e-3);
  };

  test("last is the last token's, cls the first's, mean the mean of all", () => {
    using last = open("last");
    using cls = open("cls");
    using mean = open("mean");
    const input = tokens(5);
    const each = Array.from(input, (_, i) => last.embed(input.subarray(0, i + 1)));
    expect(each[0]?.length).toBe(model.embeddingOut);
    expectNear(cls.embed(input), each[0] ?? new Float32Array());
    const sum = each.reduce((a, b) => a.map((value, i) => value + (b[i] ?? 0)));
    expectNear(
      mean.embed(input),
      sum.map((value) => value / input.length),
    );
  });

  test("none is each token's, which is the last one's of what ends there", () => {
    using last = open("last");
    using none = open("none");
    const input = tokens(5);
    const all = none.embed(input);
    expect(all.length).toBe(input.length * model.embeddingOut);
    for (let i = 0; i < input.length; i++) {
      const row = all.subarray(i * model.embeddingOut, (i + 1) * model.embeddingOut);
      expectNear(row, last.embed(input.subarray(0, i + 1)));
    }
  });

  test("the same tokens give the same bits, whatever was embedded before", () => {
    using context = open("mean");
    const input = tokens(40);
    const first = context.embed(input);
    const other = context.embed(tokens(UBATCH, 2));
    expect(context.embed(input)).toEqual(first);
    expect(other).not.toEqual(first);
    using fresh = open("mean");
    expect(fresh.embed(input)).toEqual(first);
  });

  test("what cannot be embedded is refused, and a context does one thing or the other", () => {
    using embeds = open("last");
    using generates = open();
    expect(() => embeds.embed(new Int32Array())).toThrow("no tokens");
    expect(() => embeds.embed(tokens(UBATCH + 1))).toThrow(
      `an input of ${UBATCH + 1} tokens; at most ${UBATCH}`,
    );
    expect(() => embeds.embed(Int32Array.of(-1))).toThrow("there is no token -1");
    expect(() => embeds.embed(Int32Array.of(model.vocab.size))).toThrow("there is no token");
    expect(() => embeds.prefill(0, 0, tokens(2), true)).toThrow();
    expect(() => embeds.decode(Int32Array.of(0, 0, 1))).toThrow();
    expect(() => generates.embed(tokens(2))).toThrow("not opened to embed");
    expect(embeds.embed(tokens(UBATCH)).every(Number.isFinite)).toBe(true);
  });
});
