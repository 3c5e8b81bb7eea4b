/** Members in any order, each at most once: all permutations of subsets are the oracle. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { TooAmbiguous } from "../../../../ffi/grammar/GrammarWalk.ts";
import { GrammarError, parseGrammar } from "../../../../ffi/grammar/parseGrammar.ts";
import { GrammarMatcher } from "../../../support/grammar/GrammarMatcher.ts";

interface Member {
  readonly name: string;
  readonly mark: "" | "!" | "*";
}

function grammar(members: readonly Member[], counts: string, comma: string): string {
  const names = members.map(({ name, mark }) => `m-${name}${mark}`).join(" ");
  const rules = members.map(({ name }) => `m-${name} ::= "${name}" "="? [0-9]`);
  return [`root ::= "{" &{${counts}} ${comma} (${names}) "}"`, 'comma ::= "," " "?', ...rules].join("\n");
}

const membersArb = fc
  .subarray<string>(["a", "b", "c", "dd", "ee"], { minLength: 1 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.constantFrom<"" | "!" | "*">("", "", "!", "*").map((mark): Member => ({ name, mark })),
      ),
    ),
  );

test("what fits is what the words say", () => {
  fc.assert(
    fc.property(
      membersArb,
      fc.nat(2),
      fc.option(fc.nat(3), { nil: null }),
      fc.boolean(),
      fc.array(fc.constantFrom<string>("a", "b", "c", "dd", "ee"), { maxLength: 6 }),
      (members, min, more, divided, texts) => {
        const max = more === null ? null : min + more;
        if (max === 0) return;
        const required = members.filter(({ mark }) => mark === "!");
        // Nothing fits where more has to come than may.
        if (max !== null && required.length > max) return;
        const matcher = new GrammarMatcher(grammar(members, `${min},${max ?? ""}`, divided ? "comma" : ""));
        const text = `{${texts.map((one, i) => `${one}${i % 2 === 0 ? "=" : ""}${i}`).join(divided ? ", " : "")}}`;
        const right =
          texts.length >= min &&
          texts.length <= (max ?? texts.length) &&
          required.every(({ name }) => texts.includes(name)) &&
          texts.every((one, i) => {
            const member = members.find(({ name }) => name === one);
            return member !== undefined && (member.mark === "*" || texts.indexOf(one) === i);
          });
        expect([text, matcher.matches(text)]).toEqual([text, right]);
      },
    ),
    { numRuns: 400 },
  );
});

test("hundreds of members, and what was there stays out", () => {
  const members = Array.from(
    { length: 300 },
    (_, i): Member => ({ name: `k${i}`, mark: i === 7 ? "!" : "" }),
  );
  const matcher = new GrammarMatcher(grammar(members, "1,", "comma"));
  const shuffled = members
    .map(({ name }, i) => `${name}=${i % 10}`)
    .toSorted((a, b) => a.length - b.length || (a < b ? 1 : -1));
  expect(matcher.matches(`{${shuffled.join(",")}}`)).toBe(true);
  expect(matcher.matches(`{${[...shuffled.slice(0, 200), shuffled[3]].join(",")}}`)).toBe(false);
  expect(matcher.matches("{k8=1}")).toBe(false);
});

test("what does not parse is refused, what cannot be walked too", () => {
  for (const text of ["&", "&{1}", "&{1} a", "&{1} ()", "&{1} (a", "&{2,1} (a)", "&{1} (b)", '&{1} ("a")']) {
    expect(() => parseGrammar(`root ::= ${text}\na ::= "a"`)).toThrow(GrammarError);
  }
  const never = 'root ::= &{1,} (a! b)\na ::= a "x"\nb ::= "b"';
  expect(() => parseGrammar(never)).toThrow("never match");
  expect(() => new GrammarMatcher('root ::= &{0,} (a*)\na ::= "" | "x"').matches("x".repeat(50))).not.toThrow(
    TooAmbiguous,
  );
});
