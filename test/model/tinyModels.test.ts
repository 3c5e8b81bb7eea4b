/**
 * The tiny models are what the other model tests believe in: each loads, has the memory that it stands for,
 * speaks differently to different prompts, and has logits that show when a state is not the right one.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Backend } from "../../ffi/Backend.ts";
import { Context } from "../../ffi/Context.ts";
import { Model } from "../../ffi/Model.ts";
import { Sampler } from "../../ffi/Sampler.ts";
import type { Sampling } from "../../src/run/RunSpec.ts";
import { GREEDY } from "../support/sampling.ts";
import { Prng } from "../support/tinyModels/Prng.ts";
import { TINY_KINDS, type TinyModel, tinyModel } from "../support/tinyModels/tinyModel.ts";

const PROMPT_TOKENS = 700;
const UBATCH = 128;
/** Cut positions; the window model takes its trips at every second one. */
const CUTS = [64, 150, 200, 320, 448, 570, 680];
const TRIPS = [150, 320, 570];
const KEPT = 320;
const NORMAL_TOKENS = 570;

function randomTokens(seed: string, count: number): Int32Array {
  const random = new Prng(seed);
  return Int32Array.from({ length: count }, () => random.next() % NORMAL_TOKENS);
}

/** Bits of a row as text, so that a difference is one short line. */
function bits(context: Context): string {
  return Bun.hash.xxHash64(new Uint8Array(context.logits(0).buffer)).toString(16);
}

/** Evaluates `tokens[from …]` in chunks that end at the cuts; on a window model it takes the trips. */
function run(
  context: Context,
  seq: number,
  tokens: Int32Array,
  { from = 0, to = tokens.length, cuts = CUTS, trips = [] as readonly number[] } = {},
): string {
  const ends = [...cuts.filter((cut) => cut > from && cut < to), to];
  let at = from;
  for (const end of ends) {
    for (; at < end; at = Math.min(end, at + UBATCH)) {
      const stop = Math.min(end, at + UBATCH);
      context.prefill(seq, at, tokens.subarray(at, stop), stop === to);
    }
    if (trips.includes(end)) takeTrip(context, seq, end);
  }
  return bits(context);
}

function takeTrip(context: Context, seq: number, at: number): void {
  expect(context.restore(seq, true, context.save(seq, true))).toBe(true);
  expect(context.truncate(seq, at)).toBe(true);
}

function open(model: Model): Context {
  return Context.open(model, { ctxTokens: 1024, sequences: 3, ubatch: UBATCH, threads: 1 });
}

let backend: Backend;
beforeAll(() => {
  backend = Backend.open();
});
afterAll(() => backend.close());

for (const kind of TINY_KINDS) {
  describe(kind, () => {
    let tiny: TinyModel;
    let model: Model;
    let trips: readonly number[];
    const prompt = randomTokens("prompt", PROMPT_TOKENS);

    beforeAll(async () => {
      tiny = await tinyModel(kind);
      model = Model.load(backend, { path: tiny.path, gpuLayers: 0 });
      trips = tiny.memory === "window" ? TRIPS : [];
    });
    afterAll(() => model.close());

    test("has the memory, the template and the tokens that it says", () => {
      expect(model.isHybrid).toBe(tiny.memory === "hybrid");
      expect(model.isRecurrent).toBe(tiny.memory === "recurrent");
      expect(model.window).toBe(tiny.window ?? 0);
      expect(model.ctxTrain).toBeGreaterThanOrEqual(4096);
      expect(model.chatTemplate()).toBe(tiny.template);
      const { vocab } = model;
      const ids = new Map(vocab.specials.map((special) => [special.text, special]));
      expect(vocab.bos).toBe(ids.get(tiny.bosToken)?.id ?? -1);
      expect(vocab.eos).toBe(ids.get(tiny.eosToken)?.id ?? -1);
      expect(vocab.isEnd(vocab.eos)).toBe(true);
      expect(vocab.addBos).toBe(tiny.template.includes("bos_token"));
      expect(ids.get("<think>")?.kind).toBe("user-defined");
      expect(ids.get("[INST]")?.kind).toBe("control");
    });

    test("takes any text apart and together again, tags whole and control tokens only where asked", () => {
      const { vocab } = model;
      const text = "a<think>é 😀<|im_start|>\n\n\tweather";
      for (const special of [true, false]) {
        const pieces: Uint8Array[] = [];
        const named: string[] = [];
        for (const token of vocab.tokenise(text, special)) {
          pieces.push(vocab.piece(token));
          named.push(vocab.text(token));
        }
        expect(Buffer.concat(pieces).toString()).toBe(text);
        expect(named).toContain("<think>");
        expect(named.includes("<|im_start|>")).toBe(special);
      }
    });

    test("gives finite logits; the same plan gives the same bits, in any sequence and context", () => {
      using context = open(model);
      const cold = run(context, 0, prompt, { trips });
      const logits = context.logits(0);
      expect(logits.every(Number.isFinite)).toBe(true);
      expect(Math.max(...logits) - Math.min(...logits)).toBeGreaterThan(5);
      expect(run(context, 2, prompt, { trips })).toBe(cold);
      context.clear(2);
      expect(run(context, 2, prompt, { trips })).toBe(cold);
      using other = open(model);
      expect(run(other, 1, prompt, { trips })).toBe(cold);
    });

    // The recurrence of mamba2 goes token by token, so no cut can show in its bits.
    test.if(kind !== "mamba2")("another cut, and a missing trip, give other bits", () => {
      using context = open(model);
      const cold = run(context, 0, prompt, { trips });
      expect(run(context, 1, prompt, { trips, cuts: [48, ...CUTS.slice(1)] })).not.toBe(cold);
      if (trips.length > 0) expect(run(context, 2, prompt)).not.toBe(cold);
    });

    test("a partial snapshot and then a truncation resume bit for bit; truncation alone does not", () => {
      using context = open(model);
      run(context, 0, prompt, { to: KEPT, trips });
      const snapshot = context.save(0, true);
      const full = context.save(0, false);
      const cold = run(context, 0, prompt, { from: KEPT, trips });
      // A window says that it was truncated, but the rows before that place were overwritten long ago.
      expect(context.truncate(0, KEPT)).toBe(tiny.memory === "dense" || tiny.memory === "window");
      expect(context.last(0) === KEPT - 1).toBe(tiny.memory === "dense");
      expect(context.restore(0, true, snapshot)).toBe(true);
      expect(context.truncate(0, KEPT)).toBe(true);
      expect(run(context, 0, prompt, { from: KEPT, trips })).toBe(cold);
      // A full save goes anywhere, also over another prompt's rows.
      run(context, 1, randomTokens("dirt", 500));
      expect(context.restore(1, false, full)).toBe(true);
      expect(run(context, 1, prompt, { from: KEPT, trips })).toBe(cold);
    });

    test("greedy replies follow the prompt, in words and without an end", () => {
      using context = open(model);
      const replies = new Set<string>();
      for (const [seq, seed] of ["one", "two", "three"].entries()) {
        const start = randomTokens(seed, 120);
        context.prefill(seq, 0, start, true);
        const reply = decode(context, seq, start.length, 24, GREEDY);
        expect(new Set(reply).size).toBeGreaterThan(4);
        expect(reply.some((token) => model.vocab.isControl(token))).toBe(false);
        replies.add(reply.join(" "));
      }
      expect(replies.size).toBe(3);
    });

    test("a grammar makes it think and call, with each tag as its one token", () => {
      const grammar = String.raw`root ::= "<think>\n" [a-z ]{8,30} "\n</think>\n\n<tool_call>\n{\"name\": \"" [a-z]{3,9} "\"}\n</tool_call>"`;
      using context = open(model);
      context.prefill(0, 0, prompt.subarray(0, 100), true);
      const { vocab } = model;
      const reply = decode(context, 0, 100, 120, { ...GREEDY, grammar });
      const text = Buffer.concat(reply.map((token) => vocab.piece(token))).toString();
      expect(text).toMatch(
        /^<think>\n[a-z ]{8,30}\n<\/think>\n\n<tool_call>\n\{"name": "[a-z]{3,9}"\}\n<\/tool_call>$/,
      );
      const names = reply.map((token) => vocab.text(token)).filter((name) => /^<.*>$/.test(name));
      expect(names).toEqual(["<think>", "</think>", "<tool_call>", "</tool_call>"]);
    });
  });
}

/** Decodes up to `count` tokens, or to the end token, which is not given back. */
function decode(context: Context, seq: number, from: number, count: number, sampling: Sampling): number[] {
  using sampler = Sampler.open(context, sampling);
  const reply: number[] = [];
  while (reply.length < count) {
    const sampled = sampler.sample(0);
    if ("deadEnd" in sampled) throw new Error(sampled.deadEnd);
    if (context.model.vocab.isEnd(sampled.token)) break;
    context.decode(Int32Array.of(seq, from + reply.length, sampled.token));
    reply.push(sampled.token);
  }
  return reply;
}
