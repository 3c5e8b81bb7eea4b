/**
 * Breaks each rule on purpose: applies every one-line patch of `test/rules` to a copy of the tree and expects
 * the test that the patch names to fail there by an assertion, having passed without it. Prints a row each and
 * writes them to `test/rules/RESULT.md`. Parts of patch names as arguments run those alone (and write nothing).
 *
 * A patch file is a unified diff behind header lines: `Rule: …`, `Test: FILE`, `Name: REGEX` (optional).
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const FOLDER = join(ROOT, "test", "rules");
const RUN_MS_MAX = 120_000;
const TEST_MS_MAX = 30_000;
/** Copies of the tree that are worked in side by side. */
const COPIES_MAX = 4;

interface RulePatch {
  readonly file: string;
  readonly rule: string;
  readonly test: string;
  readonly name: string | undefined;
  /** What it changes; put back after each run. */
  readonly changes: readonly string[];
}

function readPatch(file: string): RulePatch {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const header = (key: string): string | undefined =>
    new RegExp(`^${key}: (.+)$`, "m").exec(text)?.[1]?.trim();
  const rule = header("Rule");
  const test = header("Test");
  if (rule === undefined || test === undefined)
    throw new Error(`${file}: the lines "Rule:" and "Test:" are missing`);
  const changes = [...text.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path = ""]) => path.trim());
  return { file, rule, test, name: header("Name"), changes };
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
    timeout: RUN_MS_MAX,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return [code, stdout + stderr];
}

/** A folder in which `tree` is a copy of the project with everything beside it that tests look for. */
async function copyTree(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-rules-"));
  const tree = join(folder, "tree");
  const [code, list] = await output(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    ROOT,
  );
  if (code !== 0) throw new Error(`git ls-files failed: ${list}`);
  const isLinked = (name: string): boolean => /^(node_modules|\.cache)(\/|$)/.test(name);
  for (const file of list.split("\0").filter((name) => name !== "" && !isLinked(name))) {
    // Deleted and not yet committed.
    if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(tree, file), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  // The generated models bear a hash of what they are made from and are renamed into place: all copies share them.
  const models = join(".cache", "models");
  mkdirSync(join(ROOT, models), { recursive: true });
  mkdirSync(dirname(join(tree, models)), { recursive: true });
  symlinkSync(join(ROOT, models), join(tree, models));
  const shared = join(ROOT, "..", "shared");
  if (existsSync(shared)) symlinkSync(shared, join(folder, "shared"));
  return folder;
}

interface Failure {
  readonly test: string;
  /** Class of what was thrown, and the first line it said. */
  readonly type: string;
  readonly message: string;
}

interface TestRun {
  readonly passed: boolean;
  readonly failures: readonly Failure[];
  readonly text: string;
}

async function runTest(patch: RulePatch, tree: string): Promise<TestRun> {
  const report = join(tree, "..", "report.xml");
  rmSync(report, { force: true });
  const filter = patch.name === undefined ? [] : ["-t", patch.name];
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const command = ["test", "--timeout", String(TEST_MS_MAX), ...reporter, ...filter, `./${patch.test}`];
  // Broken code keeps what it remembers to itself.
  const env = { WARMTURN_HOME: join(tree, "..", "home") };
  const [code, text] = await output([process.execPath, ...command], tree, env);
  const xml = existsSync(report) ? readFileSync(report, "utf8") : "";
  return { passed: code === 0, failures: readFailures(xml), text };
}

function readFailures(xml: string): Failure[] {
  const cases = xml.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<failure type="([^"]*)" message="([^"]*)"/g);
  return [...cases].map(([, test = "", type = "", message = ""]) => ({
    test: plain(test),
    type,
    message: plain(message).split("\n")[0] ?? "",
  }));
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
  "#10": "\n",
};

function plain(xml: string): string {
  return xml.replace(/&(lt|gt|quot|apos|amp|#10);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** A test that a broken rule fails must say so itself, or never end; code that cannot run says nothing of a rule. */
const NO_ASSERTION = /\b(TypeError|ReferenceError|SyntaxError|ResolveMessage)\b/;

/** Empty when the test passes in a tree that nothing was changed in. */
async function unbroken(patch: RulePatch, tree: string): Promise<string> {
  const { passed, text } = await runTest(patch, tree);
  return passed ? "" : `the test fails without the patch: ${lastLines(text)}`;
}

type Verdict = { readonly caughtBy: string; readonly by: string } | { readonly problem: string };

/** With as many lines of context as still agree; what is taken out must be there. Empty, or why it cannot be. */
async function applyPatch(patch: RulePatch, tree: string): Promise<string> {
  let why = "";
  for (const context of ["-C2", "-C1", "-C0"]) {
    const apply = ["git", "apply", "--unidiff-zero", "--recount", context, join(FOLDER, patch.file)];
    const [code, text] = await output(apply, tree);
    if (code === 0) return "";
    why ||= text.trim().split("\n")[0] ?? "";
  }
  return why;
}

/** Applies the patch, runs its test, and puts the tree back. */
async function broken(patch: RulePatch, tree: string): Promise<Verdict> {
  const paths = patch.changes.map((path) => join(tree, path));
  const before = paths.map((path) => (existsSync(path) ? readFileSync(path) : undefined));
  try {
    const why = await applyPatch(patch, tree);
    if (why !== "") return { problem: `the patch does not apply: ${why}` };
    const { passed, failures, text } = await runTest(patch, tree);
    if (passed) return { problem: "the test passes with the rule broken" };
    const asserted = failures.find(({ type, message }) => !NO_ASSERTION.test(`${type} ${message}`));
    if (asserted !== undefined) {
      return { caughtBy: asserted.test, by: asserted.type === "TimeoutError" ? ", which never ended" : "" };
    }
    const [first] = failures;
    const said = first === undefined ? lastLines(text) : `${first.type}: ${first.message}`;
    return { problem: `no assertion failed, the run broke: ${said}` };
  } finally {
    for (const [i, path] of paths.entries()) {
      const bytes = before[i];
      if (bytes === undefined) rmSync(path, { force: true });
      else writeFileSync(path, bytes);
    }
  }
}

const lastLines = (text: string): string => text.trim().split("\n").slice(-4).join(" / ");

/** Takes patches from `queue` until it is empty; each distinct test is tried unbroken once. */
async function workThrough(
  queue: RulePatch[],
  tried: Map<string, Promise<string>>,
  tell: (patch: RulePatch, verdict: Verdict) => void,
): Promise<void> {
  const folder = await copyTree();
  const tree = join(folder, "tree");
  try {
    for (let patch = queue.shift(); patch !== undefined; patch = queue.shift()) {
      const test = `${patch.test}\0${patch.name ?? ""}`;
      const first = tried.get(test) ?? unbroken(patch, tree);
      tried.set(test, first);
      const problem = await first;
      tell(patch, problem === "" ? await broken(patch, tree) : { problem });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const patches = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".patch"))
  .sort()
  .map(readPatch)
  .filter((patch) => wanted.length === 0 || wanted.some((name) => patch.file.includes(name)));
const rows = new Map<RulePatch, string>();
let bad = 0;
const tell = (patch: RulePatch, verdict: Verdict): void => {
  if ("problem" in verdict) bad += 1;
  const said =
    "problem" in verdict ? `NOT CAUGHT: ${verdict.problem}` : `caught by “${verdict.caughtBy}”${verdict.by}`;
  const row = [patch.file.replace(/\.patch$/, ""), patch.rule, `\`${patch.test}\``, said];
  rows.set(patch, `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  console.log(rows.get(patch));
};
const queue = [...patches];
const tried = new Map<string, Promise<string>>();
const copies = Math.min(COPIES_MAX, availableParallelism(), queue.length);
const start = performance.now();
await Promise.all(Array.from({ length: copies }, () => workThrough(queue, tried, tell)));
const seconds = Math.round((performance.now() - start) / 1000);
console.log(`${patches.length - bad} of ${patches.length} broken rules caught, in ${seconds} s`);
if (wanted.length === 0) {
  const head = "| patch | rule that it breaks | test that must fail | result |\n| --- | --- | --- | --- |\n";
  const result = `# Broken rules, last run\n\n\`bun run test:rules\`: ${patches.length - bad} of ${patches.length} caught.\n\n`;
  const sorted = patches.map((patch) => rows.get(patch)).join("\n");
  writeFileSync(join(FOLDER, "RESULT.md"), `${result}${head}${sorted}\n`);
}
process.exit(bad === 0 && patches.length > 0 ? 0 : 1);
