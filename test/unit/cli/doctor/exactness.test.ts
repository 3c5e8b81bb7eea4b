/** What the doctor says of an engine whose kept states are wrong, on devices that lie; milliseconds each. */
import { describe, expect, test } from "bun:test";
import type { DoctorReport } from "../../../../src/cli/doctor/DoctorReport.ts";
import { exactnessReport, memoryReport, modelReport } from "../../../../src/cli/doctor/engineReport.ts";
import { findingsOf } from "../../../../src/cli/doctor/findings.ts";
import { configOf } from "../../../../src/config/Config.ts";
import { parseFlags } from "../../../../src/config/parseFlags.ts";
import type { OpenedGenerator } from "../../../../src/engine/open/openEngine.ts";
import type { SelfTestResult } from "../../../../src/engine/proof/proveStates.ts";
import type { Device } from "../../../../src/run/Device.ts";
import type { MemoryKind } from "../../../../src/run/EngineReady.ts";
import { FakeDevice } from "../../../support/FakeDevice.ts";
import { lyingDevice } from "../../../support/lyingDevice.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const MIB = 2 ** 20;

const MACHINE: DoctorReport["machine"] = {
  platform: "linux-x64",
  cpu: "a CPU",
  cores: 4,
  load: 0,
  memory_total_bytes: 16 * 1024 * MIB,
  memory_free_bytes: 12 * 1024 * MIB,
};

interface Opened {
  readonly engine: OpenedGenerator;
  readonly remembered: (readonly [bigint, SelfTestResult])[];
}

function opened(device: Device, stateRamBytes = 64 * MIB): Opened {
  const remembered: (readonly [bigint, SelfTestResult])[] = [];
  const shape = {
    weightBytes: 100 * MIB,
    embedding: 64,
    vocab: 1000,
    ctxTrain: 4096,
    tokenBytes: device.memory === "recurrent" ? 0 : 1024,
    windowTokenBytes: device.memory === "window" ? 2048 : 0,
    window: device.memory === "window" ? 512 : 0,
    recurrentBytes: device.memory === "hybrid" || device.memory === "recurrent" ? MIB : 0,
  };
  const engine: OpenedGenerator = {
    device,
    embedder: null,
    padding: null,
    stateRamBytes,
    decodesTogether: true,
    rollsBack: true,
    ready: {
      type: "ready",
      memory: device.memory,
      setup: 7n,
      ctxTokens: device.ctxTokens,
      lanes: device.lanes,
      spares: device.spares,
      chunkTokensMin: 32,
      chunkTokensMax: 256,
      taperTokens: 0,
      tripTokensMin: device.memory === "window" ? 128 : 0,
      // As an earlier start remembered it, rightly or not.
      resume: { allowed: true, why: "" },
      notes: [],
      embeddings: null,
      ranking: null,
      facts: {
        description: "a model",
        architecture: "fake",
        quantisation: "F32",
        parameters: 1000,
        weightBytes: shape.weightBytes,
        devices: ["CPU"],
        kvBytes: 12 * MIB,
        stateRamBytes,
        tokenBytes: shape.tokenBytes,
        snapshotBytes: 0,
      },
    },
    facts: {
      layers: 4,
      shape,
      plan: {
        ctxTokens: device.ctxTokens,
        parallel: device.lanes,
        spareSequences: device.spares,
        stateRamBytes,
        kvBytes: 12 * MIB,
        computeBytes: MIB,
        totalBytes: 113 * MIB + stateRamBytes,
        notes: [],
      },
      room: { hostBytes: 12 * 1024 * MIB, deviceBytes: 0, unified: false },
      useDevice: false,
      remembered: { write: (setup, result) => remembered.push([setup, result]) },
    },
  };
  return { engine, remembered };
}

/** Of the engine; without machine, library and template. */
function findings({ engine }: Opened, flags: readonly string[] = [], machine = MACHINE) {
  const argv = ["-m", "model.gguf", "-t", "2", ...flags];
  const config = configOf(parseFlags(argv, {}), {});
  const exactness = exactnessReport(engine);
  const report = {
    schema: 1 as const,
    version: "0",
    machine,
    library: null,
    template: null,
    model: modelReport("model.gguf", engine),
    memory: memoryReport(engine, config.engine, engine.ready),
    exactness,
  };
  return { exactness, memory: report.memory, found: findingsOf(report, config) };
}

const decodesWrongly = (memory: MemoryKind): Device =>
  new FakeDevice({ memory, lanes: 2, spares: 1, ctxTokens: 4096, copyIsDeferred: false });

/** Others in a step change hashes alone, as low bits do. */
const fake = (memory: MemoryKind): Device =>
  lyingDevice(decodesWrongly(memory), {
    logProbs: (_, token) => ({ token, value: -(token % 17), top: [] }),
  });

describe.each(KINDS)("%s", (memory) => {
  test("a device that keeps its promises: equal in every way, and remembered as such", () => {
    const { engine, remembered } = opened(fake(memory));
    const { exactness, found } = findings({ engine, remembered });
    const { prompt_tokens: short, ...ways } = exactness.short;
    const { prompt_tokens: long, ...longWays } = exactness.long;
    const all = { again: true, resumed: true, other_sequence: true, restored: true, forked: true };
    expect([ways, longWays]).toEqual([all, all]);
    expect([short, long > short, exactness.allowed]).toEqual([64 * 2 + 5, true, true]);
    // A window of 512, a micro-batch of 256, and no cell that is not written twice.
    if (memory === "window") expect(long).toBeGreaterThan(512 + 256);
    expect(found.filter(({ level }) => level === "wrong")).toEqual([]);
    expect(remembered).toMatchObject([[7n, { allowed: true }]]);
  });

  test("a restore that loses something is wrong, comes with advice, and is never resumed from again", () => {
    const real = fake(memory);
    const device = lyingDevice(real, { restore: () => false });
    const { engine, remembered } = opened(device);
    const { exactness, found } = findings({ engine, remembered });
    expect([exactness.allowed, exactness.short.restored, exactness.long.restored]).toEqual([
      false,
      false,
      false,
    ]);
    const [wrong] = found.filter(({ level }) => level === "wrong");
    expect(wrong?.about).toBe("exactness");
    expect(wrong?.says).toContain("restored");
    expect(wrong?.advice).toContain("--gpu-layers 0");
    expect(remembered).toMatchObject([[7n, { allowed: false }]]);
  });
});

test("what only long prompts show is wrong as well, and remembered", () => {
  const real = fake("dense");
  const device = lyingDevice(real, {
    save: (seq, part) => {
      const bytes = real.save(seq, part);
      // The last row of what is longer than the short form's prompts.
      return bytes.length > 1000 ? bytes.fill(0, -4) : bytes;
    },
  });
  const { engine, remembered } = opened(device);
  const { exactness, found } = findings({ engine, remembered });
  expect([exactness.short.restored, exactness.long.restored, exactness.allowed]).toEqual([
    true,
    false,
    false,
  ]);
  expect(found.some(({ level, about }) => level === "wrong" && about === "exactness")).toBe(true);
  expect(remembered).toMatchObject([[7n, { allowed: false }]]);
});

test("logits that are no numbers are one finding, and its advice is another", () => {
  const logProbs = () => ({ token: 0, value: Number.NaN, top: [] });
  const { found, exactness } = findings(opened(lyingDevice(fake("dense"), { logProbs })));
  expect(exactness.allowed).toBe(false);
  expect(found.map(({ level, about }) => `${level} ${about}`)).toEqual(["wrong exactness"]);
  expect(found[0]?.says).toContain("no numbers");
  expect(found[0]?.advice).toContain("Every request fails");
});

test("logits that change by themselves are wrong", () => {
  let count = 0n;
  const { found, exactness } = findings(opened(lyingDevice(fake("dense"), { hashLogits: () => count++ })));
  expect(exactness.decode.again).toBe(false);
  expect(found.filter(({ level }) => level === "wrong").map(({ says }) => says)).toEqual([
    expect.stringContaining("The self-test fails"),
    expect.stringContaining("decoded twice"),
  ]);
});

test("that others in a step change bits is a note, and none with --exact-decode", () => {
  const says = (flags: readonly string[]) =>
    findings(opened(fake("dense")), flags).found.map((one) => one.says);
  expect(says([])).toEqual([expect.stringContaining("decoded together differ")]);
  expect(says(["--exact-decode"])).toEqual([]);
});

test("that others in a step change replies altogether is a note, remembered, and there with --exact-decode", () => {
  const { engine, remembered } = opened(decodesWrongly("hybrid"));
  const { exactness, found } = findings({ engine, remembered }, ["--exact-decode"]);
  expect(exactness.decode.together).toBe(false);
  expect(remembered).toMatchObject([[7n, { together: false }]]);
  expect(found).toEqual([
    expect.objectContaining({ level: "note", says: expect.stringContaining("in one step wrongly") }),
  ]);
});

describe("settings and memory", () => {
  const of = (flags: readonly string[], machine = MACHINE, stateRam?: number) =>
    findings(opened(fake("hybrid"), stateRam), ["--exact-decode", ...flags], machine).found;

  test("more threads than cores are wrong", () => {
    expect(of(["-t", "9"]).map(({ level, advice }) => [level, advice])).toEqual([
      ["wrong", "Start with --threads 4 or less."],
      ["wrong", "Start with --threads-batch 4 or less."],
    ]);
  });

  test("busy cores are a note that says how many threads are left", () => {
    expect(of([], { ...MACHINE, load: 3.1 })).toMatchObject([
      { level: "note", about: "cpu", advice: "Stop them, or start with --threads 1." },
    ]);
    expect(of([], { ...MACHINE, load: 1.6 })).toEqual([]);
  });

  test("little memory is a note", () => {
    expect(of([], { ...MACHINE, memory_free_bytes: 1000 * MIB })).toMatchObject([
      { level: "note", about: "memory", says: "Only 1000 MiB of 16 GiB of memory are free." },
    ]);
  });

  test("a context that does not fit is wrong where it was asked for, and a note where it is the model's", () => {
    expect(of(["-c", "6000"])).toMatchObject([
      { level: "note", about: "settings", says: expect.stringContaining("beyond the 4096 tokens") },
    ]);
    expect(of([])).toEqual([]);
    const { engine } = opened(fake("dense"));
    const smaller = { ...engine, ready: { ...engine.ready, ctxTokens: 2048 } };
    const { found } = findings({ engine: smaller, remembered: [] }, ["--exact-decode"]);
    expect(found).toMatchObject([{ level: "note", says: expect.stringContaining("4096 tokens of context") }]);
    const wanted = findings({ engine: smaller, remembered: [] }, ["--exact-decode", "-c", "3000"]).found;
    expect(wanted).toMatchObject([
      { level: "wrong", about: "memory", says: expect.stringContaining("--ctx-size 3000") },
    ]);
  });

  test("a budget that holds no snapshot is wrong, one that holds no whole conversation a note", () => {
    expect(of([], MACHINE, MIB / 2)).toMatchObject([
      { level: "wrong", advice: "Start with --state-ram 8M or more." },
    ]);
    expect(of([], MACHINE, 3 * MIB)).toMatchObject([{ level: "note", about: "memory" }]);
  });

  test("what the budget holds, by the length of a conversation", () => {
    const { memory } = findings(opened(fake("hybrid"), 90 * MIB));
    // 4096 tokens of 1 KiB, one set of recurrent rows, and four snapshots.
    expect(memory.holds).toEqual([
      { conversation_tokens: 4096, conversation_bytes: 9 * MIB, conversations: 10 },
    ]);
  });
});
