/** A grammar that waits for its trigger: what is free before it, what is held behind it, however tokens split. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HeldGrammar } from "../../../../ffi/grammar/HeldGrammar.ts";
import { TokenTable } from "../../../../ffi/grammar/TokenTable.ts";
import type { GrammarTrigger } from "../../../../src/run/RunSpec.ts";

const GRAMMAR = 'root ::= "<call>" [0-9]+ "</call>"';
const THINK = { start: "<think>", end: "</think>", opened: false };
const TRIGGER: GrammarTrigger = { text: "<call>", onlyAtStart: false, skip: THINK };

/** A token for each of the pieces, the last one ends. */
function holding(pieces: readonly string[], trigger: GrammarTrigger = TRIGGER) {
  const vocab = {
    piece: (token: number) => new TextEncoder().encode(pieces[token] ?? ""),
    isEnd: (token: number) => token === pieces.length,
  };
  const table = new TokenTable(pieces.length + 1, vocab.piece, vocab.isEnd);
  return new HeldGrammar(GRAMMAR, trigger, vocab, () => table);
}

/** Index of the first piece that is refused; the count of pieces when only the end is; -1 for none. */
function firstRefused(pieces: readonly string[], trigger?: GrammarTrigger): number {
  const grammar = holding(pieces, trigger);
  for (let token = 0; token <= pieces.length; token += 1) {
    if (!grammar.allows(token)) return token;
    grammar.accept(token);
  }
  return -1;
}

describe("where it begins", () => {
  test.each<[string, readonly string[], number]>([
    ["free text", ["any", " text", " <", "call"], -1],
    ["a call", ["hi ", "<call>", "12", "</call>"], -1],
    ["a call in a token with text before it", ["hi <call>1", "2</call>"], -1],
    ["a call that goes wrong", ["<call>", "1", "x"], 2],
    ["a call that its own token spoils", ["hi", "<call>x"], 1],
    ["a call that does not end", ["<call>", "1"], 2],
    ["a mark in reasoning", ["<think>", "<call>", "x", "</think>", "so"], -1],
    ["a call behind reasoning", ["<think>", "<call>x", "</think>\n<call>", "x"], 3],
    ["reasoning whose tags are split", ["<th", "ink>", "<call>x</th", "ink><ca", "ll>y"], 4],
    ["reasoning that comes too late is text", ["hm <think>", "<call>x"], 1],
  ])("%s", (_, pieces, refused) => {
    expect(firstRefused(pieces)).toBe(refused);
  });

  test("reasoning that the prompt has opened", () => {
    const opened = { ...TRIGGER, skip: { ...THINK, opened: true } };
    expect(firstRefused(["<call>x", "</think>", "<call>", "x"], opened)).toBe(3);
  });

  test("only at the start", () => {
    const atStart = { ...TRIGGER, skip: null, onlyAtStart: true };
    expect(firstRefused([" \n<call>", "x"], atStart)).toBe(1);
    expect(firstRefused(["hi <call>", "x"], atStart)).toBe(-1);
  });
});

test("while it waits only what was asked for is refused; afterwards everything is known", () => {
  const pieces = ["<call>x", "<call>", "1", "hi"];
  const grammar = holding(pieces);
  expect(grammar.allows(0)).toBe(false);
  expect(grammar.instead([0])).toEqual({ allBut: Int32Array.of(0) });
  grammar.accept(1);
  expect(grammar.instead([3])).toEqual({ only: Int32Array.of(2) });
});

test("however a reply is split into tokens, it is held alike", () => {
  const text = "hm <ca<call>42</call>";
  const wrong = "é <call>4 ";
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 })), (cuts) => {
      const split = (whole: string): string[] => {
        const places = [0, ...cuts.filter((at) => at < whole.length).sort((a, b) => a - b), whole.length];
        return places.slice(1).map((end, index) => whole.slice(places[index], end));
      };
      expect(firstRefused(split(text))).toBe(-1);
      const pieces = split(wrong);
      expect(firstRefused(pieces)).toBe(pieces.length - 1);
    }),
  );
});
