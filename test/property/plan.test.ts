/** I1 to I5 as properties of the planner, for any tokens, openers and settings. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fitRules } from "../../src/plan/fitRules.ts";
import { chainSeed } from "../../src/plan/KeyChain.ts";
import type { ChunkRules } from "../../src/plan/Plan.ts";
import { requestChunks, scanCuts } from "../../src/plan/requestChunks.ts";

/** Few token values, so that openers and their beginnings occur often; `size`, since short lists are the default. */
const token = fc.integer({ min: 0, max: 5 });
const tokens = fc.array(token, { maxLength: 120, size: "max" }).map((list) => Int32Array.from(list));
const opener = fc.array(token, { minLength: 1, maxLength: 4, size: "max" });

const rules: fc.Arbitrary<ChunkRules> = fc
  .record({
    openers: fc.array(opener, { maxLength: 3, size: "max" }),
    userOpeners: fc.array(opener, { maxLength: 2 }),
    otherOpeners: fc.array(opener, { maxLength: 2 }),
    tailOpeners: fc.array(opener, { maxLength: 2 }),
    chunkTokensMin: fc.integer({ min: 1, max: 12 }),
    spread: fc.integer({ min: 0, max: 20 }),
    tripTokensMin: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
  })
  .map(({ spread, ...rest }) => ({ ...rest, chunkTokensMax: rest.chunkTokensMin + spread }));

/** A prompt for the rules: openers, and beginnings of them, stand in it as often as other tokens. */
const promptFor = (r: ChunkRules) => {
  const parts = r.openers.flatMap((one) => one.map((_, i) => one.slice(0, i + 1)));
  const part =
    parts.length === 0
      ? token.map((one) => [one])
      : fc.oneof(
          token.map((one) => [one]),
          fc.constantFrom(...parts),
        );
  return fc.array(part, { maxLength: 80, size: "max" }).map((list) => Int32Array.from(list.flat()));
};
const prompts: fc.Arbitrary<[Int32Array, ChunkRules]> = rules.chain((r) =>
  fc.tuple(promptFor(r), fc.constant(r)),
);

const SEED = chainSeed(7n, "tenant");
const check = <T>(property: fc.IProperty<T>) => fc.assert(property, { numRuns: 300 });

/** The last chunk may wait for an opener's end. */
const ahead = (r: ChunkRules) => r.openers.reduce((longest, one) => Math.max(longest, one.length), 1) - 1;

describe("I1: cuts and trips are a function of the prefix and the rules", () => {
  test("the same prompt gives the same plan, whatever was planned before", () => {
    check(
      fc.property(tokens, tokens, rules, rules, (a, other, r, otherRules) => {
        const first = requestChunks(a, r, SEED);
        requestChunks(other, r, SEED);
        requestChunks(a, otherRules, SEED);
        const clone = structuredClone(r);
        expect(requestChunks(Int32Array.from(a), clone, SEED)).toEqual(first);
      }),
    );
  });

  test("keep changes no cut, trip or key", () => {
    check(
      fc.property(prompts, ([a, r]) => {
        const bare = { ...r, userOpeners: [], otherOpeners: [], tailOpeners: [] };
        const { keep: _, ...plan } = requestChunks(a, r, SEED);
        const { keep: __, ...same } = requestChunks(a, bare, SEED);
        expect(plan).toEqual(same);
      }),
    );
  });
});

describe("I2: a prefix's plan is a prefix of the plan", () => {
  test("of cuts, trips and keys, at every length", () => {
    check(
      fc.property(prompts, ([b, r]) => {
        const whole = requestChunks(b, r, SEED);
        for (let length = 0; length <= b.length; length++) {
          const part = requestChunks(b.slice(0, length), r, SEED);
          expect([...part.cuts]).toEqual([...whole.cuts.slice(0, part.cuts.length)]);
          expect([...part.trips]).toEqual([...whole.trips.slice(0, part.trips.length)]);
          expect([...part.keys]).toEqual([...whole.keys.slice(0, part.keys.length)]);
        }
      }),
    );
  });

  test("and misses no cut that was decided: what a longer prompt adds lies within an opener of the end", () => {
    check(
      fc.property(prompts, tokens, ([a, r], more) => {
        const part = scanCuts(a, r);
        const whole = scanCuts(Int32Array.from([...a, ...more]), r);
        const decided = [...whole.cuts].filter((cut) => cut < a.length - ahead(r));
        expect([...part.cuts.slice(0, decided.length)]).toEqual(decided);
      }),
    );
  });
});

describe("I3: where the cuts are", () => {
  const opensAt = (a: Int32Array, at: number, r: ChunkRules) =>
    r.openers.some((one) => one.every((value, i) => a[at + i] === value));

  test("a cut is a message start past the minimum, or the maximum", () => {
    check(
      fc.property(prompts, ([a, r]) => {
        let last = 0;
        for (const cut of requestChunks(a, r, SEED).cuts) {
          const gathered = cut - last;
          expect(gathered).toBeGreaterThanOrEqual(r.chunkTokensMin);
          expect(gathered).toBeLessThanOrEqual(r.chunkTokensMax);
          if (gathered < r.chunkTokensMax) expect(opensAt(a, cut, r)).toBe(true);
          last = cut;
        }
      }),
    );
  });

  test("no message start past the minimum is left uncut before the last cut", () => {
    check(
      fc.property(prompts, ([a, r]) => {
        const { cuts } = requestChunks(a, r, SEED);
        let last = 0;
        for (const cut of cuts) {
          for (let at = last + r.chunkTokensMin; at < cut; at++) expect(opensAt(a, at, r)).toBe(false);
          last = cut;
        }
      }),
    );
  });

  test("the last chunk fits the micro-batch once the rules were fitted to it", () => {
    check(
      fc.property(prompts, fc.integer({ min: 4, max: 40 }), ([a, r], ubatch) => {
        const { cuts } = requestChunks(a, fitRules(r, ubatch), SEED);
        expect(a.length - (cuts.at(-1) ?? 0)).toBeLessThanOrEqual(ubatch);
      }),
    );
  });

  test("a trip is the first cut that lies tripTokensMin past the trip before", () => {
    check(
      fc.property(prompts, ([a, r]) => {
        const { cuts, trips } = requestChunks(a, r, SEED);
        const expected: number[] = [];
        for (const cut of cuts) {
          if (r.tripTokensMin > 0 && cut >= (expected.at(-1) ?? 0) + r.tripTokensMin) expected.push(cut);
        }
        expect([...trips]).toEqual(expected);
      }),
    );
  });
});

test("I4: at least one token is left behind the last cut, and no chunk is empty", () => {
  check(
    fc.property(prompts, ([a, r]) => {
      let last = 0;
      for (const cut of requestChunks(a, r, SEED).cuts) {
        expect(cut).toBeGreaterThan(last);
        expect(cut).toBeLessThan(a.length);
        last = cut;
      }
    }),
  );
});

describe("I5: a key names the plan and the machine", () => {
  /** Everything that a key at `cuts[i]` must name. */
  const named = (a: Int32Array, cuts: Int32Array, trips: Int32Array, i: number) =>
    JSON.stringify([
      [...a.slice(0, cuts[i])],
      [...cuts.slice(0, i + 1)],
      [...trips].filter((trip) => trip <= (cuts[i] ?? 0)),
    ]);

  test("two keys are equal exactly where tokens, cuts and trips below are", () => {
    check(
      fc.property(tokens, tokens, rules, rules, fc.nat(200), (a, b, ra, rb, shared) => {
        const mixed = Int32Array.from([...a.slice(0, shared), ...b]);
        const one = requestChunks(a, ra, SEED);
        const two = requestChunks(mixed, rb, SEED);
        for (const [i, left] of one.keys.entries()) {
          for (const [j, right] of two.keys.entries()) {
            const same = named(a, one.cuts, one.trips, i) === named(mixed, two.cuts, two.trips, j);
            expect(left === right).toBe(same);
          }
        }
      }),
    );
  });

  test("one token changed changes every key from its chunk on, and none before", () => {
    check(
      fc.property(prompts, fc.nat(), token, ([a, r], pick, value) => {
        fc.pre(a.length > 0);
        const at = pick % a.length;
        fc.pre(a[at] !== value);
        // No openers: the cuts stay, so that nothing but the token tells the keys apart.
        const bare = { ...r, openers: [] };
        const changed = Int32Array.from(a);
        changed[at] = value;
        const one = requestChunks(a, bare, SEED);
        const two = requestChunks(changed, bare, SEED);
        for (const [i, cut] of one.cuts.entries()) expect(one.keys[i] === two.keys[i]).toBe(cut <= at);
      }),
    );
  });

  test("another setup or tenant shares no key", () => {
    check(
      fc.property(
        tokens,
        rules,
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.string(),
        fc.string(),
        (a, r, setup, x, y) => {
          fc.pre(x !== y);
          const mine = new Set(requestChunks(a, r, chainSeed(setup, x)).keys);
          const others = [chainSeed(setup, y), chainSeed(setup ^ 1n, x)];
          for (const seed of others) {
            for (const key of requestChunks(a, r, seed).keys) expect(mine.has(key)).toBe(false);
          }
        },
      ),
    );
  });

  test("a trip is in the key although the tokens and cuts are the same", () => {
    const a = Int32Array.from({ length: 40 }, (_, i) => i);
    const r = { openers: [], userOpeners: [], chunkTokensMin: 1, chunkTokensMax: 10 };
    const without = requestChunks(a, { ...r, tripTokensMin: 0 }, SEED);
    const trips = requestChunks(a, { ...r, tripTokensMin: 20 }, SEED);
    expect([...trips.cuts]).toEqual([...without.cuts]);
    expect(trips.keys[0]).toBe(without.keys[0] ?? 0n);
    expect(trips.keys[1]).not.toBe(without.keys[1]);
    expect(trips.keys[2]).not.toBe(without.keys[2]);
  });
});

test("planning reads each token a bounded number of times", () => {
  const r = {
    openers: [
      [1, 2, 3],
      [1, 4],
    ],
    userOpeners: [],
    chunkTokensMin: 8,
    chunkTokensMax: 64,
    tripTokensMin: 0,
  };
  const reads = (length: number) => {
    let count = 0;
    const counted = new Proxy(
      new Int32Array(length).map((_, i) => i % 7),
      {
        get(target, key) {
          if (key !== "length") count++;
          return Reflect.get(target, key, target);
        },
      },
    );
    scanCuts(counted, r);
    return count;
  };
  expect(reads(4000)).toBeLessThanOrEqual(4000 * 4);
  expect(reads(16000) / reads(4000)).toBeLessThan(4.2);
});

describe("chunks that get shorter behind many tokens", () => {
  const long = fc
    .record({
      length: fc.integer({ min: 0, max: 2500 }),
      salt: fc.integer({ min: 0, max: 1000 }),
      chunkTokensMin: fc.integer({ min: 1, max: 64 }),
      chunkTokensMax: fc.integer({ min: 64, max: 512 }),
      taperTokens: fc.integer({ min: 1, max: 2000 }),
      cutAt: fc.integer({ min: 0, max: 2500 }),
    })
    .map(({ length, salt, cutAt, ...sizes }) => {
      const tokens = Int32Array.from({ length }, (_, i) => Math.imul(i + salt, 2654435761) >>> 27);
      const r: ChunkRules = { openers: [[3, 7]], userOpeners: [], tripTokensMin: 0, ...sizes };
      return { tokens, r, cutAt: Math.min(cutAt, length) };
    });

  test("I2: a prefix's cuts are a prefix of the cuts", () => {
    check(
      fc.property(long, ({ tokens, r, cutAt }) => {
        const whole = scanCuts(tokens, r).cuts;
        const part = scanCuts(tokens.subarray(0, cutAt), r).cuts;
        expect([...part]).toEqual([...whole.slice(0, part.length)]);
        expect(whole.slice(part.length).every((cut) => cut >= cutAt - ahead(r))).toBe(true);
      }),
    );
  });

  test("I3: no stretch is longer than what its start allows, and none shorter than a tile but for a message", () => {
    check(
      fc.property(long, ({ tokens, r }) => {
        let last = 0;
        for (const cut of scanCuts(tokens, r).cuts) {
          const even = r.chunkTokensMax / (1 + last / (r.taperTokens ?? 0));
          const gathered = cut - last;
          expect(gathered).toBeGreaterThanOrEqual(r.chunkTokensMin);
          expect(gathered).toBeLessThanOrEqual(Math.min(r.chunkTokensMax, Math.max(64, even)));
          const opens = tokens[cut] === 3 && tokens[cut + 1] === 7;
          if (!opens) expect(gathered).toBeGreaterThan(Math.min(63, even - 64));
          last = cut;
        }
      }),
    );
  });

  test("half as long where a row costs twice as much, in whole tiles", () => {
    const rules: ChunkRules = {
      openers: [],
      userOpeners: [],
      chunkTokensMin: 64,
      chunkTokensMax: 512,
      taperTokens: 1024,
      tripTokensMin: 0,
    };
    const cuts = scanCuts(new Int32Array(16_384), rules).cuts;
    const lengths = [...cuts].map((cut, i) => cut - (cuts[i - 1] ?? 0));
    expect(lengths.slice(0, 6)).toEqual([512, 320, 256, 192, 192, 192]);
    expect(lengths.at(-1)).toBe(64);
  });
});
