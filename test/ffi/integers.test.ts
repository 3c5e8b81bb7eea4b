/** A whole number is the same to C whether JavaScript holds it as an integer or as a double. */
import { describe, expect, test } from "bun:test";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

describe("integers across the border", () => {
  test("a token held as a double is that token", async () => {
    const { path } = await tinyModel("qwen3");
    using backend = Backend.open();
    using model = Model.load(backend, { path, vocabOnly: true });
    const { shim, id } = model.native();
    // An array that has held a fraction stores all its numbers as doubles.
    const doubles = [0.5, 97, 301];
    doubles[0] = 11;
    const piece = (token: number): Uint8Array => {
      const buffer = new Uint8Array(64);
      const length = shim.wt_vocab_piece(id, token, buffer, buffer.length);
      return buffer.subarray(0, length);
    };
    expect(doubles.map((token) => piece(token))).toEqual([piece(11), piece(97), piece(301)]);
    expect(piece(97)).not.toEqual(piece(0));
  });
});
