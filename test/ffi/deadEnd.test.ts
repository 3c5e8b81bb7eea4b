/** A grammar that leaves no token is a value with a sentence, however often it is asked; the process lives on. */
import { afterAll, expect, test } from "bun:test";
import { Context } from "../../ffi/Context.ts";
import { type Sampled, Sampler } from "../../ffi/Sampler.ts";
import { GREEDY, openBackend, openTiny } from "./rig.ts";

const backend = openBackend();
afterAll(() => backend?.close());

test.skipIf(backend === null)(
  "a grammar's dead end is a value, and the next sampler goes on from there",
  async () => {
    if (backend === null) return;
    using model = await openTiny(backend, "qwen3");
    using context = Context.open(model, { ctxTokens: 256, sequences: 1, ubatch: 32, threads: 1 });
    context.prefill(0, 0, new Int32Array([1, 2, 3]), true);
    // Behind its one letter the grammar allows the end alone, which ignore_eos forbids.
    using sampler = Sampler.open(context, { ...GREEDY, grammar: 'root ::= "a"', ignoreEos: true });
    const seen: (Sampled | string)[] = [];
    const ask = (): Sampled => {
      try {
        const sampled = sampler.sample(0);
        seen.push("token" in sampled ? Buffer.from(model.vocab.piece(sampled.token)).toString() : sampled);
        return sampled;
      } catch (error) {
        seen.push(String(error));
        return { deadEnd: "" };
      }
    };
    const first = ask();
    if ("token" in first) context.decode(new Int32Array([0, 3, first.token]));
    ask();
    ask();
    const deadEnd = { deadEnd: expect.stringContaining("ignore_eos") as unknown as string };
    expect(seen).toEqual(["a", deadEnd, deadEnd]);
    using free = Sampler.open(context, GREEDY);
    expect(free.sample(0)).toHaveProperty("token");
  },
);
