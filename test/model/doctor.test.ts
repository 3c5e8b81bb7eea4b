/**
 * The doctor on libllama: all is well on every kind of memory, what it says of memory is what states take, and a
 * device or a model that is wrong is found, told with advice, and remembered for the server.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DoctorReport } from "../../src/cli/doctor/DoctorReport.ts";
import { type ExamineOptions, examine } from "../../src/cli/doctor/examine.ts";
import { configOf } from "../../src/config/Config.ts";
import { parseFlags } from "../../src/config/parseFlags.ts";
import type { EngineOptions } from "../../src/engine/open/EngineOptions.ts";
import { stateBytes } from "../../src/engine/open/modelShape.ts";
import { type OpenedGenerator, openEngine } from "../../src/engine/open/openEngine.ts";
import { lyingDevice } from "../support/lyingDevice.ts";
import { TINY_KINDS, tinyModel } from "../support/tinyModels/tinyModel.ts";

const DEMO = join(import.meta.dir, "..", "..", "models", "demo", "demo.gguf");
const FLAGS = ["-t", "1", "-c", "1024", "-ub", "128", "-ngl", "0", "--state-ram", "32M"];
/** A busy machine takes its time. */
const TEST_MS_MAX = 120_000;

const folder = mkdtempSync(join(tmpdir(), "warmturn-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));
let homes = 0;

/** In a home of its own, unless one is named. */
function doctor(
  model: string | null,
  flags: readonly string[] = [],
  open = openEngine,
  home?: string,
): DoctorReport {
  const argv = [...(model === null ? [] : ["-m", model]), ...FLAGS, ...flags];
  const env = { WARMTURN_HOME: home ?? join(folder, `home-${homes++}`) };
  const options: Omit<ExamineOptions, "config"> = { llamaLib: null, openEngine: open, onStep: () => {} };
  return examine({ ...options, config: model === null ? null : configOf(parseFlags(argv, env), env) });
}

/** Not an encoder. */
function generator(options: EngineOptions): OpenedGenerator {
  const opened = openEngine(options);
  if (opened.device === null) throw new Error("an encoder");
  return opened;
}

const wrong = ({ findings }: DoctorReport) => findings.filter(({ level }) => level === "wrong");
const EQUAL = { again: true, resumed: true, other_sequence: true, restored: true, forked: true };

test.each(TINY_KINDS)(
  "%s: all is well, every part is told, and what is said of memory is what states take",
  async (kind) => {
    const { path, memory, window = 0 } = await tinyModel(kind);
    const beyond: number[] = [];
    const report = doctor(path, [], (options) => {
      const opened = generator(options);
      const { device, facts } = opened;
      for (let at = 0; at < 384; at += 128) {
        device.prefill(
          0,
          at,
          Int32Array.from({ length: 128 }, (_, i) => 3 + i),
          false,
        );
        beyond.push(device.saveSize(0, "full") - stateBytes(facts.shape, at + 128));
      }
      device.clear(0);
      return opened;
    });
    expect([wrong(report), report.ok]).toEqual([[], true]);
    expect(report.model).toMatchObject({ path, memory, window_tokens: window, train_tokens: 8192 });
    expect(report.exactness).toMatchObject({
      allowed: true,
      short: EQUAL,
      long: EQUAL,
      decode: { again: true },
    });
    expect(report.template?.openers.length).toBeGreaterThan(0);
    expect(report.template?.calls.read).toEqual({
      oneCall: "exact",
      nestedArguments: "exact",
      twoCalls: "exact",
    });
    expect(report.memory).toMatchObject({
      ctx_tokens: 1024,
      lanes: 2,
      spares: 1,
      state_ram_bytes: 32 * 2 ** 20,
    });
    expect((report.memory?.snapshot_bytes ?? 0) > 0).toBe(memory !== "dense");
    expect(report.library?.cpu_features.length).toBeGreaterThan(0);
    // A header, and nothing else that was not told.
    for (const bytes of beyond) expect(bytes).toBeWithin(0, 512);
  },
  TEST_MS_MAX,
);

test(
  "the trained model: all is well",
  () => {
    const report = doctor(DEMO);
    expect([wrong(report), report.ok]).toEqual([[], true]);
    expect(report.exactness).toMatchObject({ allowed: true, short: EQUAL, long: EQUAL });
    expect(report.template?.next_turn.cases.every(({ warmed }) => warmed)).toBe(true);
  },
  TEST_MS_MAX,
);

test(
  "a copy that is not made is wrong, with advice, and the server goes by it until it is mended",
  async () => {
    const { path } = await tinyModel("qwen3");
    const home = join(folder, "broken");
    const resumes: boolean[] = [];
    const watched: typeof generator = (options) => {
      const opened = generator(options);
      resumes.push(opened.ready.resume.allowed);
      return opened;
    };
    const report = doctor(
      path,
      [],
      (options) => {
        const opened = watched(options);
        return { ...opened, device: lyingDevice(opened.device, { copy: () => {} }) };
      },
      home,
    );
    expect(report.ok).toBe(false);
    expect(report.exactness).toMatchObject({ allowed: false, short: { ...EQUAL, forked: false } });
    expect(wrong(report)).toMatchObject([{ about: "exactness", says: expect.stringContaining("forked") }]);
    expect(wrong(report)[0]?.advice).not.toBe("");
    // Tested anew, whatever is remembered.
    expect(doctor(path, [], watched, home).ok).toBe(true);
    doctor(path, [], watched, home);
    expect(resumes).toEqual([true, false, true]);
  },
  TEST_MS_MAX,
);

describe("what is wrong with a model's file", () => {
  /** The tiny model's bytes, changed. */
  async function changed(name: string, change: (bytes: Buffer) => Uint8Array): Promise<string> {
    const path = join(folder, `${name}.gguf`);
    writeFileSync(path, change(readFileSync((await tinyModel("qwen3")).path)));
    return path;
  }

  test.each<[string, (bytes: Buffer) => Uint8Array, string]>([
    ["no GGUF", () => Buffer.from("this is no model"), "not a GGUF model file"],
    ["half of one", (bytes) => bytes.subarray(0, bytes.length >> 1), "corrupted or incomplete"],
    ["damaged metadata", (bytes) => bytes.fill(0xff, 24, 60), "damaged GGUF"],
    ["nothing", () => Buffer.alloc(0), "not a GGUF model file"],
  ])("%s is one sentence", async (name, change, says) => {
    const report = doctor(await changed(name, change));
    const [first, ...more] = wrong(report);
    expect([first?.about, more]).toEqual(["model", []]);
    expect(first?.says).toMatch(/^Cannot load [^\n]*\.$/);
    expect(first?.says).toContain(says);
    expect(first?.advice).not.toBe("");
    expect([report.ok, report.model, report.exactness]).toEqual([false, null, null]);
    expect(report.library).not.toBeNull();
  });

  test("no file, and a folder", () => {
    expect(wrong(doctor(join(folder, "none.gguf")))[0]?.says).toContain("there is no such file");
    expect(wrong(doctor(folder))[0]?.says).toContain("is not a file");
  });

  test(
    "no template: told beside all that the engine tells",
    async () => {
      const path = await changed("no template", (bytes) => {
        const at = bytes.indexOf("tokenizer.chat_template");
        return bytes.fill("X", at + "tokenizer.".length, at + "tokenizer.c".length);
      });
      const report = doctor(path);
      expect(wrong(report)).toMatchObject([
        { about: "template", says: expect.stringContaining("--chat-template-file") },
      ]);
      expect([report.template, report.exactness?.allowed]).toEqual([null, true]);
    },
    TEST_MS_MAX,
  );

  test.each([
    ["that does not parse", "{% if %}", "does not parse"],
    ["that raises", "{{ raise_exception('Not with me') }}", "Not with me"],
  ])(
    "a template %s",
    async (_, source, says) => {
      const file = join(folder, "template.jinja");
      writeFileSync(file, source);
      const report = doctor((await tinyModel("qwen3")).path, ["--chat-template-file", file]);
      expect(wrong(report)).toMatchObject([{ about: "template", says: expect.stringContaining(says) }]);
    },
    TEST_MS_MAX,
  );
});

test("what does not fit into memory is told with the numbers", async () => {
  const report = doctor((await tinyModel("qwen3")).path, ["--state-ram", "1000T"]);
  expect(wrong(report)).toMatchObject([
    { about: "memory", says: expect.stringContaining("does not fit into memory") },
  ]);
  expect([report.template === null, report.memory]).toEqual([false, null]);
});

test(
  "an NVIDIA card that is not used is wrong, and a note for who wants no GPU",
  () => {
    const card = (flags: readonly string[]) => {
      const config = flags.length === 0 ? null : configOf(parseFlags(["-m", folder, ...flags], {}), {});
      const report = examine({ config, llamaLib: null, openEngine, nvidia: true, onStep: () => {} });
      const gpus = report.library?.gpus.length ?? 0;
      return { gpus, found: report.findings.filter(({ about }) => about === "gpu") };
    };
    const { gpus, found } = card([]);
    if (gpus > 0) return expect(found).toEqual([]);
    expect(
      found.map(({ level, says }) => [level, says.includes("bun add -E @node-llama-cpp/linux-x64-cuda")]),
    ).toEqual([["wrong", true]]);
    expect(card(["-ngl", "0"]).found).toMatchObject([{ level: "note" }]);
  },
  TEST_MS_MAX,
);

test("without a model: machine and library, and that one can be named", () => {
  const report = doctor(null);
  // A card that is not used may be wrong here.
  expect([report.model, wrong(report).filter(({ about }) => about !== "gpu")]).toEqual([null, []]);
  expect(report.machine.cores).toBeGreaterThan(0);
  expect(report.library?.version).toContain("0.4");
  expect(report.findings.at(0)).toMatchObject({ level: "note", about: "model" });
});
