/** A patch file of `test/rules`: a unified diff behind the lines `Rule: …`, `Test: FILE`, `Name: REGEX` (optional). */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface RulePatch {
  readonly file: string;
  readonly rule: string;
  readonly test: string;
  readonly name: string | undefined;
  /** What it changes; put back after each run. */
  readonly changes: readonly string[];
}

/** Throws an Error where a header line is missing. */
export function readPatch(folder: string, file: string): RulePatch {
  const text = readFileSync(join(folder, file), "utf8");
  const header = (key: string): string | undefined =>
    new RegExp(`^${key}: (.+)$`, "m").exec(text)?.[1]?.trim();
  const rule = header("Rule");
  const test = header("Test");
  if (rule === undefined || test === undefined)
    throw new Error(`${file}: the lines "Rule:" and "Test:" are missing`);
  const changes = [...text.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path = ""]) => path.trim());
  return { file, rule, test, name: header("Name"), changes };
}
