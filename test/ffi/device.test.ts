/**
 * The real device on a small true model of every memory kind: what is saved, restored, copied and truncated
 * gives the bits of a run that did nothing of it. A sliding window only where every run saves and restores at
 * the same places, which is why trips belong to the plan.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Model } from "../../ffi/Model.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import { DeviceError } from "../../src/run/Device.ts";
import { TINY_KINDS } from "../support/tinyModels/tinyModel.ts";
import { GREEDY, openBackend, openTiny, someTokens } from "./rig.ts";

const backend = openBackend();
const TOKENS = 640;
const CHUNK = 48;
const CUT = 336;
const OPTIONS = { lanes: 2, spares: 2, context: { ctxTokens: 768, ubatch: 64, threads: 1 } } as const;
const MEMORY = {
  qwen3: "dense",
  qwen35: "hybrid",
  lfm2: "hybrid",
  gemma3: "window",
  mamba2: "recurrent",
} as const;

describe.skipIf(backend === null).each(TINY_KINDS.map((kind) => [kind] as const))("%s", (kind) => {
  let model: Model;
  let tokens: Int32Array;
  let other: Int32Array;
  const open: LlamaDevice[] = [];

  beforeAll(async () => {
    if (!backend) return;
    model = await openTiny(backend, kind);
    tokens = someTokens(model.vocab.size, TOKENS, 1);
    other = someTokens(model.vocab.size, TOKENS, 2);
  });
  afterAll(() => {
    for (const device of open) device[Symbol.dispose]();
    model.close();
  });

  function device(): LlamaDevice {
    const one = LlamaDevice.on(model, OPTIONS);
    open.push(one);
    return one;
  }

  /** Prefills in chunks and chains the hash of each chunk's logits. `trip` saves and restores at the cut. */
  function run(on: LlamaDevice, seq: number, what: Int32Array, from: number, to: number): string {
    let hash = 0n;
    for (let pos = from; pos < to; pos += CHUNK) {
      on.prefill(seq, pos, what.subarray(pos, Math.min(pos + CHUNK, to)), true);
      hash = on.hashLogits(0, hash);
    }
    return hash.toString(16);
  }

  /** The head, and on a sliding window the trip that every run takes at the cut. */
  function head(on: LlamaDevice, seq: number): void {
    run(on, seq, tokens, 0, CUT);
    if (on.memory === "window") expect(on.restore(seq, "full", on.save(seq, "full"))).toBe(true);
  }

  function cold(): string {
    const on = device();
    head(on, 0);
    return run(on, 0, tokens, CUT, TOKENS);
  }

  test("its memory kind, and its end tokens", () => {
    const on = device();
    expect(on.memory).toBe(MEMORY[kind]);
    expect(on.ctxTokens).toBe(768);
    expect(on.copyIsDeferred).toBe(true);
    expect(on.isEnd(model.vocab.eot >= 0 ? model.vocab.eot : model.vocab.eos)).toBe(true);
  });

  test("another sequence, full restores into clean and dirty sequences and another context: equal bits", () => {
    const expected = cold();
    const on = device();
    run(on, 2, other, 0, TOKENS);
    head(on, 1);
    const full = on.save(1, "full");
    expect(full.length).toBe(on.saveSize(1, "full"));
    expect(run(on, 1, tokens, CUT, TOKENS)).toBe(expected);
    for (const seq of [1, 2, 3]) {
      expect(on.restore(seq, "full", full)).toBe(true);
      expect(on.context.last(seq)).toBe(CUT - 1);
      expect(run(on, seq, tokens, CUT, TOKENS)).toBe(expected);
    }
    const elsewhere = device();
    expect(elsewhere.restore(0, "full", full)).toBe(true);
    expect(run(elsewhere, 0, tokens, CUT, TOKENS)).toBe(expected);
  });

  test("rolled back: truncated where the memory can, from a partial snapshot where it cannot", () => {
    const expected = cold();
    const on = device();
    head(on, 0);
    const partial = on.save(0, "partial");
    expect(partial.length).toBe(on.saveSize(0, "partial"));
    run(on, 0, tokens, CUT, TOKENS);
    if (on.memory !== "dense") {
      if (on.memory !== "window") expect(on.truncate(0, CUT)).toBe(false);
      expect(on.restore(0, "partial", partial)).toBe(true);
    }
    expect(on.truncate(0, CUT)).toBe(true);
    expect(on.context.last(0)).toBe(CUT - 1);
    expect(run(on, 0, tokens, CUT, TOKENS)).toBe(expected);
  });

  test("rows taken out of a state, and put together again: the same bytes in every sequence, equal bits", () => {
    const expected = cold();
    const on = device();
    run(on, 3, other, 0, TOKENS);
    head(on, 1);
    const partial = on.memory === "dense" ? null : on.save(1, "partial");
    using saved = on.saveState(1);
    const whole = Buffer.concat(saved.whole());
    expect(whole.equals(on.save(1, "full"))).toBe(true);
    const cuts = [0, 5, 70, CUT];
    expect(saved.tokens).toBe(on.memory === "recurrent" ? 0 : CUT);
    if (saved.rowBytes === 0) return;
    const rows = saved.rows(cuts);
    expect(rows.map(({ length }) => length)).toEqual(
      [5, 65, CUT - 70].map((count) => count * saved.rowBytes),
    );
    expect(run(on, 1, tokens, CUT, TOKENS)).toBe(expected);
    for (const fresh of [on, device()]) {
      for (const seq of [3, 1]) {
        expect(fresh.restoreRows(seq, rows, partial)).toBe(true);
        using again = fresh.saveState(seq);
        expect(again.bytes).toBe(whole.length);
        expect(again.rows(cuts).map((bytes) => Bun.hash(bytes))).toEqual(
          rows.map((bytes) => Bun.hash(bytes)),
        );
        expect(run(fresh, seq, tokens, CUT, TOKENS)).toBe(expected);
      }
    }
  });

  test("rows that do not fit are refused", () => {
    const on = device();
    head(on, 1);
    const partial = on.memory === "dense" ? null : on.save(1, "partial");
    using saved = on.saveState(1);
    const rows = saved.rowBytes > 0 ? saved.rows([0, CUT]) : [new Uint8Array(64)];
    expect(on.restoreRows(0, [], partial)).toBe(false);
    expect(
      on.restoreRows(
        0,
        rows.map((piece) => piece.subarray(1)),
        partial,
      ),
    ).toBe(false);
    expect(on.restoreRows(0, rows, partial === null ? new Uint8Array(64) : null)).toBe(false);
  });

  test("a copy and its source both go on with equal bits, once the copy was carried out", () => {
    const expected = cold();
    const on = device();
    run(on, 3, other, 0, CUT);
    head(on, 0);
    on.copy(0, 3);
    expect(run(on, 3, tokens, CUT, TOKENS)).toBe(expected);
    expect(run(on, 0, tokens, CUT, TOKENS)).toBe(expected);
  });

  test("bytes that do not fit leave an empty sequence and a device that works", () => {
    const expected = cold();
    const on = device();
    head(on, 0);
    const full = on.save(0, "full");
    for (const bytes of [
      full.slice(0, 100),
      new Uint8Array(0),
      new Uint8Array(64).fill(255),
      full.slice(0, -8),
    ]) {
      expect(on.restore(1, "full", bytes)).toBe(false);
      expect(on.context.last(1)).toBe(-1);
    }
    expect(on.restore(1, "full", full)).toBe(true);
    expect(run(on, 1, tokens, CUT, TOKENS)).toBe(expected);
  });

  test("a step of several sequences: each row's logits are its own", () => {
    const on = device();
    for (const seq of [0, 1]) on.prefill(seq, 0, tokens.subarray(seq * 10, seq * 10 + 10), false);
    on.decode([
      { seq: 0, pos: 10, token: 3 },
      { seq: 1, pos: 10, token: 3 },
    ]);
    expect(on.hashLogits(0, 0n)).not.toBe(on.hashLogits(1, 0n));
    using sampler = on.sampler(GREEDY, new Int32Array(0));
    expect(sampler.sample(1)).toHaveProperty("token");
    expect(() => on.hashLogits(2, 0n)).toThrow(DeviceError);
    on.prefill(0, 11, tokens.subarray(0, 4), false);
    expect(() => sampler.sample(0)).toThrow(DeviceError);
  });

  test("what is wrong is a DeviceError with its code", () => {
    const on = device();
    expect(() => on.prefill(0, 5, tokens.subarray(0, 4), true)).toThrow(DeviceError);
    try {
      on.sampler({ ...GREEDY, grammar: "root" }, new Int32Array(0));
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "grammar-invalid" });
    }
  });
});
