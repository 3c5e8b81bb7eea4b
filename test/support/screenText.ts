/** What a terminal shows in the end of all that was written to it. */
import { stripVTControlCharacters } from "node:util";
import { ERASE } from "../../src/cli/StatusLine.ts";

/** Without what was written over in place, and without colours. */
export function screenText(written: string): string {
  const lines = written.replaceAll("\r\n", "\n").split("\n");
  return stripVTControlCharacters(lines.map((line) => line.split(ERASE).at(-1) ?? "").join("\n"));
}
