/** Writes docs/flags.md's table from the table that parses the flags. `--check` only compares; exit 1 if they differ. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flagTable } from "../src/config/help.ts";

const FILE = join(import.meta.dir, "..", "docs", "flags.md");
const START = "<!-- flags:start -->";
const END = "<!-- flags:end -->";

function withFlags(text: string): string {
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`docs/flags.md has lost its marks ${START} and ${END}`);
  return `${text.slice(0, from + START.length)}\n${flagTable()}\n${text.slice(to)}`;
}

const text = readFileSync(FILE, "utf8");
const fresh = withFlags(text);
if (process.argv.includes("--check")) {
  if (fresh !== text) {
    console.error("docs/flags.md is not the table that is parsed. Run: bun scripts/flagsDoc.ts");
    process.exit(1);
  }
} else {
  writeFileSync(FILE, fresh);
}
