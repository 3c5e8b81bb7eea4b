/** The self-test finds a device that resumes wrongly, by the way that was wrong, and is remembered per setup. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeTest } from "../../../../src/engine/proof/proveDecode.ts";
import { longSelfTest, type SelfTestResult, selfTest } from "../../../../src/engine/proof/proveStates.ts";
import { togetherTest } from "../../../../src/engine/proof/proveTogether.ts";
import { SelfTestMemory } from "../../../../src/engine/proof/RememberedProofs.ts";
import { type Device, DeviceError } from "../../../../src/run/Device.ts";
import type { MemoryKind } from "../../../../src/run/EngineReady.ts";
import { FakeDevice } from "../../../support/FakeDevice.ts";
import { lyingDevice } from "../../../support/lyingDevice.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const CHUNK = 32;
const SIZE = { chunkTokens: CHUNK, chunks: 2 };

function breaking(memory: MemoryKind, broken: (device: FakeDevice) => Partial<Device>): Device {
  const device = new FakeDevice({ memory, copyIsDeferred: false });
  return lyingDevice(device, broken(device));
}

const wrong = ({ equal }: SelfTestResult): string[] =>
  Object.entries(equal).flatMap(([way, same]) => (same ? [] : [way]));

describe.each(KINDS)("%s", (memory) => {
  test("a device that keeps its promises may resume, and is left empty", () => {
    const device = new FakeDevice({ memory, lanes: 2, spares: 1 });
    expect(selfTest(device, SIZE)).toMatchObject({ allowed: true });
    expect(device.log.slice(-3)).toEqual(["clear 0", "clear 1", "clear 2"]);
  });

  test("a full save that loses something is found", () => {
    const device = breaking(memory, (real) => ({
      restore: (seq, part, bytes) => {
        const ok = real.restore(seq, part, bytes);
        if (part === "full") real.prefill(seq, 2 * CHUNK, Int32Array.of(1), false);
        if (part === "full" && memory === "dense") real.truncate(seq, 2 * CHUNK - 1);
        return ok;
      },
      // The fake is as strict as llama.cpp about positions; this one evaluates wherever it is told to.
      prefill: (seq, pos, tokens, logits) => {
        try {
          real.prefill(seq, pos, tokens, logits);
        } catch {
          real.clear(seq);
          real.prefill(seq, 0, tokens, logits);
        }
      },
    }));
    const result = selfTest(device, SIZE);
    expect(wrong(result)).toEqual(["restored"]);
    expect(result.allowed).toBe(false);
    expect(result.why).toContain(`${memory} model`);
    expect(result.why).toContain("restored");
  });

  test("a copy that copies nothing is found", () => {
    const device = breaking(memory, (real) => ({
      copy: (_, to) => {
        real.clear(to);
        real.prefill(to, 0, new Int32Array(2 * CHUNK), false);
      },
    }));
    expect(wrong(selfTest(device, SIZE))).toEqual(["forked"]);
  });

  test("logits that are never the same twice are found", () => {
    let count = 0n;
    const device = breaking(memory, () => ({ hashLogits: () => count++ }));
    expect(selfTest(device, SIZE).allowed).toBe(false);
  });

  test("a way that the device fails at is a wrong way, and no failed start", () => {
    const device = breaking(memory, () => ({
      copy: () => {
        throw new DeviceError("out-of-memory", "no room");
      },
    }));
    expect(wrong(selfTest(device, SIZE))).toEqual(["forked"]);
  });

  test("a restore that is refused is found, not thrown", () => {
    const device = breaking(memory, () => ({ restore: () => false }));
    expect(wrong(selfTest(device, SIZE))).toContain("restored");
  });
});

describe("the long form", () => {
  test("has chunks of the full size, and writes over every cell of a sliding window", () => {
    expect(longSelfTest(512, 0, 8192)).toEqual({ chunkTokens: 512, chunks: 2 });
    const { chunkTokens, chunks } = longSelfTest(512, 1024, 8192);
    expect(chunkTokens).toBe(512);
    // llama.cpp gives a window's layers a micro-batch more than the window.
    expect(chunkTokens * chunks).toBeGreaterThan(1024 + 512);
    expect(longSelfTest(2048, 0, 8192).chunkTokens).toBe(512);
  });

  test("fits the context", () => {
    const size = longSelfTest(512, 4096, 1024);
    expect(size.chunkTokens * size.chunks).toBeLessThan(1024);
    const device = new FakeDevice({ memory: "window", ctxTokens: 1024 });
    expect(selfTest(device, size).allowed).toBe(true);
  });

  test("finds what goes wrong behind the short form's end only", () => {
    const broken = () =>
      breaking("dense", (real) => ({
        restore: (seq, part, bytes) => {
          const ok = real.restore(seq, part, bytes);
          if (real.truncate(seq, 256) && bytes.length > 256 * 4 + 512) real.clear(seq);
          return ok;
        },
        prefill: (seq, pos, tokens, logits) => {
          try {
            real.prefill(seq, pos, tokens, logits);
          } catch {
            throw new DeviceError("evaluate-failed", "rows are missing");
          }
        },
      }));
    expect(selfTest(broken(), SIZE).allowed).toBe(true);
    expect(wrong(selfTest(broken(), longSelfTest(512, 0, 4096)))).toEqual(["restored"]);
  });
});

describe("decode", () => {
  test.each(KINDS)("alone it is the same twice, beside others it is not: %s", (memory) => {
    const device = new FakeDevice({ memory, lanes: 3 });
    expect(decodeTest(device)).toEqual({ again: true, besideOthers: false });
    expect(device.log.slice(-3)).toEqual(["clear 0", "clear 1", "clear 2"]);
  });

  test("with one lane there are no others", () => {
    expect(decodeTest(new FakeDevice({ memory: "dense", lanes: 1 })).besideOthers).toBeNull();
  });

  test("logits that change by themselves, and a device that fails, are found", () => {
    let count = 0n;
    const changing = breaking("dense", () => ({ hashLogits: () => count++ }));
    expect(decodeTest(changing).again).toBe(false);
    const failing = breaking("dense", () => ({
      decode: () => {
        throw new DeviceError("evaluate-failed", "no");
      },
    }));
    expect(decodeTest(failing).again).toBe(false);
  });
});

describe("together", () => {
  const probs = (values: (row: number, token: number) => number) => (real: Device) =>
    lyingDevice(real, { logProbs: (row, token) => ({ token, value: values(row, token), top: [] }) });
  const device = (lanes = 3): Device => new FakeDevice({ memory: "hybrid", lanes });

  test("low bits are no harm", () => {
    let bits = 0;
    const noisy = probs((_, token) => -(token % 17) + (bits++ % 7) * 0.01)(device());
    expect(togetherTest(noisy)).toBe(true);
    expect(selfTest(noisy, SIZE).together).toBe(true);
  });

  test("one wrong row is found, and so is one that only a step of two has", () => {
    expect(togetherTest(probs((row, token) => -((token * (row === 2 ? 5 : 1)) % 17))(device()))).toBe(false);
    let rows = 0;
    const real = device();
    const counted = lyingDevice(real, {
      decode: (step) => {
        rows = step.length;
        real.decode(step);
      },
    });
    const wrong = probs((row, token) => -((token * (row === 1 && rows === 2 ? 5 : 1)) % 17));
    expect(togetherTest(wrong(counted))).toBe(false);
    expect(togetherTest(probs((row) => (row === 1 ? Number.NaN : -1))(device()))).toBe(false);
  });

  test("one lane has no others; a device that fails decodes nothing together", () => {
    expect(togetherTest(device(1))).toBe(true);
    const failing = lyingDevice(device(), {
      decode: () => {
        throw new DeviceError("evaluate-failed", "no");
      },
    });
    expect(togetherTest(failing)).toBe(false);
  });
});

describe("what is remembered", () => {
  const home = mkdtempSync(join(tmpdir(), "warmturn-self-test-"));
  afterAll(() => rmSync(home, { recursive: true }));
  const good = selfTest(new FakeDevice({ memory: "dense" }), SIZE);

  test("the result of this setup, and of no other", () => {
    new SelfTestMemory(home).write(7n, good);
    expect(new SelfTestMemory(home).read(7n)).toEqual(good);
    expect(new SelfTestMemory(home).read(8n)).toBeUndefined();
  });

  test("a damaged file is none, and a home that cannot be written costs nothing", () => {
    const folder = join(home, "self-test");
    const [name = ""] = readdirSync(folder);
    for (const text of ["", "{", "null", '{"allowed":"yes","why":""}']) {
      writeFileSync(join(folder, name), text);
      expect(new SelfTestMemory(home).read(7n)).toBeUndefined();
    }
    const nowhere = new SelfTestMemory(join(folder, name));
    nowhere.write(7n, good);
    expect(nowhere.read(7n)).toBeUndefined();
  });
});
