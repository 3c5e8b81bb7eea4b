/**
 * `kill -9` at 200 random moments of a process that keeps states: every file that it said it has kept is there and whole,
 * nothing is damaged, and whoever starts on what it left gives cold replies.
 */
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { StateFolder } from "../../src/state/disk/StateFolder.ts";
import { FINGERPRINT } from "../support/DiskRig.ts";
import { coldRun, EngineHarness } from "../support/EngineHarness.ts";
import { killedPlan } from "../support/killedPlan.ts";

const TIMES = 50;
const CHILD = join(import.meta.dir, "../support/keptUntilKilled.ts");

test.each<MemoryKind>(["dense", "hybrid", "recurrent", "window"])(
  "%s",
  async (memory) => {
    const path = mkdtempSync(join(tmpdir(), "warmturn-killed-"));
    let resumed = 0;
    let said = 0;
    try {
      for (let i = 0; i < TIMES; i++) {
        const child = Bun.spawn([process.execPath, CHILD, path, memory, `${i * 7}`], {
          stdout: "pipe",
          stderr: "inherit",
        });
        const reader = child.stdout.getReader();
        const first = await reader.read();
        // Somewhere in its first tenth of a second of work.
        await Bun.sleep((i * 37) % 100);
        child.kill("SIGKILL");
        let text = new TextDecoder().decode(first.value);
        for (let part = await reader.read(); !part.done; part = await reader.read())
          text += new TextDecoder().decode(part.value);
        await child.exited;
        // A last line may be cut off.
        const names = text.split("\n").slice(0, -1);
        said += names.length;
        const folder = new StateFolder({ path, fingerprint: FINGERPRINT, warn: () => {}, now: () => 0 });
        const { found } = folder.list(() => false);
        const heads = new Map(found.map(({ name, head }) => [name, head]));
        for (const name of names) {
          const head = heads.get(name);
          expect({ name, kept: head !== undefined && folder.read(head) !== null }).toEqual({
            name,
            kept: true,
          });
        }
        expect(folder.damaged).toBe(0);
        const engine = new EngineHarness({
          memory,
          lanes: 1,
          spares: 0,
          stateRamBytes: 1 << 20,
          partialBytes: 4096,
        });
        engine.loop.states.openDisk({ path, bytes: 2 ** 28, fingerprint: FINGERPRINT, warn: () => {} });
        const plan = killedPlan(memory, i * 7);
        const report = engine.run(plan);
        const cold = coldRun(memory, plan).end;
        expect(cold).toMatchObject({ report: { logitsHash: report.logitsHash } });
        if (report.source !== "none") resumed++;
      }
      expect(existsSync(join(path, "damaged"))).toBe(false);
      // Some are killed before the first conversation of theirs was written.
      expect(resumed).toBeGreaterThan(TIMES / 2);
      expect(said).toBeGreaterThan(TIMES);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  },
  600_000,
);
