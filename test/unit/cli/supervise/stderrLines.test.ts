/** What a dying server wrote: its own words go on, the runtime's banner does not, however the bytes are split. */
import { expect, test } from "bun:test";
import { crashClause } from "../../../../src/cli/supervise/crashSentence.ts";
import { StderrLines } from "../../../../src/cli/supervise/StderrLines.ts";

const RULE = "=".repeat(60);
const BANNER = `${RULE}
Bun v1.4.5 (a7733435c) Linux x64
Args: "bun" "main.ts"

panic(main thread): Segmentation fault at address 0x8
oh no: Bun has crashed. This indicates a bug in Bun, not your code.

 https://bun.report/1.4.5/la1
`;

function read(text: string, size: number): { readonly written: string; readonly lines: StderrLines } {
  let written = "";
  const lines = new StderrLines((part) => {
    written += part;
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) lines.push(bytes.subarray(at, at + size));
  lines.end();
  return { written, lines };
}

test("the banner is left out, and what it says of the fault is kept", () => {
  for (const size of [1, 7, 1_000]) {
    const { written, lines } = read(`ggml.c:12: GGML_ASSERT(ok) failed\n${BANNER}`, size);
    expect(written).toBe("ggml.c:12: GGML_ASSERT(ok) failed\n");
    expect(lines.last).toEqual(["ggml.c:12: GGML_ASSERT(ok) failed"]);
    expect(lines.fault).toBe("Segmentation fault at address 0x8");
  }
});

test("a rule that nothing of the runtime follows is a line like any other, also the last one", () => {
  const text = `${RULE}\nAll is well\n${RULE}\n`;
  expect(read(text, 3).written).toBe(text);
  expect(read("no line break, ü", 1).written).toBe("no line break, ü\n");
});

test("only the last lines are remembered", () => {
  const text = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n");
  expect(read(text, 64).lines.last).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map((i) => `line ${i}`));
});

test("each end has words of its own", () => {
  expect(crashClause({ code: null, signal: "SIGBUS" })).toContain("a mapped file could not be read");
  expect(crashClause({ code: null, signal: "SIGKILL" })).toContain("out of memory");
  expect(crashClause({ code: null, signal: "SIGUSR2" })).toBe("The server was ended by SIGUSR2");
  expect(crashClause({ code: 3, signal: null })).toBe("The server ended with exit code 3");
});
