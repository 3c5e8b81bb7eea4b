/**
 * `bun run release`: the executables of all targets (or of those named), checked, with what belongs beside them:
 * SHA256SUMS, licences, and a list of what is inside (`sbom.cdx.json`, CycloneDX 1.6) of each. All in `dist/release`.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../package.json";
import { buildExecutable } from "./build/buildExecutable.ts";
import { executableProblems } from "./build/executableProblems.ts";
import { sbomOf } from "./build/sbomOf.ts";
import { TARGETS, targetNamed } from "./build/targets.ts";

const ROOT = join(import.meta.dir, "..");
const RELEASE = join(ROOT, "dist", "release");

const named = process.argv.slice(2);
const targets = named.length > 0 ? named.map(targetNamed) : TARGETS;
rmSync(RELEASE, { recursive: true, force: true });
mkdirSync(RELEASE, { recursive: true });
let failed = 0;
for (const target of targets) {
  const file = `warmturn-${version}-${target.name}`;
  await buildExecutable(target, join(RELEASE, file));
  const problems = await executableProblems(join(RELEASE, file), target);
  failed += problems.length;
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${file}`);
  for (const problem of problems) console.error(`     ${problem}`);
  writeFileSync(join(RELEASE, `${file}.sbom.cdx.json`), `${JSON.stringify(sbomOf(target), null, 2)}\n`);
}
for (const text of ["LICENSE", "THIRD_PARTY_NOTICES.md"]) copyFileSync(join(ROOT, text), join(RELEASE, text));
const sums = targets.map(({ name }) => {
  const file = `warmturn-${version}-${name}`;
  const hash = new Bun.CryptoHasher("sha256").update(readFileSync(join(RELEASE, file))).digest("hex");
  return `${hash}  ${file}\n`;
});
writeFileSync(join(RELEASE, "SHA256SUMS"), sums.join(""));
process.exit(failed === 0 ? 0 : 1);
