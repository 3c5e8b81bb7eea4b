/** `test/rules/RESULT.md`: what each patch came to when it was last run, one row a patch. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

export const NOT_CAUGHT = "NOT CAUGHT";

const HEAD = "| patch | rule that it breaks | test that must fail | result |\n| --- | --- | --- | --- |\n";

export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Rows by patch name; none where the file is not there. */
export function readRows(path: string): Map<string, string> {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, "utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const name = /^\| ([a-z0-9][\w-]*) \| /i.exec(line)?.[1];
      return name === undefined || name === "patch" ? [] : [[name, line] as const];
    }),
  );
}

/** `names` are the patches that there are, in order: rows of others are left out. No total, which every branch would change. */
export function writeRows(path: string, names: readonly string[], rows: ReadonlyMap<string, string>): void {
  const lines = names.map((name) => rows.get(name) ?? tableRow([name, "", "", `${NOT_CAUGHT}: never run`]));
  const title = "# Broken rules, each patch's last run (`bun run test:rules`)\n\n";
  writeFileSync(path, `${title}${HEAD}${lines.join("\n")}\n`);
}
