/**
 * Breaks each rule on purpose: applies every one-line patch of `test/rules` to a copy of the tree and expects
 * the test that the patch names to fail there by an assertion, having passed without it. Prints a row each and
 * writes it to `test/rules/RESULT.md`. Parts of patch names as arguments run those alone; other rows stay.
 *
 * A patch file is a unified diff behind header lines: `Rule: …`, `Test: FILE`, `Name: REGEX` (optional).
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { copyTree } from "./rules/copyTree.ts";
import { output } from "./rules/output.ts";
import { type RulePatch, readPatch } from "./rules/RulePatch.ts";
import { NOT_CAUGHT, readRows, tableRow, writeRows } from "./rules/resultTable.ts";
import { assertedFailure, runTest } from "./rules/runTest.ts";

const ROOT = join(import.meta.dir, "..");
const FOLDER = join(ROOT, "test", "rules");
const RESULT = join(FOLDER, "RESULT.md");
/** Copies of the tree that are worked in side by side. */
const COPIES_MAX = 4;

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
    const run = await runTest(patch, tree);
    if (run.passed) return { problem: "the test passes with the rule broken" };
    const asserted = assertedFailure(run);
    if (asserted !== undefined) {
      return { caughtBy: asserted.test, by: asserted.type === "TimeoutError" ? ", which never ended" : "" };
    }
    const [first] = run.failures;
    const said = first === undefined ? lastLines(run.text) : `${first.type}: ${first.message}`;
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
  const folder = await copyTree(ROOT);
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

const nameOf = (file: string): string => file.replace(/\.patch$/, "");

const wanted = process.argv.slice(2);
const files = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".patch"))
  .sort();
const unknown = wanted.filter((name) => !files.some((file) => file.includes(name)));
if (unknown.length > 0) {
  console.error(`No patch of test/rules has in its name: ${unknown.join(", ")}.`);
  process.exit(2);
}
const patches = files
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)))
  .map((file) => readPatch(FOLDER, file));
const rows = readRows(RESULT);
let bad = 0;
const tell = (patch: RulePatch, verdict: Verdict): void => {
  if ("problem" in verdict) bad += 1;
  const said =
    "problem" in verdict
      ? `${NOT_CAUGHT}: ${verdict.problem}`
      : `caught by “${verdict.caughtBy}”${verdict.by}`;
  const name = nameOf(patch.file);
  const row = tableRow([name, patch.rule, `\`${patch.test}\``, said]);
  rows.set(name, row);
  console.log(row);
};
const queue = [...patches];
const tried = new Map<string, Promise<string>>();
const copies = Math.min(COPIES_MAX, availableParallelism(), queue.length);
const start = performance.now();
await Promise.all(Array.from({ length: copies }, () => workThrough(queue, tried, tell)));
const seconds = Math.round((performance.now() - start) / 1000);
console.log(`${patches.length - bad} of ${patches.length} broken rules caught, in ${seconds} s`);
writeRows(RESULT, files.map(nameOf), rows);
process.exit(bad === 0 && patches.length > 0 ? 0 : 1);
