/**
 * Breaks each rule on purpose: applies every one-line patch of `test/rules` to a copy of the tree and expects
 * the test that the patch names to fail there, having passed without it. Prints a row each and writes them to
 * `test/rules/RESULT.md`. Names of rules as arguments run those alone (and write nothing).
 *
 * A patch file is a unified diff behind three header lines: `Rule: …`, `Test: FILE`, `Name: REGEX` (optional).
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const FOLDER = join(ROOT, "test", "rules");
const TEST_MS_MAX = 240_000;

interface RulePatch {
  readonly file: string;
  readonly rule: string;
  readonly test: string;
  readonly name: string | undefined;
}

function readPatch(file: string): RulePatch {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const header = (key: string): string | undefined =>
    new RegExp(`^${key}: (.+)$`, "m").exec(text)?.[1]?.trim();
  const rule = header("Rule");
  const test = header("Test");
  if (rule === undefined || test === undefined)
    throw new Error(`${file}: the lines "Rule:" and "Test:" are missing`);
  return { file, rule, test, name: header("Name") };
}

async function output(
  command: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<[number, string]> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env, FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TEST_MS_MAX,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return [code, stdout + stderr];
}

async function copyTree(): Promise<string> {
  const target = mkdtempSync(join(tmpdir(), "warmturn-rules-"));
  const [code, list] = await output(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    ROOT,
  );
  if (code !== 0) throw new Error(`git ls-files failed: ${list}`);
  for (const file of list.split("\0").filter((name) => name !== ""))
    cpSync(join(ROOT, file), join(target, file), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(target, "node_modules"));
  return target;
}

async function runTest(patch: RulePatch, tree: string): Promise<[number, string]> {
  const filter = patch.name === undefined ? [] : ["-t", patch.name];
  // The models that tests generate are the same in every copy: share the cache.
  const env = { WARMTURN_TEST_CACHE: join(ROOT, ".cache") };
  return await output(
    [process.execPath, "test", "--timeout", "60000", ...filter, `./${patch.test}`],
    tree,
    env,
  );
}

/** `bun test` exits 1 also where no test matched; only a failed test proves anything. */
function failedTests(text: string): number {
  return Number(/^\s*(\d+) fail\b/m.exec(text)?.[1] ?? 0);
}

async function check(patch: RulePatch): Promise<string> {
  const tree = await copyTree();
  try {
    const [before, beforeText] = await runTest(patch, tree);
    if (before !== 0) return `the test fails without the patch: ${lastLines(beforeText)}`;
    const [applied, why] = await output(
      ["git", "apply", "--unidiff-zero", "--recount", join(FOLDER, patch.file)],
      tree,
    );
    if (applied !== 0) return `the patch does not apply: ${why.trim()}`;
    const [after, afterText] = await runTest(patch, tree);
    if (after === 0) return "the test passes with the rule broken";
    return failedTests(afterText) > 0 ? "" : `no test failed, the run broke: ${lastLines(afterText)}`;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

const lastLines = (text: string): string => text.trim().split("\n").slice(-4).join(" / ");

const wanted = process.argv.slice(2);
const patches = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".patch"))
  .sort()
  .map(readPatch)
  .filter((patch) => wanted.length === 0 || wanted.some((name) => patch.file.includes(name)));
const rows: string[] = [];
let bad = 0;
for (const patch of patches) {
  const problem = await check(patch);
  if (problem !== "") bad += 1;
  const verdict = problem === "" ? "caught" : `NOT CAUGHT: ${problem}`;
  rows.push(`| ${patch.file.replace(/\.patch$/, "")} | ${patch.rule} | \`${patch.test}\` | ${verdict} |`);
  console.log(rows.at(-1));
}
console.log(`${patches.length - bad} of ${patches.length} broken rules caught`);
if (wanted.length === 0) {
  const head = "| patch | rule that it breaks | test that must fail | result |\n| --- | --- | --- | --- |\n";
  const result = `# Broken rules, last run\n\n\`bun run test:rules\`: ${patches.length - bad} of ${patches.length} caught.\n\n`;
  writeFileSync(join(FOLDER, "RESULT.md"), `${result}${head}${rows.join("\n")}\n`);
}
process.exit(bad === 0 && patches.length > 0 ? 0 : 1);
