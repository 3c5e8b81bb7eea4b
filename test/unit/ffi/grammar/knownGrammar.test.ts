/** What one reply has learnt of a grammar serves the next, and changes nothing about what is allowed. */
import { describe, expect, test } from "bun:test";
import { knownGrammar } from "../../../../ffi/grammar/knownGrammar.ts";
import { TokenGrammar } from "../../../../ffi/grammar/TokenGrammar.ts";
import { TokenLists } from "../../../../ffi/grammar/TokenLists.ts";
import { TokenTable } from "../../../../ffi/grammar/TokenTable.ts";
import { Prng } from "../../../support/tinyModels/Prng.ts";

const ROWS = 'root ::= "[" row ("," row)* "]"\nrow ::= "{" [a-z]{1,9} ":" ("yes" | "no" | row) "}"';
const NESTED = 'root ::= "(" root ")" | "x"';
const PIECES = [
  "[",
  "]",
  "{",
  "}",
  ",",
  ":",
  "yes",
  "no",
  "y",
  "es",
  "o",
  "n",
  "a",
  "bc",
  "z{",
  '{"',
  "},{",
  "}]",
];

function tokens() {
  const vocab = {
    piece: (token: number) => new TextEncoder().encode(PIECES[token] ?? ""),
    isEnd: (token: number) => token === PIECES.length,
  };
  const table = new TokenTable(PIECES.length + 1, vocab.piece, vocab.isEnd);
  return { vocab, begin: () => new TokenGrammar(ROWS, vocab, () => table) };
}

/** What is allowed at each of up to 40 steps of a reply that `seed` chooses. */
function walk(grammar: TokenGrammar, seed: string): number[][] {
  const random = new Prng(seed);
  const seen: number[][] = [];
  for (let step = 0; step < 40; step += 1) {
    const allowed = [...grammar.allowed()].sort((a, b) => a - b);
    seen.push(allowed);
    const token = allowed[Math.floor(random.uniform() * allowed.length)];
    if (token === undefined || token === PIECES.length) return seen;
    grammar.accept(token);
  }
  return seen;
}

test("what is allowed behind other replies is what a first reply is allowed", () => {
  const { begin } = tokens();
  for (let reply = 0; reply < 60; reply += 1) {
    expect(walk(begin(), `r${reply}`)).toEqual(walk(tokens().begin(), `r${reply}`));
  }
});

describe("a walk", () => {
  test("goes on for the same text and vocabulary, and for no other", () => {
    const one = {};
    const first = knownGrammar(ROWS, one);
    expect(knownGrammar(ROWS, one)).toBe(first);
    expect(knownGrammar(ROWS, {})).not.toBe(first);
    expect(knownGrammar('root ::= "a"', one)).not.toBe(first);
  });

  test("is forgotten behind eight others", () => {
    const one = {};
    const first = knownGrammar(ROWS, one);
    for (let other = 0; other < 7; other += 1) knownGrammar(`root ::= "${other}"`, one);
    expect(knownGrammar(ROWS, one)).toBe(first);
    for (let other = 0; other < 8; other += 1) knownGrammar(`root ::= "${other}"`, one);
    expect(knownGrammar(ROWS, one)).not.toBe(first);
  });

  test("is begun anew when it has come to many places; the grammar is not read again", () => {
    const one = {};
    const first = knownGrammar(NESTED, one);
    let place = first.walk.start;
    for (let count = 0; count < 4100; count += 1) place = first.walk.step(place, 0x28) ?? place;
    expect(first.walk.size).toBeGreaterThan(4000);
    const second = knownGrammar(NESTED, one);
    expect(second).not.toBe(first);
    expect(second.walk.size).toBeLessThan(10);
    expect(second.walk.grammar).toBe(first.walk.grammar);
  });
});

test("lists: the last ones used, a million tokens in all", () => {
  const lists = new TokenLists();
  lists.set(1, new Int32Array(400_000));
  lists.set(2, new Int32Array(400_000));
  expect(lists.get(1)).toHaveLength(400_000);
  lists.set(3, new Int32Array(400_000));
  expect(lists.get(2)).toBeUndefined();
  expect(lists.get(1)).toHaveLength(400_000);
  expect(lists.get(3)).toHaveLength(400_000);
  lists.set(4, new Int32Array(1_000_001));
  expect(lists.get(4)).toBeUndefined();
  expect(lists.get(3)).toHaveLength(400_000);
});
