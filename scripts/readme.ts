/** Writes the README's tables of flags from the table that parses them. `--check` only compares; exit 1 if they differ. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flagTable } from "../src/config/help.ts";

const README = join(import.meta.dir, "..", "README.md");
const START = "<!-- flags:start -->";
const END = "<!-- flags:end -->";

function withFlags(text: string): string {
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`README.md has lost its marks ${START} and ${END}`);
  return `${text.slice(0, from + START.length)}\n${flagTable()}\n${text.slice(to)}`;
}

const text = readFileSync(README, "utf8");
const fresh = withFlags(text);
if (process.argv.includes("--check")) {
  if (fresh !== text) {
    console.error("README.md's table of flags is not the one that is parsed: bun scripts/readme.ts");
    process.exit(1);
  }
} else {
  writeFileSync(README, fresh);
}
