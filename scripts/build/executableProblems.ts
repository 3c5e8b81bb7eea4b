/** What is wrong with a built executable, without running it: its format and machine, and the files that are inside. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { librariesIn } from "./buildExecutable.ts";
import { librariesOf } from "./librariesOf.ts";
import type { Target } from "./targets.ts";

const ROOT = join(import.meta.dir, "..", "..");

/** First bytes of ELF and of 64-bit Mach-O; where the machine stands, and its number (elf.h, mach/machine.h). */
const ELF = { magic: [0x7f, 0x45, 0x4c, 0x46], at: 18, machines: { x64: 0x3e, arm64: 0xb7 } };
const MACH_O = { magic: [0xcf, 0xfa, 0xed, 0xfe], at: 4, machines: { x64: 0x01000007, arm64: 0x0100000c } };

const SHIM_WORDS = ["int32_t wt_prefill(", "int32_t wt_sampler_choose(", "int32_t wt_seq_truncate("];

/** Sentences; none where all is as it should be. */
export async function executableProblems(path: string, target: Target): Promise<string[]> {
  const bytes = readFileSync(path);
  const problems = formatProblems(bytes, target);
  const folder = await librariesOf(target);
  const files = [
    ...librariesIn(folder).map((name) => join(folder, name)),
    join(ROOT, "models/demo/demo.gguf"),
  ];
  // The shim travels as text, whose line ends are escaped.
  for (const word of SHIM_WORDS)
    if (!bytes.includes(word)) problems.push(`The shim is not inside: no ${word}`);
  for (const file of files) if (!holds(bytes, readFileSync(file))) problems.push(`${file} is not inside.`);
  return problems;
}

function formatProblems(bytes: Buffer, { os, cpu }: Target): string[] {
  const format = os === "darwin" ? MACH_O : ELF;
  if (format.magic.some((byte, i) => bytes[i] !== byte)) return [`It is no executable for ${os}.`];
  const machine = os === "darwin" ? bytes.readUInt32LE(format.at) : bytes.readUInt16LE(format.at);
  return machine === format.machines[cpu] ? [] : [`It is not for ${cpu}: its machine is ${machine}.`];
}

/** By a stretch from the middle: beginnings are alike. */
function holds(executable: Buffer, file: Buffer): boolean {
  const middle = file.length >> 1;
  return executable.includes(file.subarray(middle, middle + 256));
}
