/** Sampling: greedy and seeded choices, biases, penalties, ends, grammars and their dead ends. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Context } from "../../ffi/Context.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import type { Model } from "../../ffi/Model.ts";
import { Sampler } from "../../ffi/Sampler.ts";
import type { Sampling } from "../../src/run/RunSpec.ts";
import { GREEDY, openBackend, openTiny } from "./rig.ts";

const backend = openBackend();

describe.skipIf(backend === null)("sampler", () => {
  let model: Model;
  let context: Context;
  const prompt = new Int32Array([5, 6, 7, 8]);

  beforeAll(async () => {
    if (!backend) return;
    model = await openTiny(backend, "qwen3");
    context = Context.open(model, { ctxTokens: 256, sequences: 2, ubatch: 32, threads: 1 });
  });
  afterAll(() => {
    context.close();
    model.close();
  });

  function start(): void {
    context.clear(0);
    context.prefill(0, 0, prompt, true);
  }

  /** Generates at most `count` tokens; -1 behind them for a dead end. */
  function generate(more: Partial<Sampling>, count: number, history?: Int32Array): number[] {
    start();
    using sampler = Sampler.open(context, { ...GREEDY, ...more }, history);
    const out: number[] = [];
    for (let i = 0; i < count; i++) {
      const sampled = sampler.sample(0);
      if ("deadEnd" in sampled) return [...out, -1];
      out.push(sampled.token);
      if (model.vocab.isEnd(sampled.token)) return out;
      context.decode(new Int32Array([0, prompt.length + i, sampled.token]));
    }
    return out;
  }

  function best(): number {
    start();
    const logits = context.logits(0);
    return logits.indexOf(Math.max(...logits));
  }

  const WILD = { temperature: 2, topK: 0, topP: 1, minP: 0 } as const;
  const text = (tokens: number[]) =>
    Buffer.concat(
      tokens.filter((one) => one >= 0 && !model.vocab.isEnd(one)).map((one) => model.vocab.piece(one)),
    ).toString();
  const end = () => [...Array(model.vocab.size).keys()].find((token) => model.vocab.isEnd(token)) ?? -1;

  test("greedy takes the highest logit", () => {
    const [first] = generate({}, 1);
    expect(first).toBe(best());
  });

  test("one seed gives one reply, another seed another", () => {
    const runs = [1, 1, 2].map((seed) => generate({ ...WILD, seed }, 20).join());
    expect(runs[0]).toBe(runs[1] ?? "");
    expect(runs[0]).not.toBe(runs[2] ?? "");
    expect(generate({ ...WILD, seed: 2 ** 32 - 1 }, 5).length).toBeGreaterThan(0);
  });

  test("a bias forces and forbids", () => {
    expect(generate({ logitBias: [{ token: 77, bias: 1e4 }] }, 2)).toEqual([77, 77]);
    const first = best();
    expect(generate({ logitBias: [{ token: first, bias: Number.NEGATIVE_INFINITY }] }, 1)).not.toContain(
      first,
    );
  });

  test("with every token biased away there is a dead end", () => {
    const logitBias = [...Array(model.vocab.size).keys()].map((token) => ({
      token,
      bias: Number.NEGATIVE_INFINITY,
    }));
    expect(generate({ logitBias }, 1)).toEqual([-1]);
    expect(generate({ logitBias, ...WILD }, 1)).toEqual([-1]);
    expect(generate({ logitBias, grammar: 'root ::= "a"' }, 1)).toEqual([-1]);
  });

  test("penalties look back on the history", () => {
    const first = best();
    const history = new Int32Array(10).fill(first);
    const penalty = { frequencyPenalty: 100, repeatLastN: 64 };
    expect(generate(penalty, 1, history)[0]).not.toBe(first);
    expect(generate({ ...penalty, repeatLastN: 0 }, 1, history)[0]).toBe(first);
    expect(generate({ ...penalty, repeatLastN: -1 }, 1, history)[0]).not.toBe(first);
    expect(generate(penalty, 1)[0]).toBe(first);
    const both = generate(penalty, 2);
    expect(both[0]).not.toBe(both[1] ?? -1);
  });

  test("ignoreEos never ends, even where the end is biased up", () => {
    const logitBias = [{ token: end(), bias: 1e4 }];
    expect(generate({ logitBias }, 3)).toEqual([end()]);
    expect(generate({ logitBias, ignoreEos: true }, 10)).toHaveLength(10);
  });

  test("a grammar is followed to its end, and the end is forbidden before", () => {
    const logitBias = [{ token: end(), bias: 1e4 }];
    for (let seed = 1; seed <= 5; seed++) {
      const tokens = generate(
        {
          ...WILD,
          seed,
          logitBias,
          grammar: 'root ::= "{\\"n\\": " [0-9]{2,3} "}" | "[" ("a" | "é" | "😀"){2} "]"',
        },
        40,
      );
      expect(tokens.at(-1)).toBe(end());
      expect(text(tokens)).toMatch(/^(\{"n": [0-9]{2,3}\}|\[(a|é|😀){2}\])$/u);
    }
  });

  test("a special token's spelling is matched by a literal", () => {
    const special = model.vocab.specials.find((one) => one.kind === "user-defined");
    if (!special) return;
    const logitBias = [{ token: special.id, bias: 1e4 }];
    expect(generate({ logitBias, grammar: `root ::= "${special.text}"` }, 4)).toEqual([special.id, end()]);
  });

  test("a whole grammar with ignoreEos is a dead end, said so", () => {
    start();
    using sampler = Sampler.open(context, { ...GREEDY, grammar: 'root ::= ""', ignoreEos: true });
    const sampled = sampler.sample(0);
    expect("deadEnd" in sampled && sampled.deadEnd).toContain("ignore_eos");
  });

  test("a grammar that does not parse is refused with its place", () => {
    let thrown: unknown;
    try {
      Sampler.open(context, { ...GREEDY, grammar: 'root ::= "a' });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(FfiError);
    expect(thrown).toMatchObject({ code: "grammar-invalid" });
    expect(String(thrown)).toContain("line 1");
  });

  test("two samplers on one context do not disturb one another", () => {
    start();
    context.clear(1);
    context.prefill(1, 0, new Int32Array([9, 10]), false);
    const alone = generate({ ...WILD, seed: 3 }, 6);
    start();
    using one = Sampler.open(context, { ...GREEDY, ...WILD, seed: 3 });
    using other = Sampler.open(context, { ...GREEDY, ...WILD, seed: 4, grammar: "root ::= [a-z]+" });
    const out: number[] = [];
    for (let i = 0; i < 6; i++) {
      other.sample(0);
      const sampled = one.sample(0);
      if ("deadEnd" in sampled) break;
      out.push(sampled.token);
      if (model.vocab.isEnd(sampled.token)) break;
      context.decode(new Int32Array([0, prompt.length + i, sampled.token]));
    }
    expect(out).toEqual(alone);
  });
});
