/** The vocabulary and tokenizer of small true models of several families. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Model } from "../../ffi/Model.ts";
import { TINY_KINDS } from "../support/tinyModels/tinyModel.ts";
import { openBackend, openTiny } from "./rig.ts";

const backend = openBackend();

describe.skipIf(backend === null).each(TINY_KINDS.map((kind) => [kind] as const))("%s", (kind) => {
  let model: Model;
  beforeAll(async () => {
    if (backend) model = await openTiny(backend, kind);
  });
  afterAll(() => model.close());

  const spell = (tokens: Int32Array) =>
    Buffer.concat([...tokens].map((token) => model.vocab.piece(token))).toString();

  test("text comes back from its tokens", () => {
    for (const text of ["hello world", "a\n\n  b\tc", "é中😀", "12345 !?", "\u0000x"]) {
      expect(spell(model.vocab.tokenise(text, true))).toBe(text);
    }
    expect(model.vocab.tokenise("", true)).toHaveLength(0);
  });

  test("specials: control spellings only with parseSpecial, user-defined ones always", () => {
    const { specials } = model.vocab;
    expect(specials.length).toBeGreaterThan(2);
    for (const { id, text, kind: sort } of specials) {
      expect(model.vocab.text(id)).toBe(text);
      expect(model.vocab.isControl(id)).toBe(sort === "control");
      expect([...model.vocab.tokenise(text, true)]).toEqual([id]);
      expect([...model.vocab.tokenise(text, false)].includes(id)).toBe(sort === "user-defined");
    }
  });

  test("ends are ends; -1 is none", () => {
    expect(model.vocab.isEnd(model.vocab.eos)).toBe(true);
    expect(model.vocab.isEnd(-1)).toBe(false);
    expect(model.vocab.isEnd(1e9)).toBe(false);
    expect(model.vocab.text(-1)).toBe("");
  });

  test("runs that overflow the C++ library's stack are cut, and nothing is lost", () => {
    for (const [unit, count] of [
      ["1", 100_000],
      ["!", 100_000],
      [" ", 20_000],
      ["a", 20_000],
      ["中", 9000],
      ["😀", 9000],
    ] as const) {
      const text = `x${unit.repeat(count)}y`;
      const tokens = model.vocab.tokenise(text, false);
      expect(spell(tokens) === text).toBe(true);
    }
  });

  test("what is cut of a long run does not depend on what follows it", () => {
    const run = "7".repeat(10_000);
    const short = model.vocab.tokenise(run.slice(0, 8192), false);
    const long = model.vocab.tokenise(run, false);
    expect([...long.subarray(0, short.length)]).toEqual([...short]);
  });
});
