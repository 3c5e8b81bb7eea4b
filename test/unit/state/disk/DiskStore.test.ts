/** Kept states outlive the process, and whatever is wrong with a file or a folder is a miss. */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plan } from "../../../../src/plan/Plan.ts";
import type { MemoryKind } from "../../../../src/run/EngineReady.ts";
import { DiskRig, rest } from "../../../support/DiskRig.ts";
import { coldRun } from "../../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const PARTIAL = 256;

const talk = (memory: MemoryKind, salt: number, length = 300): Plan =>
  makePlan(memory, prompt(words(salt, length), user(salt + 1, 60)));
const lastCut = ({ cuts }: Plan): number => cuts.at(-1) ?? 0;
const lastTrip = ({ trips }: Plan): number => trips.at(-1) ?? 0;
const furthest = (memory: MemoryKind, plan: Plan): number =>
  memory === "window" ? lastTrip(plan) : lastCut(plan);
const coldHash = (memory: MemoryKind, plan: Plan): string | undefined => {
  const { end } = coldRun(memory, plan);
  return end.type === "done" ? end.report.logitsHash : undefined;
};

describe.each(KINDS)("%s", (memory) => {
  const options = { memory, partialBytes: PARTIAL, stateRamBytes: memory === "dense" ? 0 : 1 << 20 };

  test("a conversation goes on after a restart, bit for bit", async () => {
    using rig = new DiskRig();
    const plan = talk(memory, 1);
    const first = rig.start(options);
    first.run(plan, { conversation: "a" });
    await rest(first);
    const report = rig.start(options).run(plan, { conversation: "b" });
    expect(report).toMatchObject({ resumedTokens: furthest(memory, plan), source: "disk" });
    expect(report.logitsHash).toBe(coldHash(memory, plan));
  });

  test("a tenant's state serves no other", async () => {
    using rig = new DiskRig();
    const plan = talk(memory, 1);
    const first = rig.start(options);
    first.run(plan, { conversation: "a", tenant: "one" });
    await rest(first);
    expect(rig.start(options).run(plan, { tenant: "two" })).toMatchObject({
      resumedTokens: 0,
      source: "none",
    });
    expect(rig.start(options).run(plan, { tenant: "one" }).source).toBe("disk");
  });

  test("another fingerprint is a miss", async () => {
    using rig = new DiskRig();
    const plan = talk(memory, 1);
    const first = rig.start(options);
    first.run(plan);
    await rest(first);
    expect(rig.start({ ...options, fingerprint: 1n }).run(plan)).toMatchObject({ source: "none" });
  });

  test("a damaged file is a miss, moved aside and counted; what is in front of it serves", async () => {
    using rig = new DiskRig();
    const plan = talk(memory, 1);
    const first = rig.start(options);
    first.run(plan);
    await rest(first);
    const folder = rig.folder();
    const files = readdirSync(folder);
    for (const name of files) {
      const path = join(folder, name);
      if (!existsSync(path)) continue;
      const good = readFileSync(path);
      const bad = Buffer.from(good);
      bad[bad.length - 1] = (bad.at(-1) ?? 0) ^ 1;
      writeFileSync(path, bad);
      const engine = rig.start(options);
      const report = engine.run(plan);
      expect(report.logitsHash).toBe(coldHash(memory, plan));
      if (engine.loop.states.disk?.damaged === 1) expect(existsSync(path)).toBe(false);
      writeFileSync(path, good);
    }
    expect(readdirSync(join(rig.path, "damaged")).length).toBeGreaterThan(0);
    for (const name of files) if (existsSync(join(folder, name))) rmSync(join(folder, name));
    expect(rig.start(options).run(plan).source).toBe("none");
  });

  test("what has been written is not written again; a turn writes what is new", async () => {
    using rig = new DiskRig();
    const engine = rig.start(options);
    const plan = talk(memory, 1);
    engine.run(plan, { conversation: "a" });
    await rest(engine);
    const before = readdirSync(rig.folder());
    const times = before.map((name) => statSync(join(rig.folder(), name)).ino);
    engine.run(plan, { conversation: "a", turn: 2 });
    await rest(engine);
    expect(readdirSync(rig.folder())).toEqual(before);
    expect(before.map((name) => statSync(join(rig.folder(), name)).ino)).toEqual(times);
  });

  test("never more bytes than the budget, and the newest stay", async () => {
    using rig = new DiskRig();
    const diskBytes = 20_000;
    const engine = rig.start({ ...options, diskBytes });
    for (let i = 0; i < 8; i++) {
      // Of a conversation that has come back before.
      engine.run(talk(memory, 10 + 2 * i), { conversation: `${i}`, turn: 2 });
      await rest(engine);
      const sizes = readdirSync(rig.folder()).map((name) => statSync(join(rig.folder(), name)).size);
      const all = sizes.reduce((sum, size) => sum + size, 0);
      expect(all).toBeLessThanOrEqual(diskBytes);
      expect(engine.loop.states.disk?.bytes).toBe(all);
    }
    const last = talk(memory, 24);
    expect(rig.start({ ...options, diskBytes }).run(last).resumedTokens).toBe(furthest(memory, last));
  });
});

describe("the folder", () => {
  const plan = talk("dense", 1);

  test("is the owner's alone", async () => {
    using rig = new DiskRig();
    const engine = rig.start({ memory: "dense" });
    engine.run(plan);
    await rest(engine);
    expect(statSync(rig.folder()).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(rig.folder()))
      expect(statSync(join(rig.folder(), name)).mode & 0o777).toBe(0o600);
  });

  test("that vanished, or is a file, is one warning, and no failed request", async () => {
    using rig = new DiskRig();
    const engine = rig.start({ memory: "dense" });
    rmSync(rig.path, { recursive: true });
    writeFileSync(rig.path, "");
    for (let i = 0; i < 3; i++) {
      engine.run(talk("dense", 2 * i), { conversation: `${i}` });
      engine.now += 100_000;
      await rest(engine);
    }
    expect(rig.warnings).toHaveLength(1);
    expect(rig.warnings[0]).toContain("cannot be written");
    rmSync(rig.path);
    engine.now += 100_000;
    engine.run(plan, { conversation: "again" });
    await rest(engine);
    expect(rig.start({ memory: "dense" }).run(plan).source).toBe("disk");
  });

  test.skipIf(process.getuid?.() === 0)("that cannot be written is one warning", async () => {
    using rig = new DiskRig();
    chmodSync(rig.path, 0o500);
    const engine = rig.start({ memory: "dense" });
    engine.run(plan);
    await rest(engine);
    expect(rig.warnings).toHaveLength(1);
    chmodSync(rig.path, 0o700);
  });

  test("two servers use it side by side", async () => {
    using rig = new DiskRig();
    const [a, b] = [rig.start({ memory: "dense" }), rig.start({ memory: "dense" })];
    const other = talk("dense", 30);
    a.run(plan, { conversation: "a" });
    b.run(plan, { conversation: "a" });
    await Promise.all([rest(a), rest(b)]);
    b.run(other, { conversation: "b" });
    await rest(b);
    b.run(plan, { conversation: "a", turn: 2 });
    await rest(b);
    // What the other has written is heard of when something is written, a minute later at most.
    a.now += 100_000;
    a.run(talk("dense", 40), { conversation: "c" });
    await rest(a);
    expect(a.run(other, { conversation: "b" })).toMatchObject({
      source: "disk",
      resumedTokens: lastCut(other),
    });
    for (const name of readdirSync(rig.folder())) rmSync(join(rig.folder(), name));
    const report = b.run(other, { conversation: "b", turn: 2 });
    expect(report.logitsHash).toBe(coldHash("dense", other));
  });

  test("states of another model give way, but for half of the room", async () => {
    using rig = new DiskRig();
    const diskBytes = 12_000;
    const sizeOf = (folder: string): number =>
      readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    for (const fingerprint of [1n, 2n]) {
      const engine = rig.start({ memory: "dense", diskBytes, fingerprint });
      for (let i = 0; i < 6; i++) {
        engine.run(talk("dense", 10 * Number(fingerprint) + 2 * i), { conversation: `${i}` });
        await rest(engine);
      }
    }
    const [first, second] = [sizeOf(rig.folder(1n)), sizeOf(rig.folder(2n))];
    expect(first + second).toBeLessThanOrEqual(diskBytes);
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(diskBytes / 4);
  });
});
