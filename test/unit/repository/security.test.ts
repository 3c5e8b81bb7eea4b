/** What SECURITY.md points to is there. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..", "..");
const TEXT = readFileSync(join(ROOT, "SECURITY.md"), "utf8");
const promises = (TEXT.split("## What is promised")[1]?.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| "));

test("each promise names a test that is there, and rules that are broken on purpose", () => {
  expect(promises.length).toBeGreaterThan(12);
  for (const line of promises.slice(2)) {
    const [, , testedBy = ""] = line.split("|");
    const names = [...testedBy.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");
    expect([line, names.length]).not.toEqual([line, 0]);
    for (const name of names) {
      if (name.startsWith("bun run ")) {
        const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
        expect(Object.keys(scripts)).toContain(name.slice("bun run ".length));
      } else {
        const file = name.includes("/") ? name : join("test", "rules", `${name}.patch`);
        expect([name, existsSync(join(ROOT, file))]).toEqual([name, true]);
      }
    }
  }
});
