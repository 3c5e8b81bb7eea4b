/**
 * Fails where a source file is too long to be about one thing. Files are meant to have under 200 lines; past the limit
 * one of them has two jobs. Lengths of functions are the linter's (`biome.json`).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
/** A test file may list its cases. */
const LINES_MAX: readonly (readonly [folders: string, lines: number])[] = [
  ["{src,ffi,scripts,bench}/**/*.{ts,c}", 400],
  ["test/**/*.ts", 600],
];

const tooLong = LINES_MAX.flatMap(([pattern, most]) =>
  [...new Bun.Glob(pattern).scanSync(ROOT)].flatMap((path) => {
    const lines = readFileSync(join(ROOT, path), "utf8").split("\n").length - 1;
    return lines > most ? [`${path} has ${lines} lines; ${most} are allowed.`] : [];
  }),
);
for (const sentence of tooLong) console.log(sentence);
process.exit(tooLong.length === 0 ? 0 : 1);
