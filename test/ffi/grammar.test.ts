/** Grammars: what parses, what matches (regular expressions are the oracle), and that no grammar runs away. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GrammarWalk, type Place, TooAmbiguous } from "../../ffi/grammar/GrammarWalk.ts";
import { GrammarError, parseGrammar } from "../../ffi/grammar/parseGrammar.ts";
import { TokenGrammar } from "../../ffi/grammar/TokenGrammar.ts";
import { TokenTable } from "../../ffi/grammar/TokenTable.ts";
import { grammarProblem } from "../../ffi/grammarCheck.ts";

const refused: [name: string, text: string, words: string][] = [
  ["nothing", " # only a comment", "empty"],
  ["no root", 'a ::= "b"', 'no rule "root"'],
  ["a rule that is not there", "root ::= x", 'the rule "x"'],
  ["a root only referred to", "a ::= root", '"root"'],
  ["no ::=", 'root := "a"', "expected ::="],
  ["an open literal", 'root ::= "a', "unexpected end"],
  ["an open class", "root ::= [a", "unexpected end"],
  ["an unknown escape", 'root ::= "\\q"', "unknown escape"],
  ["half a hex escape", 'root ::= "\\u12"', "hex"],
  ["a character that is none", 'root ::= "\\UFFFFFFFF"', "Unicode"],
  ["an open group", 'root ::= ("a"', "expected )"],
  ["a quantifier of nothing", "root ::= *", "nothing to repeat"],
  ["a quantifier of an empty class", "root ::= []+", "nothing to repeat"],
  ["a repetition that counts down", 'root ::= "a"{3,2}', "below its minimum"],
  ["a range that runs backwards", "root ::= [z-a]", "runs backwards on line 1"],
  ["a huge repetition", 'root ::= "a"{2001}', "2000"],
  ["a huge number", 'root ::= "a"{99999999999}', "too large"],
  ["a token reference", "root ::= <[5]>", "token references"],
  ["a negated token reference", "root ::= !<[5]>", "token references"],
  ["text behind a rule", 'root ::= "a" )', "the rule's end"],
  ["deep parentheses", `root ::= ${"(".repeat(5000)}"a"${")".repeat(5000)}`, "parentheses"],
  ["text without end", `root ::= "${"a".repeat(600_000)}"`, "characters"],
  ["repetitions of long literals", `root ::= ${`"${"x".repeat(5000)}"{1000} `.repeat(50)}`, "too large"],
  ["many long repetitions", `root ::= ${'"x"{2000} '.repeat(200)}`, "too large"],
  ["a root that never matches", 'root ::= a | "x" a\na ::= b\nb ::= a', "never match"],
];

test.each(refused)("refused: %s", (_, text, words) => {
  expect(() => parseGrammar(text)).toThrow(words);
});

test("a problem is a sentence, or null for a grammar that can be followed", () => {
  expect(grammarProblem("root ::= x")).toContain('the rule "x"');
  expect(grammarProblem('root ::= "x"')).toBeNull();
});

test("a syntax error names its line", () => {
  expect(() => parseGrammar('root ::= a\na ::= "b" )\n')).toThrow('on line 2 at ")"');
});

function matches(grammar: string, text: string): boolean {
  const walk = new GrammarWalk(parseGrammar(grammar));
  let at: Place | null = walk.start;
  for (const character of text) {
    at = walk.step(at, character.codePointAt(0) ?? 0);
    if (at === null) return false;
  }
  return at.ends;
}

const JSON_GRAMMAR = String.raw`
root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws ( member ( "," ws member )* )? "}" ws
member ::= string ":" ws value
array ::= "[" ws ( value ( "," ws value )* )? "]" ws
string ::= "\"" ( [^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9]+)? ws
ws ::= [ \t\n]{0,20}
`;

const matching: [name: string, grammar: string, yes: string[], no: string[]][] = [
  ["a literal", 'root ::= "yes"', ["yes"], ["", "ye", "yess"]],
  [
    "a class with escapes",
    "root ::= [a-c\\-\\]\\x41\\u00e9]",
    ["a", "c", "-", "]", "A", "é"],
    ["d", "", "aa"],
  ],
  ["a negated class", "root ::= [^a-c]+", ["xyz", "😀"], ["", "xa"]],
  ["a dash at the end", "root ::= [a-]", ["a", "-"], ["b"]],
  ["any", "root ::= . .", ["ab", "😀\n"], ["a", "abc"]],
  [
    "bounds",
    'root ::= "a"{2,4} "b"{2,} "c"{2} "d"{0}',
    ["aabbcc", "aaaabbbbbcc"],
    ["abbcc", "aaaaabbcc", "aabcc", "aabbc", "aabbccd"],
  ],
  ["an empty alternative", 'root ::= "a" | ', ["", "a"], ["b"]],
  ["a group over lines", 'root ::= (\n  "a" | # first\n  "b"\n) "c"', ["ac", "bc"], ["c"]],
  ["carriage returns", 'root ::= a\r\na ::= "x"\r\n', ["x"], [""]],
  ["a rule defined again", 'root ::= a\na ::= "x"\na ::= "y"', ["y"], ["x"]],
  ["right recursion", 'root ::= "a" root | "b"', ["b", "aaab"], ["aaa", "ba"]],
  ["left recursion", 'root ::= root "a" | "b"', ["b", "baaa"], ["a", "ab"]],
  ["recursion in the middle", 'root ::= "(" root ")" | ""', ["", "(())"], ["(", "())"]],
  [
    "left recursion behind what may be empty",
    'root ::= e root "x" | "y"\ne ::= f\nf ::= ""',
    ["y", "yxx"],
    ["x"],
  ],
  ["optional of optional", 'root ::= ("a"? "b"?)* "c"', ["c", "abbaabc"], ["", "ab"]],
  ["a rule that never matches beside one that does", 'root ::= a | "x"\na ::= a', ["x"], ["a"]],
  ["a quantifier of a quantifier", 'root ::= "ab"+? "c"', ["c", "ababc"], ["ac"]],
  [
    "JSON",
    JSON_GRAMMAR,
    ['{"a": [1, -2.5e3, "x\\n\\u00e9", null], "b": {}}', "[]"],
    ["{", '{"a" 1}', "[1,]", '"\n"'],
  ],
];

test.each(matching)("matches: %s", (_, grammar, yes, no) => {
  for (const text of yes) expect([text, matches(grammar, text)]).toEqual([text, true]);
  for (const text of no) expect([text, matches(grammar, text)]).toEqual([text, false]);
});

describe("against regular expressions", () => {
  /** The same term as GBNF and as a regular expression. */
  interface Term {
    readonly gbnf: string;
    readonly regexp: string;
  }
  const atom = fc.constantFrom<Term[]>(
    { gbnf: '"a"', regexp: "a" },
    { gbnf: '"ab"', regexp: "(?:ab)" },
    { gbnf: '""', regexp: "(?:)" },
    { gbnf: "[ab]", regexp: "[ab]" },
    { gbnf: "[^a]", regexp: "[^a]" },
    { gbnf: "[b-😀]", regexp: "[b-😀]" },
    { gbnf: ".", regexp: "[^]" },
  );
  const marks = ["*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "{0}"];
  const { choice } = fc.letrec<{ item: Term; choice: Term }>((tie) => ({
    item: fc.oneof(
      { depthSize: "small" },
      atom,
      tie("choice").map(({ gbnf, regexp }) => ({ gbnf: `(${gbnf})`, regexp: `(?:${regexp})` })),
      fc.tuple(tie("choice"), fc.constantFrom(...marks)).map(([{ gbnf, regexp }, mark]) => ({
        gbnf: `(${gbnf})${mark}`,
        regexp: `(?:${regexp})${mark}`,
      })),
    ),
    choice: fc
      .array(fc.array(tie("item"), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((list) => ({
        gbnf: list.map((items) => items.map((item) => item.gbnf).join(" ")).join(" | "),
        regexp: list.map((items) => items.map((item) => item.regexp).join("")).join("|"),
      })),
  }));
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "😀"), maxLength: 6 });

  test("a grammar without recursion matches what the regular expression matches", () => {
    fc.assert(
      fc.property(choice, fc.array(text, { minLength: 1, maxLength: 8 }), ({ gbnf, regexp }, texts) => {
        const expression = new RegExp(`^(?:${regexp})$`, "u");
        for (const one of texts)
          expect([gbnf, one, matches(`root ::= ${gbnf}`, one)]).toEqual([gbnf, one, expression.test(one)]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("over tokens", () => {
  /** A vocabulary of byte strings; the last is the end. */
  const pieces = [
    "a",
    "b",
    "ab",
    "aba",
    "é",
    "\u00c3",
    "\u00a9",
    "\u00f0",
    "\u009f\u0098\u0080",
    "\u00ed",
    "\u00a0\u0080",
    "\u00c0\u0080",
    "",
    "{",
    "}",
    "aaaa!",
    "<end>",
  ].map((text, index) =>
    index === 4 ? new TextEncoder().encode(text) : Uint8Array.from(text, (c) => c.charCodeAt(0)),
  );
  const END = pieces.length - 1;
  const vocab = {
    piece: (token: number) => pieces[token] ?? new Uint8Array(0),
    isEnd: (token: number) => token === END,
  };
  const table = new TokenTable(pieces.length, vocab.piece, vocab.isEnd);
  const open = (text: string) => new TokenGrammar(text, vocab, () => table);
  const allowed = (grammar: TokenGrammar) => [...grammar.allowed()].sort((a, b) => a - b);

  test("the end is allowed only where the text may end, and then nothing else where nothing follows", () => {
    const grammar = open('root ::= "ab"');
    expect(allowed(grammar)).toEqual([0, 2]);
    grammar.accept(0);
    expect(allowed(grammar)).toEqual([1]);
    grammar.accept(1);
    expect(allowed(grammar)).toEqual([END]);
    grammar.accept(END);
    expect(allowed(grammar)).toEqual([END]);
  });

  test("a token may end inside a character, when the rest of it can still fit", () => {
    const grammar = open('root ::= "é" | "😀"');
    expect(allowed(grammar)).toEqual([4, 5, 7]);
    grammar.accept(5);
    expect(allowed(grammar)).toEqual([6]);
    grammar.accept(6);
    expect(allowed(grammar)).toEqual([END]);
    const other = open("root ::= [^a]");
    other.accept(7);
    expect(allowed(other)).toEqual([6, 8, 10]);
  });

  test("bytes that spell no character never fit, whatever the grammar", () => {
    const grammar = open("root ::= .*");
    expect(allowed(grammar)).not.toContain(11);
    expect(allowed(grammar)).not.toContain(6);
    expect(allowed(grammar)).not.toContain(12);
    grammar.accept(9);
    expect(allowed(grammar)).toEqual([]);
  });

  test("a dead end is an empty mask", () => {
    const grammar = open('root ::= "a" "z"');
    grammar.accept(0);
    expect(allowed(grammar)).toEqual([]);
  });

  test("what is not allowed is refused when it is accepted", () => {
    expect(() => open('root ::= "a"').accept(1)).toThrow("does not fit");
  });

  test("mask and single check agree, for any grammar and any way through it", () => {
    const item = fc.constantFrom(
      '"a"',
      '"ab"',
      "[^a]",
      ".",
      '"é"',
      "root?",
      "r",
      '("a" | r)*',
      "[ab]{1,3}",
      "[é😀]+",
    );
    const sequence = fc.array(item, { maxLength: 3 }).map((items) => items.join(" "));
    const rule = fc.array(sequence, { minLength: 1, maxLength: 3 }).map((list) => list.join(" | "));
    fc.assert(
      fc.property(rule, rule, fc.array(fc.nat(), { maxLength: 6 }), (root, r, picks) => {
        let grammar: TokenGrammar;
        try {
          grammar = open(`root ::= ${root}\nr ::= ${r}`);
        } catch (error) {
          expect(error).toBeInstanceOf(GrammarError);
          return;
        }
        for (const pick of picks) {
          const singly = [...pieces.keys()].filter((token) => grammar.allows(token));
          expect(allowed(grammar)).toEqual(singly);
          if (singly.length === 0) return;
          grammar.accept(singly[pick % singly.length] ?? 0);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("grammars that run away in llama.cpp", () => {
  const ambiguous: [name: string, grammar: string][] = [
    ["two ways at each character", 'root ::= "a" root "b" | "a" root "c" | "d"'],
    ["recursion three times over", "root ::= . . . | [^\\x00] root{0,3} [a-z]{0,3}"],
    ["sums without order", 'root ::= root root | root root root | "a"'],
    [
      "ways that double with each rule",
      `root ::= r0\n${Array.from({ length: 40 }, (_, i) => `r${i} ::= r${i + 1} "x" | r${i + 1} "y"`).join("\n")}\nr40 ::= "a"+`,
    ],
    ["stars in stars", 'root ::= ((("a"*)*)*)*'],
  ];
  test.each(ambiguous)("%s: followed in bounded time, or said to be too ambiguous", (_, text) => {
    const walk = new GrammarWalk(parseGrammar(text));
    try {
      let at: Place | null = walk.start;
      for (let i = 0; i < 300 && at !== null; i++) {
        walk.rest();
        at = walk.step(at, 0x61);
      }
    } catch (error) {
      expect(error).toBeInstanceOf(TooAmbiguous);
    }
  });

  test("a string is walked in places that come again: time does not grow with its length", () => {
    const walk = new GrammarWalk(parseGrammar(JSON_GRAMMAR));
    let at: Place | null = walk.start;
    const seen = new Set<Place>();
    for (const character of `["${"hello world ".repeat(400)}", "x"`) {
      at = at && walk.step(at, character.codePointAt(0) ?? 0);
      if (at) seen.add(at);
    }
    expect(at).not.toBeNull();
    expect(seen.size).toBeLessThan(30);
  });
});
