/**
 * Runs the tests group by group, each in its own process, so that a native crash fails one group and hides
 * none. The last line is `N passed, N failed`. `--long` runs the files of test/long instead, each a group, and
 * writes what came of them to test/long/RESULT.md; names of groups (`unit`, `http`, `templateFuzz`, …) run
 * those alone.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Group {
  readonly name: string;
  readonly folders: readonly string[];
  readonly env?: Record<string, string>;
  /** Runs before the group; a failure counts as one failed test. */
  readonly before?: () => Promise<boolean>;
}

const FAILURE_LINES = 40;
const ROOT = join(import.meta.dir, "..");
const BINARY = join(ROOT, "dist", process.platform === "win32" ? "warmturn.exe" : "warmturn");

const GROUPS: readonly Group[] = [
  { name: "unit", folders: ["test/unit"] },
  { name: "property", folders: ["test/property"] },
  { name: "sim", folders: ["test/sim"] },
  { name: "http", folders: ["test/http"] },
  { name: "ffi", folders: ["test/ffi"] },
  { name: "model", folders: ["test/model"] },
  {
    name: "binary",
    folders: ["test/binary", "test/http"],
    env: { WARMTURN_TEST_BINARY: BINARY },
    before: () => run(["bun", "scripts/build.ts"]),
  },
];
const LONG_FOLDER = join(ROOT, "test", "long");
const LONG_RESULT = join(LONG_FOLDER, "RESULT.md");
const LONG: readonly Group[] = readdirSync(LONG_FOLDER)
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => ({ name: file.replace(".test.ts", ""), folders: [`test/long/${file}`] }));

async function run(command: readonly string[]): Promise<boolean> {
  const child = Bun.spawn([process.execPath, ...command.slice(1)], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return (await child.exited) === 0;
}

interface Count {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed, with the lines before its name: said again at the end, where it is found. */
  readonly failures: string[];
}

/** `bun test` prints ` 12 pass`, ` 1 fail`, ` 2 skip` at the end of its run. */
function readCount(output: string, exitCode: number): Count {
  const number = (word: string): number => {
    const hits = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))];
    return Number(hits.at(-1)?.[1] ?? 0);
  };
  const failures = failuresIn(output.split("\n"));
  const count = { passed: number("pass"), failed: number("fail"), skipped: number("skip"), failures };
  // A crash, a failed import or an unhandled error outside any test has no line of its own.
  if (exitCode !== 0 && count.failed === 0) {
    count.failed = 1;
    count.failures.push(`exit ${exitCode}:\n${output.split("\n").slice(-FAILURE_LINES).join("\n")}`);
  }
  return count;
}

/** Up to `FAILURE_LINES` lines each, from behind the test before it. Bun names each once more at its end. */
function failuresIn(lines: readonly string[]): string[] {
  const byName = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith("(fail) ") || byName.has(line)) continue;
    const before = lines.slice(Math.max(0, at - FAILURE_LINES), at);
    const from = before.findLastIndex((one) => /^\((pass|fail|skip)\) /.test(one)) + 1;
    byName.set(line, [...before.slice(from), line].join("\n"));
  }
  return [...byName.values()];
}

async function runGroup(group: Group): Promise<Count> {
  const folders = group.folders.filter((folder) => existsSync(join(ROOT, folder)));
  if (folders.length === 0) return { passed: 0, failed: 0, skipped: 0, failures: [] };
  console.log(`\n== ${group.name}`);
  if (group.before !== undefined && !(await group.before())) {
    const failure = `${group.name}: what it needs could not be built`;
    console.log(`== ${failure}`);
    return { passed: 0, failed: 1, skipped: 0, failures: [failure] };
  }
  const started = performance.now();
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--timeout",
      "60000",
      ...folders.map((f) => (f.endsWith(".ts") ? `./${f}` : `./${f}/`)),
    ],
    {
      cwd: ROOT,
      env: { ...process.env, ...group.env, FORCE_COLOR: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const [stdout, stderr, code] = await Promise.all([
    tee(child.stdout, process.stdout),
    tee(child.stderr, process.stderr),
    child.exited,
  ]);
  const count = readCount(stdout + stderr, code);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `== ${group.name}: ${count.passed} passed, ${count.failed} failed in ${seconds} s (exit ${code})`,
  );
  return count;
}

async function tee(stream: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of stream) {
    const piece = decoder.decode(part, { stream: true });
    text += piece;
    to.write(piece);
  }
  return text;
}

/** One row a file: what its last run gave, and on what. Rows of files that did not run stay. */
function writeLongResult(name: string, count: Count, seconds: number): void {
  const old = existsSync(LONG_RESULT) ? readFileSync(LONG_RESULT, "utf8").split("\n") : [];
  const rows = new Map<string, string>();
  for (const line of old) {
    const file = /^\| `([^`]+)` \|/.exec(line)?.[1];
    if (file !== undefined && LONG.some((group) => group.name === file)) rows.set(file, line);
  }
  const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: ROOT })
    .stdout.toString()
    .trim();
  const date = new Date().toISOString().slice(0, 10);
  const cells = [count.passed, count.failed, count.skipped, Math.round(seconds), date, commit];
  rows.set(name, `| \`${name}\` | ${cells.join(" | ")} |`);
  const head = "# Long tests, last run of each\n\n`bun run test:long`, on two shared cores.\n\n";
  const table =
    "| file | passed | failed | skipped | seconds | date | commit |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  writeFileSync(LONG_RESULT, `${head}${table}${sorted.join("\n")}\n`);
}

const isLong = process.argv.includes("--long");
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const all = isLong ? LONG : GROUPS;
const unknown = names.filter((name) => !all.some((group) => group.name === name));
if (unknown.length > 0) {
  console.error(
    `No such group: ${unknown.join(", ")}. There are: ${all.map((group) => group.name).join(", ")}.`,
  );
  process.exit(2);
}
const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
for (const group of all) {
  if (names.length > 0 && !names.includes(group.name)) continue;
  const started = performance.now();
  const count = await runGroup(group);
  if (isLong) writeLongResult(group.name, count, (performance.now() - started) / 1000);
  total.passed += count.passed;
  total.failed += count.failed;
  total.skipped += count.skipped;
  failures.push(...count.failures);
}
if (failures.length > 0) console.log(`\nWhat failed:\n\n${failures.join("\n\n")}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
