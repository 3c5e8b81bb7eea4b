/** A reply that nothing is read into: each token with the text that it made sure. */
import { expect, test } from "bun:test";
import { RawReply } from "../../../src/serve/RawReply.ts";

const CONTROL = 1;
const TAG = 2;
const PIECES: Readonly<Record<number, string>> = { [CONTROL]: "<|im_start|>", [TAG]: "<think>" };
const vocab = {
  specials: [
    { id: CONTROL, text: "<|im_start|>", kind: "control" as const },
    { id: TAG, text: "<think>", kind: "user-defined" as const },
  ],
  piece: (token: number) =>
    token in PIECES ? new TextEncoder().encode(PIECES[token]) : Uint8Array.of(token),
};
const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

function read(tokens: readonly number[], stop: readonly string[] = []) {
  const reply = new RawReply({ vocab, stop });
  const deltas = [...tokens.flatMap((token) => reply.push(token)), ...reply.end()];
  return { reply, texts: deltas.map((delta) => (delta.type === "text" ? delta.text : delta.type)) };
}

test("a control token spells nothing, as in llama-server; a tag that is text is told", () => {
  const { reply, texts } = read([97, CONTROL, TAG, 98]);
  expect(texts).toEqual(["a", "", "<think>", "b"]);
  expect([reply.text, reply.tokens]).toEqual(["a<think>b", [97, CONTROL, TAG, 98]]);
});

test("a character that spans tokens comes with its last, and what is left of one at the end", () => {
  expect(read(bytes("é")).texts).toEqual(["", "é"]);
  expect(read([97, 0xc3]).texts).toEqual(["a", "", "\ufffd"]);
});

test("a stop string is no text, but its tokens were generated", () => {
  const { reply, texts } = read(bytes("a\n\nb"), ["\n\n"]);
  expect(texts.join("")).toBe("a");
  expect([reply.stopString, reply.text, reply.tokens]).toEqual(["\n\n", "a", bytes("a\n\n")]);
});

test("what could have become a stop string is told at the end", () => {
  expect(read(bytes("a\n"), ["\n\n"]).texts).toEqual(["a", "", "\n"]);
});
