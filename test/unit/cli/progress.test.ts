import { describe, expect, test } from "bun:test";
import { fetchLine, percentOf, timeText } from "../../../src/cli/fetchLine.ts";
import type { Look } from "../../../src/cli/Look.ts";
import { showProgress } from "../../../src/cli/showProgress.ts";
import { sizeText } from "../../../src/hub/sizeText.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.00 kB"],
  [999_499, "999 kB"],
  [999_600, "1.00 MB"],
  [31_249_000, "31.2 MB"],
  [2_497_280_256, "2.50 GB"],
  [99_960_000_000, "100 GB"],
  [1_234_000_000_000, "1234 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [0.4, "0:00"],
  [59.6, "1:00"],
  [725, "12:05"],
  [3723, "1:02:03"],
])("%d seconds are %s", (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});

test("100 % is when all is there", () => {
  expect([0, 1, 999, 1000].map((bytes) => percentOf({ bytes, size: 1000 }))).toEqual([0, 0, 99, 100]);
  expect(percentOf({ bytes: 0, size: 0 })).toBe(100);
});

const look = (columns: number): Look => ({ columns, colour: false, isTerminal: true, moves: true });

describe("a bar", () => {
  const numbers = {
    file: "sub/Qwen3-8B-Q4_K_M.gguf",
    bytes: 1_020_000_000,
    size: 2_500_000_000,
    bytesPerSecond: 31_200_000,
  };

  test("name, bar, percent, sizes, rate, what is left", () => {
    expect(fetchLine(numbers, look(101))).toBe(
      "Qwen3-8B-Q4_K_M.gguf  ━━━━━━━━━━━──────────────────   40 %  1.02 GB of 2.50 GB  31.2 MB/s, 0:47 left",
    );
  });

  test("never wider than the terminal, whatever its width", () => {
    for (let columns = 1; columns < 300; columns += 1) {
      expect(fetchLine(numbers, look(columns)).length).toBeLessThan(columns);
    }
    expect(fetchLine(numbers, look(61))).toBe("40 %  1.02 GB of 2.50 GB  31.2 MB/s, 0:47 left");
  });

  test("a long name is shortened in its middle", () => {
    const file = `${"a".repeat(60)}-Q4_K_M.gguf`;
    expect(fetchLine({ ...numbers, file }, look(101))).toMatch(/^a+…a*-Q4_K_M\.gguf {2}━/);
  });
});

describe("a fetch as it is shown", () => {
  test("lines where there is no terminal: one for each ten percent, or after half a minute", () => {
    const lines: string[] = [];
    let now = 0;
    const progress = showProgress({ line: (text) => lines.push(text), terminal: null, now: () => now });
    progress.begin("m.gguf", 5_000_000, 100_000_000);
    for (let bytes = 6_000_000; bytes <= 100_000_000; bytes += 1_000_000) {
      now += 1000;
      progress.advance(bytes);
    }
    progress.end();
    expect(lines).toEqual([
      "m.gguf: going on at 5.00 MB of 100 MB",
      ...[10, 20, 30, 40, 50, 60, 70, 80, 90].map((percent) => {
        return `m.gguf: ${percent} %, 1.00 MB/s, ${timeText(100 - percent)} left`;
      }),
      "m.gguf: 100 MB, whole and checked",
    ]);
    progress.begin("slow.gguf", 0, 1e9);
    for (let bytes = 1000; bytes <= 60_000; bytes += 1000) {
      now += 1000;
      progress.advance(bytes);
    }
    expect(lines.slice(-3)).toEqual([
      "slow.gguf: 1.00 GB",
      "slow.gguf: 0 %, 1.00 kB/s, 277:46:10 left",
      "slow.gguf: 0 %, 1.00 kB/s, 277:45:40 left",
    ]);
  });

  test("on a terminal one line is drawn over, ten times a second at most, and cleared for others", () => {
    const written: string[] = [];
    let now = 0;
    const terminal = { write: (text: string) => void written.push(text), look: look(81) };
    const progress = showProgress({ line: (text) => written.push(`${text}\n`), terminal, now: () => now });
    progress.begin("m.gguf", 0, 1000);
    for (let bytes = 1; bytes <= 1000; bytes += 1) {
      now += 1;
      progress.advance(bytes);
    }
    progress.note("It broke; trying again in 1 s");
    progress.end();
    // The first, ten more, and one more behind the note.
    expect(written.filter((text) => text.includes("m.gguf  "))).toHaveLength(12);
    expect(written.slice(-3)).toEqual([
      // In one piece: whoever is stopped in between would leave neither.
      expect.stringContaining("\r\x1b[KIt broke; trying again in 1 s.\nm.gguf  ━"),
      "\r\x1b[K",
      "m.gguf: 1.00 kB, whole and checked\n",
    ]);
  });

  test("the rate is that of the last seconds", () => {
    const lines: string[] = [];
    let now = 0;
    const progress = showProgress({ line: (text) => lines.push(text), terminal: null, now: () => now });
    progress.begin("m.gguf", 0, 1000_000);
    for (const [ms, bytes] of [
      [1000, 50_000],
      [20_000, 60_000],
      [21_000, 80_000],
      [22_000, 100_000],
    ] as const) {
      now = ms;
      progress.advance(bytes);
    }
    expect(lines.at(-1)).toBe("m.gguf: 10 %, 20.0 kB/s, 0:45 left");
  });
});
