/** Patterns against JavaScript's own expressions, numbers against arithmetic. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { readDecimal } from "../../../src/grammar/Decimal.ts";
import { accepts, both, type Dfa, noneOf, oneOf } from "../../../src/grammar/Dfa.ts";
import { numberDfa } from "../../../src/grammar/numberDfa.ts";
import { patternDfa } from "../../../src/grammar/patternDfa.ts";
import { DfaTooLarge } from "../../../src/grammar/Work.ts";

const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "\\s", "\\-", "é", "😀");
const { pattern: body } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
  part: fc.oneof(
    { maxDepth: 1 },
    atom,
    fc.tuple(atom, fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?")).map((pair) => pair.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, two]) => `(?:${one}|${two})`),
    fc.tuple(tie("pattern"), fc.constantFrom("", "*", "{0,2}")).map(([one, count]) => `(${one})${count}`),
  ),
}));
/** Anchors where anybody writes them. */
const branch = fc
  .tuple(fc.constantFrom("", "^"), body, fc.constantFrom("", "$"))
  .map((parts) => parts.join(""));
const pattern = fc.oneof(
  branch,
  fc.tuple(branch, branch).map(([one, two]) => `${one}|${two}`),
);
const text = fc
  .array(fc.constantFrom("a", "b", "c", "1", " ", "-", "é", "😀", "\n"), { maxLength: 6 })
  .map((bits) => bits.join(""));

function dfaOf(source: string): Dfa | null {
  try {
    return patternDfa(source);
  } catch (error) {
    if (error instanceof DfaTooLarge) return null;
    throw error;
  }
}

test("a pattern's automaton matches what JavaScript matches", () => {
  fc.assert(
    fc.property(pattern, fc.array(text, { maxLength: 12 }), (source, texts) => {
      // In `u` mode JavaScript knows no `\-` outside a class.
      const expression = new RegExp(source.replaceAll("\\-", "-"), "u");
      const dfa = dfaOf(source);
      fc.pre(dfa !== null);
      for (const one of texts) expect([one, accepts(dfa, one)]).toEqual([one, expression.test(one)]);
    }),
    { numRuns: 150 },
  );
});

test("both, none of, one of", () => {
  const words = fc.array(text, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(words, words, text, (one, two, asked) => {
      const a = oneOf(one);
      const b = oneOf(two);
      expect(accepts(both(a, noneOf(b)), asked)).toBe(one.includes(asked) && !two.includes(asked));
      for (const word of one) expect(accepts(both(a, noneOf(b)), word)).toBe(!two.includes(word));
    }),
  );
});

const decimal = fc
  .tuple(fc.integer({ min: -3000, max: 3000 }), fc.constantFrom(1, 10, 100, 1000))
  .map(([value, scale]) => String(value / scale));

test("numbers within bounds, and multiples, as arithmetic has them", () => {
  const multiple = fc.constantFrom(null, "3", "7", "0.5", "0.01");
  fc.assert(
    fc.property(
      decimal,
      decimal,
      fc.array(decimal),
      multiple,
      fc.boolean(),
      fc.boolean(),
      (a, b, asked, step, whole, exclusive) => {
        const [low, high] = Number(a) < Number(b) ? [a, b] : [b, a];
        const read = (raw: string) => readDecimal(raw) ?? expect.unreachable();
        const dfa = numberDfa({
          whole,
          min: { value: read(low), exclusive },
          max: { value: read(high), exclusive: !exclusive },
          multiples: step === null ? [] : [read(step)],
        });
        for (const raw of [low, high, ...asked]) {
          const value = Number(raw);
          const above = exclusive ? value > Number(low) : value >= Number(low);
          const below = exclusive ? value <= Number(high) : value < Number(high);
          const isStep = step === null || Math.round(value * 1e6) % Math.round(Number(step) * 1e6) === 0;
          const fits = above && below && isStep && (!whole || Number.isInteger(value));
          expect([raw, accepts(dfa, raw)]).toEqual([raw, fits]);
        }
      },
    ),
    { numRuns: 300 },
  );
});
