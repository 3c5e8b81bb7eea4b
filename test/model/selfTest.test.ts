/**
 * The self-test on libllama: it passes on every kind of memory, at one thread and at two; and a device whose
 * saved or copied states are not what they were is found, on the way that is wrong, and never resumes.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import { type SelfTestResult, selfTest } from "../../src/engine/proof/proveStates.ts";
import { lyingDevice } from "../support/lyingDevice.ts";
import { TINY_KINDS, tinyModel } from "../support/tinyModels/tinyModel.ts";

const SIZE = { chunkTokens: 64, chunks: 2 };
/** Two threads on busy cores take their time. */
const TEST_MS_MAX = 300_000;

/** Numbers in the middle are others each time. Counts, which llama.cpp would believe, lie at the edges. */
function altered(bytes: Uint8Array, times: number): Uint8Array {
  const copy = bytes.slice();
  const from = Math.floor(copy.length * 0.3) * 2;
  for (let at = from; at < from + 64; at += 2) {
    copy[at] = (times * 37) & 0xff;
    copy[at + 1] = 0x38;
  }
  return copy;
}

const wrong = ({ equal }: SelfTestResult): string[] =>
  Object.entries(equal).flatMap(([way, same]) => (same ? [] : [way]));

describe.each(TINY_KINDS)("%s", (kind) => {
  let backend: Backend;
  let model: Model;

  beforeAll(async () => {
    const { path } = await tinyModel(kind);
    backend = Backend.open();
    model = Model.load(backend, { path, gpuLayers: 0 });
  });
  afterAll(() => {
    model.close();
    backend.close();
  });

  const open = (threads: number): LlamaDevice =>
    LlamaDevice.on(model, { lanes: 2, spares: 1, context: { ctxTokens: 512, ubatch: 128, threads } });

  for (const threads of [1, 2]) {
    test(
      `passes at ${threads} ${threads === 1 ? "thread" : "threads"}`,
      () => {
        using device = open(threads);
        const { equal, allowed, together } = selfTest(device, SIZE);
        expect(equal).toEqual({
          resumed: true,
          again: true,
          otherSequence: true,
          restored: true,
          forked: true,
        });
        expect(together).toBe(true);
        expect(allowed).toBe(true);
      },
      TEST_MS_MAX,
    );
  }

  test("a restore that gives other bits is found", () => {
    using device = open(1);
    let times = 0;
    let refused = 0;
    const lies = lyingDevice(device, {
      restore: (seq, part, bytes) => {
        const fits = device.restore(seq, part, altered(bytes, ++times));
        if (!fits) refused++;
        return fits;
      },
    });
    const result = selfTest(lies, SIZE);
    expect(refused).toBe(0);
    expect(wrong(result)).not.toEqual([]);
    expect(result.allowed).toBe(false);
  });

  test("a copy that is not made is found, and stops no start", () => {
    using device = open(1);
    const result = selfTest(lyingDevice(device, { copy: () => {} }), SIZE);
    expect(wrong(result)).toEqual(["forked"]);
    expect(result.allowed).toBe(false);
  });
});
