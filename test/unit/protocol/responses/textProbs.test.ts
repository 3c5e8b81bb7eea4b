/** Tokens that wrote a text, found by what they wrote. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { ReplyParser } from "../../../../src/chat/replyParser.ts";
import { TextProbs } from "../../../../src/protocol/responses/TextProbs.ts";

/** Tokens are the texts themselves. */
function probsOver(texts: readonly string[]) {
  const probs = new TextProbs({ piece: (token) => Buffer.from(texts[token] ?? "") });
  const told = (token: number): void => probs.told([{ token, value: 0, top: [] }]);
  return { probs, told, text: (text: string) => probs.text(text).map(({ token }) => token) };
}

test("a token that wrote text and held some back counts with the first of it", () => {
  const { told, text } = probsOver(["</think>\n\n", "so <", "b> ", "and", " on"]);
  told(0);
  told(1);
  expect(text("so ")).toEqual([1]);
  told(2);
  expect(text("<b>")).toEqual([2]);
  told(3);
  expect(text(" and")).toEqual([3]);
  told(4);
  expect(text(" on")).toEqual([4]);
});

test("what wrote something else belongs to no text", () => {
  const { probs, told, text } = probsOver(["a", "b"]);
  told(0);
  probs.other();
  told(1);
  expect(text("b")).toEqual([1]);
  expect(text("never told")).toEqual([]);
});

test("half a character is all that was told", () => {
  const probs = new TextProbs({ piece: (token) => Uint8Array.of(token) });
  probs.told([{ token: 0xe2, value: 0, top: [] }]);
  expect(probs.text("\ufffd")).toHaveLength(1);
});

test("of any reply in any tokens: the tokens of its text, each once, in order, and they wrote all of it", () => {
  const wordArb = fc.oneof(
    fc.constantFrom("<think>", "</think>", "<tool_call>", "\n", "<", "think", " ", "a<b", "\u00e9"),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(wordArb, { maxLength: 24 }), (texts) => {
      const { probs, told, text } = probsOver(texts);
      const parser = new ReplyParser({ opensReasoning: false, tools: [], newCallId: () => "c" });
      const seen: number[] = [];
      let written = "";
      const take = (deltas: ReturnType<ReplyParser["push"]>): void => {
        for (const delta of deltas) {
          if (delta.type !== "text") probs.other();
          else {
            written += delta.text;
            seen.push(...text(delta.text));
          }
        }
      };
      for (const [token, piece] of texts.entries()) {
        told(token);
        take(parser.push(piece));
      }
      take(parser.end());
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      const all = seen.map((token) => texts[token]).join("");
      for (const word of written.split(/\s+/)) expect(all).toContain(word);
    }),
    { numRuns: 500 },
  );
});
