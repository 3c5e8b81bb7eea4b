/** Runs the test that a patch names, and tells which tests failed, and by what. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { output } from "./output.ts";
import type { RulePatch } from "./RulePatch.ts";

const TEST_MS_MAX = 30_000;
/** A property that fails in each of fifty tests is shrunk in each: some failures say as much. */
const FAILURES_MAX = 3;

interface Failure {
  readonly test: string;
  /** Class of what was thrown, and the first line it said. */
  readonly type: string;
  readonly message: string;
}

export interface TestRun {
  readonly passed: boolean;
  readonly failures: readonly Failure[];
  readonly text: string;
}

/** `tree` lies alone in its folder. */
export async function runTest(patch: RulePatch, tree: string): Promise<TestRun> {
  const report = join(tree, "..", "report.xml");
  rmSync(report, { force: true });
  const filter = patch.name === undefined ? [] : ["-t", patch.name];
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const limits = ["--timeout", String(TEST_MS_MAX), `--bail=${FAILURES_MAX}`];
  const command = ["test", ...limits, ...reporter, ...filter, `./${patch.test}`];
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

export function assertedFailure({ failures }: TestRun): Failure | undefined {
  return failures.find(({ type, message }) => !NO_ASSERTION.test(`${type} ${message}`));
}
