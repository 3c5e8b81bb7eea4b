/** Types, lint and format, import directions, lengths, dead code. Exit 1 if any of them finds something. */
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const BIN = join(ROOT, "node_modules", ".bin");

const CHECKS: readonly (readonly [string, readonly string[]])[] = [
  ["types", [join(BIN, "tsc"), "-p", "."]],
  ["types of the page", [join(BIN, "tsc"), "-p", "src/protocol/page/client"]],
  ["lint and format", [join(BIN, "biome"), "check", "."]],
  [
    "import directions",
    [join(BIN, "depcruise"), "--config", ".dependency-cruiser.cjs", "src", "ffi", "scripts"],
  ],
  ["lengths of files", [join(ROOT, "scripts", "fileLengths.ts")]],
  ["docs/flags.md", [join(ROOT, "scripts", "flagsDoc.ts"), "--check"]],
  ["the page", [join(ROOT, "scripts", "page.ts"), "--check"]],
  ["dead code", [join(BIN, "knip"), "--no-progress"]],
];

let failed = 0;
for (const [name, command] of CHECKS) {
  const child = Bun.spawn([process.execPath, "--bun", ...command], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${name}`);
  if (code !== 0) {
    failed += 1;
    console.log(`${stdout}${stderr}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
