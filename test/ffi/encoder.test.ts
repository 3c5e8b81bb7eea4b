/** Encoders: their poolings and ranks against BERT worked out by hand, their word pieces, and what they refuse. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Context, type Pooling } from "../../ffi/Context.ts";
import { Model } from "../../ffi/Model.ts";
import { rankProblem } from "../../ffi/rankProblem.ts";
import { hiddenByHand, scoreByHand } from "../support/tinyModels/bertByHand.ts";
import { CLS, ENCODER, SEP, type TinyEncoder, tinyEncoder } from "../support/tinyModels/tinyEncoder.ts";
import { openBackend, openTiny, someTokens } from "./rig.ts";

const backend = openBackend();
/** Flash attention and GELU work in sixteen bits. */
const NEAR = 5e-3;

describe.skipIf(backend === null)("a BERT", () => {
  let encoder: TinyEncoder;
  let model: Model;
  beforeAll(async () => {
    encoder = await tinyEncoder({ pooling: "mean", head: true });
    if (backend !== null) model = Model.load(backend, { path: encoder.path });
  });
  afterAll(async () => {
    model.close();
    await encoder[Symbol.asyncDispose]();
  });

  const open = (pooling: Pooling): Context =>
    Context.open(model, { ctxTokens: 256, sequences: 1, ubatch: 256, threads: 1, pooling });
  const tokens = (count: number, seed = 1): Int32Array => someTokens(model.vocab.size, count, seed);
  const expectNear = (seen: ArrayLike<number>, wanted: readonly number[]): void => {
    expect(seen.length).toBe(wanted.length);
    const most = Math.max(...wanted.map(Math.abs));
    for (const [i, value] of wanted.entries())
      expect(Math.abs((seen[i] ?? Number.NaN) - value) / most).toBeLessThan(NEAR);
  };

  test.each([1, 2, 7, 40])("of %i tokens gives what its definition gives, by each pooling", (count) => {
    const input = tokens(count);
    const rows = hiddenByHand(encoder, [...input]);
    const mean = Array.from(
      { length: ENCODER.size },
      (_, i) => rows.reduce((a, row) => a + (row[i] ?? 0), 0) / count,
    );
    using none = open("none");
    expectNear(none.embed(input), rows.flat());
    for (const [pooling, wanted] of [
      ["mean", mean],
      ["cls", rows[0]],
      ["last", rows.at(-1)],
    ] as const) {
      using context = open(pooling);
      expectNear(context.embed(input), wanted ?? []);
    }
    using rank = open("rank");
    expectNear(rank.embed(input), [scoreByHand(encoder, [...input])]);
  });

  test("the same tokens give the same bits, whatever was embedded before", () => {
    for (const pooling of ["none", "mean", "rank"] as const) {
      using context = open(pooling);
      const first = context.embed(tokens(20));
      expect(context.embed(tokens(ENCODER.positions, 2))).not.toEqual(first);
      expect(context.embed(tokens(20))).toEqual(first);
      using fresh = open(pooling);
      expect(fresh.embed(tokens(20))).toEqual(first);
    }
  });

  test("no input is longer than its table of positions, which llama.cpp would end the process for", () => {
    using context = open("mean");
    expect(context.embedTokens).toBe(ENCODER.positions);
    expect(context.embed(tokens(ENCODER.positions)).every(Number.isFinite)).toBe(true);
    expect(() => context.embed(tokens(ENCODER.positions + 1))).toThrow(
      `an input of ${ENCODER.positions + 1} tokens; at most ${ENCODER.positions} fit`,
    );
    expect(() => context.embed(new Int32Array())).toThrow("no tokens");
    expect(() => context.embed(Int32Array.of(model.vocab.size))).toThrow("there is no token");
  });

  test("it generates nothing, and has no sequences", () => {
    expect([model.isEncoder, model.isCausal]).toEqual([true, false]);
    expect(() => Context.open(model, { ctxTokens: 64, sequences: 1, ubatch: 64, threads: 1 })).toThrow(
      "is no model that generates text",
    );
    using context = open("mean");
    expect(() => context.prefill(0, 0, tokens(2), true)).toThrow();
    expect(() => context.decode(Int32Array.of(0, 0, 1))).toThrow();
    expect(() => context.truncate(0, 0)).toThrow();
    expect(() => context.clear(0)).toThrow();
    expect(() => context.copy(0, 0)).toThrow();
    expect(() => context.stateSize(0, false)).toThrow();
    expect(() => context.save(0, true)).toThrow();
    expect(() => context.restore(0, false, new Uint8Array(64))).toThrow();
    expect(() => context.first(0)).toThrow();
    expect(() => context.last(0)).toThrow();
    expect(() => context.logits(0)).toThrow();
  });

  test("word pieces stand between BOS and SEP", () => {
    const { vocab } = model;
    const id = (piece: string): number => encoder.vocabulary.indexOf(piece);
    expect([vocab.addBos, vocab.bos, vocab.addSep, vocab.sep, vocab.end, vocab.eos]).toEqual([
      true,
      CLS,
      true,
      SEP,
      SEP,
      -1,
    ]);
    expect([...vocab.tokenise("The tea, lits [SEP]", false)]).toEqual(
      ["\u2581the", "\u2581tea", "\u2581,", "\u2581lit", "s", "\u2581[", "\u2581s", "e", "p", "\u2581]"].map(
        (piece) => (piece === "s" ? encoder.vocabulary.lastIndexOf("s") : id(piece)),
      ),
    );
    expect([...vocab.tokenise("tea [SEP]", true)]).toEqual([id("\u2581tea"), SEP]);
    expect([...vocab.tokenise("\u4e16", false)]).toEqual([1]);
  });

  test("ranks where all that it takes is there", async () => {
    expect(rankProblem(model)).toBeNull();
    if (backend === null) return;
    for (const [options, says] of [
      [{}, "no classification head (cls.output.weight)"],
      [{ head: true, without: "bos" }, "no BOS token"],
      [{ head: true, without: "sep" }, "no SEP token"],
    ] as const) {
      await using other = await tinyEncoder(options);
      using loaded = Model.load(backend, { path: other.path });
      expect(rankProblem(loaded)).toContain(says);
    }
    using generates = await openTiny(backend, "gemma3");
    expect(rankProblem(generates)).toContain("no classification head of gemma3 models");
    using headless = await openTiny(backend, "qwen3");
    expect(rankProblem(headless)).toContain("it has no classification head");
  });
});
