/** The report as text: plain where asked, what is wrong with its advice, one sentence at the end. */
import { describe, expect, test } from "bun:test";
import type { DoctorReport } from "../../../../src/cli/doctor/DoctorReport.ts";
import { printReport } from "../../../../src/cli/doctor/printReport.ts";
import type { Look } from "../../../../src/cli/Look.ts";

const PLAIN: Look = { columns: 80, colour: false, isTerminal: false, moves: false };
const COLOURED: Look = { columns: 200, colour: true, isTerminal: true, moves: true };

const REPORT: DoctorReport = {
  schema: 1,
  version: "0",
  ok: false,
  machine: {
    platform: "linux-x64",
    cpu: "a CPU",
    cores: 4,
    load: 0.5,
    memory_total_bytes: 16 * 2 ** 30,
    memory_free_bytes: 2 ** 30,
  },
  library: {
    version: "0.4.0",
    path: "/lib/libllama.so",
    origin: "explicit",
    package: null,
    cpu_variant: "libggml-cpu-x64.so",
    cpu_features: ["AVX2", "FMA"],
    gpus: [
      {
        name: "CUDA0",
        description: "a card",
        backend: "CUDA",
        memory_total_bytes: 8 * 2 ** 30,
        memory_free_bytes: 7 * 2 ** 30,
      },
    ],
  },
  model: null,
  template: null,
  memory: null,
  exactness: null,
  findings: [
    { level: "wrong", about: "model", says: "There is no such file.", advice: "Name another." },
    { level: "note", about: "cpu", says: "Busy.", advice: "" },
  ],
};

test("plain text, names aligned, what is wrong with its advice", () => {
  expect(printReport(REPORT, PLAIN)).toBe(`Machine
  system               linux-x64
  CPU                  a CPU, 4 cores, load 0.5
  memory               1.0 GiB of 16 GiB free

llama.cpp
  version              0.4.0, by --llama-lib
  file                 /lib/libllama.so
  CPU backend          libggml-cpu-x64.so: AVX2 FMA
  CUDA0                a card (CUDA), 7.0 GiB of 8.0 GiB free

wrong  There is no such file.
       Name another.
note   Busy.

One thing is wrong.
`);
});

test("colours change nothing but colours", () => {
  const coloured = printReport(REPORT, COLOURED);
  expect(coloured).toContain("\x1b[31m");
  expect(Bun.stripANSI(coloured)).toBe(printReport(REPORT, PLAIN));
});

test("on a terminal no line is wider than it", () => {
  const [wrong] = REPORT.findings;
  if (wrong === undefined) throw new Error("no findings");
  const long = { ...REPORT, findings: [{ ...wrong, says: "It is so, and then some. ".repeat(9).trim() }] };
  const lines = printReport(long, { ...COLOURED, columns: 50, colour: false }).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
});

describe("the last line", () => {
  const last = (findings: DoctorReport["findings"]): string | undefined =>
    printReport({ ...REPORT, findings }, PLAIN)
      .trimEnd()
      .split("\n")
      .at(-1);
  const [wrong, note] = REPORT.findings;

  test("counts what is wrong", () => {
    if (wrong === undefined || note === undefined) throw new Error("no findings");
    expect([last([]), last([note]), last([wrong, wrong])]).toEqual([
      "All is well.",
      "All is well.",
      "2 things are wrong.",
    ]);
  });
});
