/** ARCHITECTURE.md names only files, functions and rule breaks that are there. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");
const TEXT = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

test("every path is there", () => {
  const paths = [...TEXT.matchAll(/`((?:src|ffi|test|scripts|bench|docs)\/[\w/.-]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("every rule of the warm pass is found where its row says, and a patch breaks it", () => {
  const section = TEXT.slice(TEXT.indexOf("## The rules of the warm pass"), TEXT.indexOf("## Code map"));
  const rows = section.split("\n").filter((line) => line.startsWith("| **"));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const [, , places = "", patches = ""] = row.split("|");
    for (const [, path = "", names = ""] of places.matchAll(/`(src\/[\w/.]+\.ts)`: ((?:`#?\w+`(?:, )?)+)/g)) {
      const code = readFileSync(join(ROOT, path), "utf8");
      const named = [...names.matchAll(/`(#?\w+)`/g)].map(([, name = ""]) => name);
      expect(named.filter((name) => !code.includes(name))).toEqual([]);
    }
    const named = [...patches.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name);
    expect(named, row).not.toEqual([]);
    expect(named.filter((name) => !existsSync(join(ROOT, "test/rules", `${name}.patch`)))).toEqual([]);
  }
});
