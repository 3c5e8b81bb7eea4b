/** The self-test finds a device that resumes wrongly, by the way that was wrong, and is remembered per setup. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Device, DeviceError } from "../../../src/engine/Device.ts";
import type { MemoryKind } from "../../../src/engine/protocol.ts";
import { SelfTestMemory, type SelfTestResult, selfTest } from "../../../src/engine/selfTest.ts";
import { FakeDevice } from "../../support/FakeDevice.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const CHUNK = 32;

/** A device that does `broken` instead of the method of that name. */
function breaking(memory: MemoryKind, broken: (device: FakeDevice) => Partial<Device>): Device {
  const device = new FakeDevice({ memory, copyIsDeferred: false });
  const changed = broken(device);
  return new Proxy<Device>(device, {
    get(target, name) {
      const value: unknown = Reflect.get(name in changed ? changed : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const wrong = ({ equal }: SelfTestResult): string[] =>
  Object.entries(equal).flatMap(([way, same]) => (same ? [] : [way]));

describe.each(KINDS)("%s", (memory) => {
  test("a device that keeps its promises may resume, and is left empty", () => {
    const device = new FakeDevice({ memory, lanes: 2, spares: 1 });
    expect(selfTest(device, CHUNK)).toMatchObject({ allowed: true });
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
    const result = selfTest(device, CHUNK);
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
    expect(wrong(selfTest(device, CHUNK))).toEqual(["forked"]);
  });

  test("logits that are never the same twice are found", () => {
    let count = 0n;
    const device = breaking(memory, () => ({ hashLogits: () => count++ }));
    expect(selfTest(device, CHUNK).allowed).toBe(false);
  });

  test("a way that the device fails at is a wrong way, and no failed start", () => {
    const device = breaking(memory, () => ({
      copy: () => {
        throw new DeviceError("out-of-memory", "no room");
      },
    }));
    expect(wrong(selfTest(device, CHUNK))).toEqual(["forked"]);
  });

  test("a restore that is refused is found, not thrown", () => {
    const device = breaking(memory, () => ({ restore: () => false }));
    expect(wrong(selfTest(device, CHUNK))).toContain("restored");
  });
});

describe("what is remembered", () => {
  const home = mkdtempSync(join(tmpdir(), "warmturn-self-test-"));
  afterAll(() => rmSync(home, { recursive: true }));
  const good = selfTest(new FakeDevice({ memory: "dense" }), CHUNK);

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
