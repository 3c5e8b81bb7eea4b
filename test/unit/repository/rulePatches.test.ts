/** Each rule break still applies, and names a test that is there: what it catches is `bun run test:rules`' to say. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readPatch } from "../../../scripts/rules/RulePatch.ts";

const ROOT = join(import.meta.dir, "../../..");
const FOLDER = join(ROOT, "test/rules");

test("every patch changes lines that are there", () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".patch"));
  expect(files.length).toBeGreaterThan(200);
  const broken = files.filter((file) => {
    const command = ["git", "apply", "--check", "--unidiff-zero", "--recount", "-C0", join(FOLDER, file)];
    const { exitCode } = Bun.spawnSync(command, { cwd: ROOT, stdio: ["ignore", "ignore", "ignore"] });
    return exitCode !== 0 || !existsSync(join(ROOT, readPatch(FOLDER, file).test));
  });
  expect(broken).toEqual([]);
}, 30_000);
