/** Every wrong use is an error that says what was wrong; none ends the process, and none changes a state. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Backend } from "../../ffi/Backend.ts";
import { Context } from "../../ffi/Context.ts";
import { cString } from "../../ffi/cText.ts";
import { FfiError, type FfiErrorCode } from "../../ffi/FfiError.ts";
import { Model } from "../../ffi/Model.ts";
import { Sampler } from "../../ffi/Sampler.ts";
import { type SamplerRecipe, samplerRecipe } from "../../ffi/samplerRecipe.ts";
import { CODES, integers, ORDERS, type Shim } from "../../ffi/symbols.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { GREEDY, openBackend, openTiny } from "./rig.ts";

const backend = openBackend();

describe.skipIf(backend === null)("misuse", () => {
  let model: Model;
  let context: Context;
  const chunk = new Int32Array([1, 2, 3]);
  const options = { ctxTokens: 256, sequences: 2, ubatch: 16, threads: 1 };

  beforeAll(async () => {
    if (!backend) return;
    model = await openTiny(backend, "qwen3");
    context = Context.open(model, options);
    context.prefill(0, 0, chunk, true);
  });
  afterAll(() => {
    context.close();
    model.close();
  });

  const refused = (call: () => unknown, code: FfiErrorCode, words: string) => {
    let thrown: unknown;
    try {
      call();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(FfiError);
    if (!(thrown instanceof FfiError)) return;
    expect(thrown.message).toContain(words);
    expect(thrown.code).toBe(code);
  };

  const calls: [name: string, call: () => unknown, code: FfiErrorCode, words: string][] = [
    ["a sequence below 0", () => context.prefill(-1, 0, chunk, true), "range", "no sequence -1"],
    ["a sequence too high", () => context.prefill(2, 0, chunk, true), "range", "no sequence 2"],
    [
      "a position behind the end",
      () => context.prefill(0, 9, chunk, true),
      "range",
      "does not follow its last, 2",
    ],
    [
      "a position already held",
      () => context.prefill(0, 0, chunk, true),
      "range",
      "does not follow its last, 2",
    ],
    [
      "an empty sequence not from 0",
      () => context.prefill(1, 4, chunk, true),
      "range",
      "does not follow its last, -1",
    ],
    ["a token below 0", () => context.prefill(1, 0, new Int32Array([-1]), true), "range", "no token -1"],
    [
      "a token too high",
      () => context.prefill(1, 0, new Int32Array([1e6]), true),
      "range",
      "no token 1000000",
    ],
    ["no tokens", () => context.prefill(1, 0, new Int32Array(0), true), "range", "no tokens"],
    ["a chunk above n_ubatch", () => context.prefill(1, 0, new Int32Array(17), true), "range", "at most 16"],
    ["no rows", () => context.decode(new Int32Array(0)), "range", "rows"],
    ["half a row", () => context.decode(new Int32Array([0, 3])), "range", "rows"],
    ["a sequence twice", () => context.decode(new Int32Array([0, 3, 1, 0, 3, 1])), "range", "twice"],
    ["a row out of place", () => context.decode(new Int32Array([0, 7, 1])), "range", "does not follow"],
    ["a row of no token", () => context.decode(new Int32Array([0, 3, -5])), "range", "no token -5"],
    ["logits that are not there", () => context.logits(1), "range", "row 1"],
    ["logits into a short array", () => context.logits(0, new Float32Array(3)), "range", "row 0"],
    ["truncating below 0", () => context.truncate(0, -2), "range", "truncate"],
    ["truncating no sequence", () => context.truncate(5, 0), "range", "sequence 5"],
    ["clearing no sequence", () => context.clear(-1), "range", "sequence -1"],
    ["copying to no sequence", () => context.copy(0, 2), "range", "to 2"],
    ["copying from no sequence", () => context.copy(2, 0), "range", "sequence 2"],
    ["saving no sequence", () => context.save(3, false), "range", "sequence 3"],
    ["restoring no sequence", () => context.restore(3, false, new Uint8Array(64)), "range", "sequence 3"],
    ["the end of no sequence", () => context.last(2), "range", "no sequence 2"],
    ["a token's bytes below 0", () => model.vocab.piece(-1), "range", "no token -1"],
    ["a token's bytes too high", () => model.vocab.piece(1e6), "range", "no token 1000000"],
    ["a token's text at a fraction", () => model.vocab.text(0.5), "range", "no token 0.5"],
    ["a NUL in a key", () => model.meta("a\0b"), "range", "NUL"],
    [
      "a temperature that is none",
      () => Sampler.open(context, { ...GREEDY, temperature: Number.NaN }),
      "range",
      "temperature",
    ],
    [
      "a repeat penalty of 0",
      () => Sampler.open(context, { ...GREEDY, repeatPenalty: 0 }),
      "range",
      "repeat_penalty",
    ],
    [
      "a bias of no token",
      () => Sampler.open(context, { ...GREEDY, logitBias: [{ token: 1e6, bias: 1 }] }),
      "range",
      "logit_bias",
    ],
    [
      "an infinite bias",
      () => Sampler.open(context, { ...GREEDY, logitBias: [{ token: 1, bias: Infinity }] }),
      "range",
      "logit_bias",
    ],
    [
      "a history of no token",
      () => Sampler.open(context, GREEDY, new Int32Array([-3])),
      "range",
      "out of range",
    ],
    ["no sequences", () => Context.open(model, { ...options, sequences: 0 }), "range", "sequences is 0"],
    ["no threads", () => Context.open(model, { ...options, threads: 0 }), "range", "threads is 0"],
    [
      "a context of no tokens",
      () => Context.open(model, { ...options, ctxTokens: 0 }),
      "range",
      "ctx-size is 0",
    ],
    [
      "a batch below n_ubatch",
      () => Context.open(model, { ...options, batch: 8 }),
      "range",
      "batch-size is 8",
    ],
    [
      "a cache type that does not divide a head",
      () =>
        Context.open(model, { ...options, cacheTypeK: "q8_0", cacheTypeV: "q8_0", flashAttention: false }),
      "failed",
      "flash_attn",
    ],
  ];
  test.each(calls)("%s", (_, call, code, words) => refused(call, code, words));

  test("a full context is refused, and goes on after it is emptied", () => {
    using full = Context.open(model, { ...options, ubatch: 128 });
    const half = new Int32Array(128).fill(5);
    full.prefill(0, 0, half, false);
    full.prefill(0, 128, half, true);
    refused(() => full.decode(new Int32Array([0, 256, 1])), "range", "more than the context's 256");
    refused(() => full.prefill(0, 256, chunk, true), "range", "more than the context's 256");
    full.clear(0);
    full.prefill(0, 0, chunk, true);
    expect(full.last(0)).toBe(2);
  });

  test("after all this the context holds what it held", () => {
    expect(context.last(0)).toBe(2);
    expect(context.last(1)).toBe(-1);
    context.decode(new Int32Array([0, 3, 1]));
    context.truncate(0, 3);
  });

  test("a parent with live children refuses to close; closing twice is nothing; use after close is an error", async () => {
    if (!backend) return;
    const own = await openTiny(backend, "qwen3");
    const child = Context.open(own, options);
    const sampler = Sampler.open(child, GREEDY);
    refused(() => own.close(), "busy", "the model still has 1 open child");
    refused(() => child.close(), "busy", "the context still has 1 open child");
    refused(() => backend.close(), "busy", "the backend still has");
    sampler.close();
    sampler.close();
    refused(() => sampler.sample(0), "closed", "the sampler is closed");
    child.close();
    child.close();
    for (const call of [
      () => child.last(0),
      () => child.prefill(0, 0, chunk, true),
      () => child.save(0, true),
    ]) {
      refused(call, "closed", "the context is closed");
    }
    refused(() => Sampler.open(child, GREEDY), "closed", "the context is closed");
    const { vocab } = own;
    own.close();
    for (const call of [() => own.bytes, () => own.vocab, () => vocab.bos, () => vocab.tokenise("a", true)]) {
      refused(call, "closed", "the model is closed");
    }
    refused(() => Context.open(own, options), "closed", "the model is closed");
  });

  test("a closed backend opens nothing, and another one still does", async () => {
    const other = Backend.open();
    other.close();
    const { path } = await tinyModel("qwen3");
    refused(() => Model.load(other, { path }), "closed", "the backend is closed");
    refused(() => other.devices(), "closed", "the backend is closed");
  });

  test("a model for its vocabulary only tokenises and opens no context", async () => {
    if (!backend) return;
    using vocab = Model.load(backend, { path: (await tinyModel("qwen3")).path, vocabOnly: true });
    expect(vocab.vocab.tokenise("hello", true).length).toBeGreaterThan(0);
    refused(() => Context.open(vocab, options), "range", "vocabulary only");
  });

  test("load options out of range", async () => {
    if (!backend) return;
    const { path } = await tinyModel("qwen3");
    const load = (more: object) => () => Model.load(backend, { path, ...more });
    refused(
      load({ overrideTensor: [{ pattern: "x", bufferType: "NoSuch" }] }),
      "range",
      "--override-tensor places x in NoSuch",
    );
    refused(load({ overrideTensor: [{ pattern: "(", bufferType: "CPU" }] }), "failed", "Cannot load");
    refused(load({ tensorSplit: [-1] }), "range", "tensor split");
    Model.load(backend, {
      path,
      overrideTensor: [{ pattern: "ffn", bufferType: "CPU" }],
      nCpuMoe: 2,
    }).close();
  });

  describe("the shim alone", () => {
    const shim = (): Shim => context.native().shim;

    test("handles that are closed, foreign, of another kind or made up are refused", () => {
      const s = shim();
      const { id: contextId } = context.native();
      const { id: modelId } = model.native();
      using closed = Sampler.open(context, GREEDY);
      closed.close();
      const bad = [-1, 0, 1, 12345, 2 ** 31 - 1, contextId + 1, contextId ^ (1 << 10)];
      const text = new Uint8Array(8);
      const numbers = new Int32Array(16);
      for (const id of [...bad, contextId]) {
        expect(s.wt_model_free(id)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_model_number(id, 0)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_vocab_text(id, 0, text, 8)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_tokenise(id, text, 1, numbers, 16, 1)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_sampler_free(id)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_sampler_choose(id, 0, text, 0)).toBe(CODES.WT_BAD_HANDLE);
      }
      for (const id of [...bad, modelId]) {
        expect(s.wt_context_free(id)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_prefill(id, 0, 0, chunk, 3, 1, 3)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_decode(id, numbers, 1)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_seq_truncate(id, 0, 0)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_state_size(id, 0, 0)).toBe(CODES.WT_BAD_HANDLE);
        expect(s.wt_logits(id, 0, new Float32Array(1), 1)).toBe(CODES.WT_BAD_HANDLE);
      }
    });

    test("live children are counted natively too", () => {
      expect(shim().wt_model_free(model.native().id)).toBe(CODES.WT_BUSY);
      using sampler = Sampler.open(context, GREEDY);
      expect(shim().wt_context_free(context.native().id)).toBe(CODES.WT_BUSY);
      expect(sampler.isOpen).toBe(true);
    });

    test("numbers out of range are refused before the library sees them", () => {
      const s = shim();
      const { id } = context.native();
      const load = {
        WT_LOAD_VOCAB_ONLY: 0,
        WT_LOAD_GPU_LAYERS: 0,
        WT_LOAD_SPLIT_MODE: 9,
        WT_LOAD_MODE: 0,
        WT_LOAD_MAIN_GPU: 0,
        WT_LOAD_SPLITS: 0,
        WT_LOAD_OVERRIDES: 0,
      };
      const text = cString("x");
      expect(
        s.wt_model_load(text, integers("load", load), new Float32Array(1), text, new Int32Array(1)),
      ).toBe(CODES.WT_RANGE);
      expect(s.wt_prefill(id, 0, 3, chunk, -1, 1, -1)).toBe(CODES.WT_RANGE);
      expect(s.wt_prefill(id, 0, 2 ** 31 - 1, chunk, 3, 1, 3)).toBe(CODES.WT_RANGE);
      expect(s.wt_prefill(id, 0, 0, chunk, 3, 1, 2)).toBe(CODES.WT_RANGE);
      expect(s.wt_prefill(id, 0, 0, chunk, 3, 1, 2 ** 31 - 1)).toBe(CODES.WT_RANGE);
      expect(s.wt_decode(id, new Int32Array(9), 3)).toBe(CODES.WT_RANGE);
      expect(s.wt_device_type(99)).toBe(CODES.WT_RANGE);
      expect(s.wt_context_number(id, 99)).toBe(CODES.WT_RANGE);
      const made = (change: (recipe: SamplerRecipe) => void) => {
        const recipe = samplerRecipe({ ...GREEDY, logitBias: [{ token: 1, bias: 0 }] }, 10, 10);
        change(recipe);
        const { biasTokens, biasValues, links, breakers } = recipe;
        return s.wt_sampler_new(id, recipe.integers, recipe.floats, biasTokens, biasValues, links, breakers);
      };
      const ANY = ["WT_SAMPLE_SEED", "WT_SAMPLE_IGNORE_EOS", "WT_SAMPLE_TOP_K"];
      expect(made(({ biasTokens }) => biasTokens.fill(-7))).toBe(CODES.WT_RANGE);
      expect(made(({ links }) => links.fill(99))).toBe(CODES.WT_RANGE);
      for (const [index, name] of ORDERS.sample.entries()) {
        if (ANY.includes(name)) continue;
        expect([name, made((recipe) => recipe.integers.fill(-1, index, index + 1))]).toEqual([
          name,
          CODES.WT_RANGE,
        ]);
      }
      const last = ORDERS.sample.indexOf("WT_SAMPLE_DRY_LAST");
      expect(made((recipe) => recipe.integers.fill(2 ** 30, last, last + 1))).toBe(CODES.WT_RANGE);
    });
  });
});
