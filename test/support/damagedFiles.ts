/** State files damaged in every way that disks, tools and people do it: none may be read as what it was, none may throw. */
import { expect } from "bun:test";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { StateFolder } from "../../src/state/disk/StateFolder.ts";
import { DiskRig, FINGERPRINT, rest } from "./DiskRig.ts";
import { coldRun } from "./EngineHarness.ts";
import { makePlan, prompt, user, words } from "./makePlan.ts";

type Random = () => number;

/** 0 … 2^32-1, the same for the same seed. */
function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state ^ (state >>> 15)) >>> 0;
  };
}

/** Other bytes than `file`; `other` is another file. */
function damage(file: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = random() % file.length;
  const copy = file.slice();
  switch (random() % 9) {
    case 0:
      copy[at] = (copy[at] ?? 0) ^ (1 << (random() % 8));
      return copy;
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([copy, copy.subarray(0, 1 + (random() % 64))]);
    case 3:
      return copy.fill(random() & 0xff, at, at + 1 + (random() % 256));
    case 4:
      return other.slice();
    case 5:
      return Buffer.concat([copy.subarray(0, at), other.subarray(at)]);
    case 6: {
      // Numbers of the head, small and huge.
      new DataView(copy.buffer).setUint32((random() % 32) * 4, random() >>> (random() % 32), true);
      return copy;
    }
    case 7:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1 + (random() % 64))]);
    default:
      return copy.subarray(0, 128).fill(0xff, 8, 128);
  }
}

/** Damages files of a kept conversation `times` times, each time one, and looks at it in each way that files are read. */
export async function playDamagedFiles(memory: MemoryKind, seed: number, times: number): Promise<void> {
  using rig = new DiskRig();
  const options = { memory, partialBytes: 256, stateRamBytes: memory === "dense" ? 0 : 1 << 20 };
  const plan = makePlan(memory, prompt(words(1, 300), user(2, 60)));
  const engine = rig.start(options);
  engine.run(plan, { conversation: "a" });
  await rest(engine);
  const { end } = coldRun(memory, plan);
  const cold = end.type === "done" ? end.report.logitsHash : undefined;
  const names = readdirSync(rig.folder());
  const folder = new StateFolder({ path: rig.path, fingerprint: FINGERPRINT, warn: () => {}, now: () => 0 });
  const heads = new Map(folder.list(() => false).found.map(({ head, name }) => [name, head]));
  const whole = mkdtempSync(join(tmpdir(), "warmturn-whole-"));
  for (const name of names) copyFileSync(join(rig.folder(), name), join(whole, name));
  const random = randomOf(seed);
  try {
    for (let i = 0; i < times; i++) {
      const [name = "", otherName = ""] = [names[random() % names.length], names[random() % names.length]];
      const path = join(rig.folder(), name);
      const good = readFileSync(join(whole, name));
      const bad = damage(new Uint8Array(good), new Uint8Array(readFileSync(join(whole, otherName))), random);
      if (Buffer.compare(bad, good) === 0) continue;
      writeFileSync(path, bad);
      const head = heads.get(name);
      if (head === undefined) throw new Error(`${name} was not found whole`);
      // Most are read as a running server does, some found by one that starts.
      if (i % 10 > 0) expect({ seed, i, name, read: folder.read(head) }).toMatchObject({ read: null });
      else expect({ seed, i, hash: rig.start(options).run(plan).logitsHash }).toMatchObject({ hash: cold });
      copyFileSync(join(whole, name), path);
    }
    expect(rig.start(options).run(plan)).toMatchObject({ source: "disk", logitsHash: cold });
    expect(readdirSync(join(rig.path, "damaged")).length).toBeLessThanOrEqual(8);
  } finally {
    rmSync(whole, { recursive: true, force: true });
  }
}
