/** Each link of the chain does what its name says, in the order that was asked for, the same for the same seed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Context } from "../../ffi/Context.ts";
import type { Model } from "../../ffi/Model.ts";
import { Sampler } from "../../ffi/Sampler.ts";
import type { Sampling } from "../../src/run/RunSpec.ts";
import { SAMPLER_NAMES } from "../../src/run/samplerSettings.ts";
import { GREEDY, openBackend, openTiny } from "./rig.ts";

const backend = openBackend();

describe.skipIf(backend === null)("samplers", () => {
  let model: Model;
  let context: Context;
  const prompt = new Int32Array([5, 6, 7, 8]);

  beforeAll(async () => {
    if (!backend) return;
    model = await openTiny(backend, "qwen3");
    context = Context.open(model, { ctxTokens: 256, sequences: 1, ubatch: 32, threads: 1 });
    context.prefill(0, 0, prompt, true);
  });
  afterAll(() => {
    context.close();
    model.close();
  });

  /** Choices from one and the same row, each of which the chain is told. */
  function choices(more: Partial<Sampling>, count = 8, history?: Int32Array): number[] {
    using sampler = Sampler.open(context, { ...GREEDY, ...more }, history);
    return Array.from({ length: count }, () => {
      const sampled = sampler.sample(0);
      return "deadEnd" in sampled ? -1 : sampled.token;
    });
  }

  const distinct = (tokens: readonly number[]) => new Set(tokens).size;
  const best = () => choices({}, 1)[0] ?? -1;
  const HOT = { temperature: 5, topK: 0, topP: 1, minP: 0 } as const;

  test("without a link that cuts, many tokens are chosen", () => {
    expect(distinct(choices(HOT, 20))).toBeGreaterThan(5);
  });

  test("top_n_sigma, typical_p, top_p, min_p and top_k each leave few", () => {
    expect(choices({ ...HOT, topNSigma: 1e-6 })).toEqual(Array(8).fill(best()));
    expect(distinct(choices({ ...HOT, typicalP: 0 }))).toBe(1);
    expect(choices({ ...HOT, topP: 0 })).toEqual(Array(8).fill(best()));
    expect(choices({ ...HOT, minP: 1 })).toEqual(Array(8).fill(best()));
    expect(choices({ ...HOT, topK: 1 })).toEqual(Array(8).fill(best()));
  });

  test("min_keep leaves that many", () => {
    expect(distinct(choices({ ...HOT, topP: 0, minKeep: 200 }, 20))).toBeGreaterThan(5);
    expect(distinct(choices({ ...HOT, minP: 1, minKeep: 200 }, 20))).toBeGreaterThan(5);
  });

  test("xtc drops the likeliest of those above its threshold", () => {
    const xtc = { xtcProbability: 1, xtcThreshold: 1e-4 };
    expect(choices({ ...xtc, topK: 5 }, 1)[0]).not.toBe(best());
    expect(choices({ ...xtc, topK: 5, xtcProbability: 0 }, 1)[0]).toBe(best());
  });

  test("a grammar's refusal is met with what xtc left", () => {
    const xtc = { temperature: 1, xtcProbability: 1, xtcThreshold: 1e-4 };
    const sampled = choices({ ...xtc, grammar: "root ::= [a-z]+" }, 3);
    const text = Buffer.concat(sampled.map((token) => model.vocab.piece(token))).toString();
    expect(text).toMatch(/^[a-z]+$/);
  });

  test("the order is the caller's", () => {
    const xtc = { xtcProbability: 1, xtcThreshold: 1e-4 };
    expect(choices({ ...xtc, samplers: ["temperature", "xtc"] }, 1)[0]).toBe(best());
    expect(choices({ ...xtc, samplers: ["xtc", "temperature"] }, 1)[0]).not.toBe(best());
    // A link that is not named does nothing, the temperature too.
    expect(distinct(choices({ ...HOT, temperature: 0, samplers: [] }, 20))).toBeGreaterThan(1);
    expect(distinct(choices({ ...HOT, topK: 1, samplers: ["temperature"] }, 20))).toBeGreaterThan(5);
  });

  test("DRY looks back on the history, up to a breaker", () => {
    const [a, b, c] = ["a", "b", "c"].map((text) => model.vocab.tokenise(text, false)[0] ?? -1);
    if (a === undefined || b === undefined || c === undefined) throw new Error("no letters");
    const history = Int32Array.of(a, b, c, a, b);
    const wanted = { logitBias: [{ token: c, bias: 1e3 }] };
    const dry = { ...wanted, dryMultiplier: 1e6, drySequenceBreakers: [] };
    expect(choices(wanted, 1, history)).toEqual([c]);
    expect(choices(dry, 1, history)).not.toEqual([c]);
    // A second sampler of the same settings is a clone: it has no history of the first.
    expect(choices(dry, 1)).toEqual([c]);
    expect(choices({ ...dry, drySequenceBreakers: ["b"] }, 1, history)).toEqual([c]);
    expect(choices({ ...dry, drySequenceBreakers: ["é\0x", "", "zz"] }, 1, history)).not.toEqual([c]);
    expect(choices({ ...dry, dryAllowedLength: 3 }, 1, history)).toEqual([c]);
    expect(choices({ ...dry, dryPenaltyLastN: 0 }, 1, history)).toEqual([c]);
    expect(choices({ ...dry, dryPenaltyLastN: 3 }, 1, history)).toEqual([c]);
    expect(choices({ ...dry, dryPenaltyLastN: -1 }, 1, history)).not.toEqual([c]);
    expect(choices({ ...dry, dryPenaltyLastN: 2 ** 31 - 1 }, 1, history)).not.toEqual([c]);
    // One of eight breakers after the other, and the first again, which is remembered or made anew.
    for (const letter of ["b", ..."defghijk", "b", "k", "b"]) {
      const kept = choices({ ...dry, drySequenceBreakers: [letter] }, 1, history)[0] === c;
      expect([letter, kept]).toEqual([letter, letter === "b"]);
    }
    // Without penalties the look back is DRY's own.
    expect(choices({ ...dry, repeatLastN: 0 }, 1, history)).not.toEqual([c]);
  });

  test("infill: the likelier of two that go on alike takes the other's share, an unlikely one ends the reply", () => {
    const { vocab } = model;
    const text = (token: number) => Buffer.from(vocab.piece(token)).toString("latin1");
    const tokens = [...Array(vocab.size).keys()].filter(
      (token) => !vocab.isControl(token) && text(token) !== "",
    );
    const pair = tokens.flatMap((short) => {
      const long = tokens.find((other) => other !== short && text(other).startsWith(text(short)));
      return long === undefined ? [] : [[short, long] as const];
    })[0];
    if (pair === undefined) throw new Error("no token begins another");
    const [short, long] = pair;
    const logits = context.logits(0);
    /** Brings tokens to a logit that only those named have near the top. */
    const at = (token: number, logit: number) => ({ token, bias: logit - (logits[token] ?? 0) });
    const infill: Partial<Sampling> = {
      ...HOT,
      temperature: 1,
      topK: 40,
      samplers: ["top_k", "infill", "temperature"],
    };
    const shares = (logitBias: readonly { token: number; bias: number }[]) => {
      using sampler = Sampler.open(context, { ...GREEDY, ...infill, logitBias });
      const sampled = sampler.sample(0);
      if ("deadEnd" in sampled) throw new Error(sampled.deadEnd);
      return sampler.probs(sampled.token, 5).top.map(({ token }) => token);
    };
    // The long one is likelier: it alone is left.
    expect(shares([at(short, 100), at(long, 101)])).toEqual([long]);
    expect(shares([at(short, 101), at(long, 100)])).toEqual([short]);
    // Many alike: none has a fifth.
    const alike = tokens.filter((token) => text(token).length === 1).slice(0, 20);
    expect(shares(alike.map((token) => at(token, 100)))).toEqual([vocab.eot]);
    // An end among them outweighs the rest.
    expect(shares([at(short, 100), at(vocab.eos, 99)])).toEqual([vocab.eos]);
    const greedy = { ...infill, temperature: 0, logitBias: alike.map((token) => at(token, 100)) };
    expect(choices(greedy, 1)).toEqual([vocab.eot]);
  });

  test("infill is refused where llama.cpp would take minutes a token, and with a grammar", () => {
    for (const more of [
      { samplers: ["infill"] },
      { samplers: ["infill", "top_k"], topK: 40 },
      { samplers: ["top_k", "infill"], topK: 0 },
      { samplers: ["top_k", "infill"], topK: 257 },
    ] as const) {
      expect(() => choices(more)).toThrow("infill compares all candidates with one another");
    }
    const held: Partial<Sampling> = { samplers: ["top_k", "infill"], topK: 40, grammar: 'root ::= "a"' };
    expect(() => choices(held)).toThrow("The sampler infill cannot be held to a grammar or a schema.");
  });

  test("mirostat takes the chain's place", () => {
    for (const mirostat of [1, 2]) {
      const wild = { ...HOT, mirostat };
      expect(distinct(choices({ ...wild, topK: 1 }, 20))).toBeGreaterThan(5);
      expect(choices({ ...wild, seed: 3 })).toEqual(choices({ ...wild, seed: 3 }));
      expect(choices({ ...wild, seed: 3 })).not.toEqual(choices({ ...wild, seed: 4 }));
      expect(choices({ mirostat })).toEqual(Array(8).fill(best()));
    }
    expect(choices({ ...HOT, mirostat: 2, mirostatTau: 0, mirostatEta: 0 })).toEqual(Array(8).fill(best()));
  });

  test("a moving temperature and adaptive_p keep to their seed", () => {
    const adaptive = {
      ...HOT,
      samplers: SAMPLER_NAMES.filter((name) => name !== "infill"),
      adaptiveTarget: 0.3,
    };
    for (const more of [{ ...HOT, dynatempRange: 2, dynatempExponent: 2 }, adaptive]) {
      expect(choices({ ...more, seed: 3 })).toEqual(choices({ ...more, seed: 3 }));
      expect(choices({ ...more, seed: 3 })).not.toEqual(choices({ ...more, seed: 4 }));
    }
    expect(choices({ ...adaptive, temperature: 0 })).toEqual(Array(8).fill(best()));
  });

  test("probabilities are those of the candidates that were left, the token's own among them", () => {
    const of = (more: Partial<Sampling>, top = 5) => {
      using sampler = Sampler.open(context, { ...GREEDY, ...more });
      const sampled = sampler.sample(0);
      if ("deadEnd" in sampled) throw new Error(sampled.deadEnd);
      return { token: sampled.token, probs: sampler.probs(sampled.token, top) };
    };
    const { token, probs } = of({ ...HOT, topK: 4, seed: 3 });
    expect(probs.top).toHaveLength(4);
    expect(probs.top.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(1, 5);
    expect(probs.top.find((one) => one.token === token)?.value).toBe(probs.value);
    expect(probs.top.map(({ value }) => value)).toEqual(
      probs.top.map(({ value }) => value).sort((a, b) => b - a),
    );
    expect(of({ ...HOT, topK: 4 }, 2).probs.top).toHaveLength(2);
    const xtc = of({ ...HOT, topK: 4, xtcProbability: 1, xtcThreshold: 0.01 });
    expect(xtc.probs.top.map((one) => one.token)).not.toContain(best());
    expect(of({}).probs).toEqual({ token: best(), value: 1, top: [{ token: best(), value: 1 }] });
    expect(of({}, 0).probs.top).toEqual([]);
    using sampler = Sampler.open(context, { ...GREEDY, ...HOT });
    sampler.sample(0);
    sampler.force(9);
    expect(sampler.probs(9, 3)).toEqual({ token: 9, value: 1, top: [{ token: 9, value: 1 }] });
  });

  test("with every token biased away each of them is a dead end", () => {
    const logitBias = [...Array(model.vocab.size).keys()].map((token) => ({
      token,
      bias: Number.NEGATIVE_INFINITY,
    }));
    const all: Partial<Sampling> = {
      ...HOT,
      logitBias,
      topK: 40,
      topP: 0.5,
      minP: 0.1,
      topNSigma: 1,
      typicalP: 0.5,
      xtcProbability: 1,
      dryMultiplier: 1,
      dynatempRange: 1,
      frequencyPenalty: 1,
    };
    expect(choices(all, 2, prompt)).toEqual([-1, -1]);
    for (const mirostat of [1, 2]) expect(choices({ ...all, mirostat }, 2)).toEqual([-1, -1]);
    expect(choices({ ...all, samplers: SAMPLER_NAMES, adaptiveTarget: 0.5 }, 2)).toEqual([-1, -1]);
    expect(choices({ ...all, samplers: ["top_k", "infill", "temperature"], temperature: 0 }, 2)).toEqual([
      -1, -1,
    ]);
  });
});
