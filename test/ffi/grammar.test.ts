/** No grammar that a client can write ends the process or never returns: refused with a sentence, or safe. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Context } from "../../ffi/Context.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import { grammarProblem } from "../../ffi/grammarCheck.ts";
import type { Model } from "../../ffi/Model.ts";
import { Sampler } from "../../ffi/Sampler.ts";
import { GREEDY, openBackend, openTiny } from "./rig.ts";

const chain = (count: number, rule: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => rule(i)).join("\n");

const refusedGrammars: [name: string, text: string, words: string][] = [
  ["nothing", " # only a comment", "empty"],
  ["no root", 'a ::= "b"', 'no rule "root"'],
  ["a rule that is not there", "root ::= x", 'the rule "x"'],
  ["a root only referred to", "a ::= root", '"root"'],
  ["no ::=", 'root := "a"', "expected ::="],
  ["an open literal", 'root ::= "a', "unexpected end"],
  ["an open class", "root ::= [a", "unexpected end"],
  ["an unknown escape", 'root ::= "\\q"', "unknown escape"],
  ["half a hex escape", 'root ::= "\\u12"', "hex"],
  ["an open group", 'root ::= ("a"', "expected )"],
  ["a quantifier of nothing", "root ::= *", "nothing to repeat"],
  ["a quantifier of an empty class", "root ::= []+", "nothing to repeat"],
  ["a repetition that counts down", 'root ::= "a"{3,2}', "below its minimum"],
  ["a huge repetition", 'root ::= "a"{2001}', "2000"],
  ["a huge number", 'root ::= "a"{99999999999}', "too large"],
  ["repetitions inside one another", 'root ::= (("a"{0,100}){0,100}){0,100}', "too many"],
  ["a token reference", "root ::= <[5]>", "token references"],
  ["a negated token reference", "root ::= !<[5]>", "token references"],
  ["a NUL", 'root ::= "a\0"', "NUL"],
  ["deep parentheses", `root ::= ${"(".repeat(5000)}"a"${")".repeat(5000)}`, "parentheses"],
  ["text without end", `root ::= "${"a".repeat(600_000)}"`, "characters"],
  ["repetitions of long literals", `root ::= ${`"${"x".repeat(5000)}"{1000} `.repeat(50)}`, "too large"],
  ["left recursion", 'root ::= root "a" | "b"', "left-recursive"],
  ["left recursion through another", 'root ::= a "x"\na ::= root "y" | "z"', "left-recursive"],
  [
    "left recursion behind a rule that may be empty",
    'root ::= e root "x" | "y"\ne ::= f\nf ::= ""',
    "left-recursive",
  ],
  ["left recursion behind an optional", 'root ::= ("a"?) root "x" | "y"', "left-recursive"],
  ["a rule that never matches", "root ::= a\na ::= a", "never match"],
  ["two rules that never match", 'root ::= a | "x" a\na ::= b\nb ::= a', "never match"],
  [
    "ways that double with each rule",
    `root ::= r0\n${chain(40, (i) => `r${i} ::= r${i + 1} "x" | r${i + 1} "y"`)}\nr40 ::= "z"`,
    "too many ways",
  ],
  [
    "rules that open one another without end",
    `root ::= r0\n${chain(3000, (i) => `r${i} ::= r${i + 1} "x"`)}\nr3000 ::= "z"`,
    "too many ways",
  ],
];

test.each(refusedGrammars)("refused: %s", (_, text, words) => {
  const started = performance.now();
  expect(grammarProblem(text)).toContain(words);
  expect(performance.now() - started).toBeLessThan(1000);
});

const fineGrammars: [name: string, text: string][] = [
  ["a literal", 'root ::= "yes"'],
  ["a class with an escape", "root ::= [a-zA-Z0-9_\\-\\]\\x41\\u00e9]+"],
  ["a negated class and any", 'root ::= [^"\\\\] .'],
  [
    "JSON",
    'root ::= object\nobject ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws\nvalue ::= object | string | number | "true"\nstring ::= "\\"" ([^"\\\\] | "\\\\" .)* "\\"" ws\nnumber ::= "-"? [0-9]{1,15} ws\nws ::= [ \\t\\n]{0,20}',
  ],
  ["a group over lines", 'root ::= (\n  "a" | # first\n  "b"\n)'],
  ["a rule over lines after a bar", 'root ::= "a" |\n "b"'],
  ["right recursion", 'root ::= "a" root | "b"'],
  ["empty alternatives", 'root ::= "a" | '],
  ["optional of optional", 'root ::= ("a"? "b"?)? "c"'],
  ["carriage returns", 'root ::= a\r\na ::= "x"\r\n'],
  ["a literal beyond the basic plane", 'root ::= "😀" [\\U0001F600-\\U0001F64F]'],
];

test.each(fineGrammars)("allowed: %s", (_, text) => expect(grammarProblem(text)).toBeNull());

const backend = openBackend();
describe.skipIf(backend === null)("in llama.cpp", () => {
  let model: Model;
  let context: Context;
  beforeAll(async () => {
    if (!backend) return;
    model = await openTiny(backend, "qwen3");
    context = Context.open(model, { ctxTokens: 256, sequences: 1, ubatch: 32, threads: 1 });
  });
  afterAll(() => {
    context.close();
    model.close();
  });

  /** Generates at most `count` tokens; the bytes, and how it ended. */
  function generate(text: string, count: number, seed = 1): { text: string; end: "end" | "count" | "dead" } {
    context.clear(0);
    context.prefill(0, 0, new Int32Array([1]), true);
    using sampler = Sampler.open(context, {
      ...GREEDY,
      temperature: 1.5,
      topK: 0,
      minP: 0,
      seed,
      grammar: text,
    });
    const bytes: number[] = [];
    const written = () => Buffer.from(bytes).toString();
    for (let pos = 1; pos <= count; pos++) {
      const sampled = sampler.sample(0);
      if ("deadEnd" in sampled) return { text: written(), end: "dead" };
      if (model.vocab.isEnd(sampled.token)) return { text: written(), end: "end" };
      bytes.push(...model.vocab.piece(sampled.token));
      context.decode(new Int32Array([0, pos, sampled.token]));
    }
    return { text: written(), end: "count" };
  }

  test.each(fineGrammars)("llama.cpp takes it too: %s", (_, text) => {
    expect(["end", "count", "dead"]).toContain(generate(text, 30).end);
  });

  test("what is generated is what the grammar says, to its end", () => {
    for (let seed = 1; seed <= 5; seed++) {
      const reply = generate(
        'root ::= "{\\"n\\": " [0-9]{1,3} "}" | "[" ("a" | "é" | "😀"){2} "]"',
        40,
        seed,
      );
      expect(reply.end).toBe("end");
      expect(reply.text).toMatch(/^(\{"n": [0-9]{1,3}\}|\[(a|é|😀){2}\])$/u);
    }
  });

  /** Grammars as clients might write them, and as nobody would. */
  const unit = fc.constantFrom("a", "b", " ", "\\n", "\\x00", "\\xC0", "é", "😀", "\\u0000");
  const literal = fc.string({ unit, minLength: 1, maxLength: 3 });
  const mark = fc.oneof(
    { arbitrary: fc.constantFrom("*", "+", "?", "{2}", "{0,3}", "{1,}"), weight: 9 },
    { arbitrary: fc.constantFrom("{0}", "{3,1}", "**"), weight: 1 },
  );
  const term: fc.Arbitrary<string> = fc.letrec<{ item: string; list: string }>((tie) => ({
    item: fc.oneof(
      { depthSize: "small" },
      { arbitrary: literal.map((text) => `"${text}"`), weight: 5 },
      { arbitrary: fc.constantFrom("[a-z]", "[^a]", "[^\\x00]", "."), weight: 4 },
      { arbitrary: fc.constantFrom("root", "r1", "r2", "[]", '""'), weight: 2 },
      { arbitrary: tie("list").map((list) => `(${list})`), weight: 2 },
      { arbitrary: fc.tuple(tie("item"), mark).map(([item, times]) => item + times), weight: 3 },
    ),
    list: fc
      .array(
        fc.array(tie("item"), { maxLength: 3 }).map((items) => items.join(" ")),
        { minLength: 1, maxLength: 3 },
      )
      .map((alternates) => alternates.join(" | ")),
  })).list;
  const grammar = fc
    .tuple(term, term, term)
    .map(([root, r1, r2]) => `root ::= ${root}\nr1 ::= ${r1}\nr2 ::= ${r2}\n`);
  const damaged = fc
    .tuple(grammar, fc.nat(), fc.constantFrom("", "(", ")", '"', "]", "{", "|", "\\", "\n", "::=", "<"))
    .map(
      ([text, at, insert]) => text.slice(0, at % text.length) + insert + text.slice((at % text.length) + 1),
    );

  test("any grammar is refused or generates; the process lives", () => {
    const runs = Number(process.env["WARMTURN_FUZZ_RUNS"] ?? 150);
    let ran = 0;
    fc.assert(
      fc.property(fc.oneof(grammar, damaged), fc.integer({ min: 1, max: 1000 }), (text, seed) => {
        try {
          generate(text, 12, seed);
          ran++;
        } catch (error) {
          expect(error).toBeInstanceOf(FfiError);
          expect((error as FfiError).code).toBe("grammar-invalid");
        }
      }),
      { numRuns: runs },
    );
    expect(ran).toBeGreaterThan(runs / 20);
  });
});
