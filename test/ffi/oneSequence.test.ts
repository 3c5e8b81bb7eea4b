/** Each prefill call evaluates tokens of one sequence: what is asserted on the batch, seen in the memory. */
import { afterAll, describe, expect, test } from "bun:test";
import { Context } from "../../ffi/Context.ts";
import { TINY_KINDS } from "../support/tinyModels/tinyModel.ts";
import { openBackend, openTiny, someTokens } from "./rig.ts";

const SEQUENCES = 3;
const CHUNK = 16;

const backend = openBackend();
afterAll(() => backend?.close());

describe.skipIf(backend === null).each(TINY_KINDS)("%s", (kind) => {
  test("a chunk's rows are those of its own sequence, from its position on, and no other sequence gets one", async () => {
    if (backend === null) return;
    using model = await openTiny(backend, kind);
    using context = Context.open(model, { ctxTokens: 256, sequences: SEQUENCES, ubatch: CHUNK, threads: 1 });
    const lasts = (): number[] => Array.from({ length: SEQUENCES }, (_, seq) => context.last(seq));
    const chunk = someTokens(model.vocab.size, CHUNK, 1);
    const seen: (readonly number[] | string)[] = [];
    for (const seq of [1, 2, 1]) {
      try {
        context.prefill(seq, context.last(seq) + 1, chunk, false);
        seen.push(lasts());
      } catch (error) {
        seen.push(String(error));
      }
    }
    expect(seen).toEqual([
      [-1, CHUNK - 1, -1],
      [-1, CHUNK - 1, CHUNK - 1],
      [-1, 2 * CHUNK - 1, CHUNK - 1],
    ]);
  });
});
