/** Each architecture that embeds: its poolings are those of its tokens, its head that of its pooled state. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Context, type Pooling } from "../../ffi/Context.ts";
import { Model } from "../../ffi/Model.ts";
import { rankProblem } from "../../ffi/rankProblem.ts";
import {
  ENCODER_KINDS,
  type EncoderKindName,
  makeEncoder,
  SIZE,
} from "../support/tinyModels/encoderKinds.ts";
import { openBackend, someTokens } from "./rig.ts";

const backend = openBackend();
const KINDS = Object.keys(ENCODER_KINDS) as EncoderKindName[];
const UBATCH = 64;

type Row = readonly number[];
const dot = (a: Row, b: Row): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

describe.skipIf(backend === null).each(KINDS)("%s", (name) => {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-kind-"));
  const path = join(folder, `${name}.gguf`);
  const { bytes, tensors } = makeEncoder(name);
  let model: Model;
  beforeAll(() => {
    writeFileSync(path, bytes);
    if (backend !== null) model = Model.load(backend, { path });
  });
  afterAll(() => {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const embed = (pooling: Pooling, ...inputs: readonly Int32Array[]): Row[] => {
    using context = Context.open(model, {
      ctxTokens: 256,
      sequences: 1,
      ubatch: UBATCH,
      threads: 1,
      flashAttention: "auto",
      pooling,
    });
    return inputs.map((input) => [...context.embed(input)]);
  };
  const tokens = (count: number, seed = 1): Int32Array => someTokens(model.vocab.size, count, seed);
  const rowsOf = (input: Int32Array): Row[] => {
    const [all = []] = embed("none", input);
    return Array.from(input, (_, i) => all.slice(i * SIZE, (i + 1) * SIZE));
  };
  const expectNear = (seen: Row | undefined, wanted: Row): void => {
    const most = Math.max(...wanted.map(Math.abs));
    expect(seen?.length).toBe(wanted.length);
    for (const [i, value] of wanted.entries())
      expect(Math.abs((seen?.[i] ?? Number.NaN) - value) / most).toBeLessThan(5e-3);
  };
  /** `weight` of `nIn` to as many as its rows. */
  const linear = (tensor: string, row: Row): Row => {
    const weight = tensors.get(`${tensor}.weight`) ?? new Float32Array();
    const bias = tensors.get(`${tensor}.bias`);
    return Array.from({ length: weight.length / row.length }, (_, out) => {
      const of = [...weight.subarray(out * row.length, (out + 1) * row.length)];
      return dot(row, of) + (bias?.[out] ?? 0);
    });
  };

  test("poolings are those of its tokens, which all see one another", () => {
    expect([model.isEncoder, model.isCausal]).toEqual([true, false]);
    const input = tokens(21);
    const rows = rowsOf(input);
    const mean = Array.from(
      { length: SIZE },
      (_, i) => rows.reduce((sum, row) => sum + (row[i] ?? 0), 0) / 21,
    );
    expectNear(embed("mean", input)[0], mean);
    expectNear(embed("cls", input)[0], rows[0] ?? []);
    expectNear(embed("last", input)[0], rows[20] ?? []);
    const other = Int32Array.from(input);
    other[5] = (other[5] ?? 0) === 1 ? 2 : 1;
    expect(rowsOf(other)[0]).not.toEqual(rows[0] ?? []);
  });

  test("the same tokens give the same bits, whatever was embedded before", () => {
    const [first, full, again] = embed("mean", tokens(21), tokens(UBATCH, 2), tokens(21));
    expect(again).toEqual(first ?? []);
    expect(full?.every(Number.isFinite)).toBe(true);
  });

  test("ranks by its head, or is known not to", () => {
    const input = tokens(21);
    const rows = rowsOf(input);
    const [first = []] = rows;
    if (name === "jina-bert-v2") {
      expectNear(embed("rank", input)[0], linear("cls", first).map(Math.tanh));
    } else if (name === "neo-bert") {
      expectNear(embed("rank", input)[0], linear("cls.output", linear("cls", first).map(Math.tanh)));
    } else if (name === "modern-bert") {
      const [mean = []] = embed("mean", input);
      const hidden = linear("cls", mean).map(
        (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
      );
      const middle = hidden.reduce((a, b) => a + b, 0) / SIZE;
      const deviation = Math.sqrt(hidden.reduce((a, b) => a + (b - middle) ** 2, 0) / SIZE + 1e-6);
      const norm = tensors.get("cls.norm.weight") ?? new Float32Array();
      const normed = hidden.map((x, i) => ((x - middle) / deviation) * (norm[i] ?? 0));
      const [seen = []] = embed("rank", input);
      expect(seen).toHaveLength(1);
      expect(seen[0]).toBeCloseTo(linear("cls.output", normed)[0] ?? Number.NaN, 1);
    } else {
      expect(rankProblem(model)).toContain(`no classification head of ${name} models`);
      return;
    }
    expect(rankProblem(model)).toBeNull();
  });
});
