import { describe, expect, test } from "bun:test";
import { type PadRule, paddedRows, TILE_ROWS } from "../../../src/plan/padding.ts";

/** A model of 120 M parameters, 38 M of them in its layers: 12 layers, 8 heads of 64. */
const SMALL: PadRule = { weights: 75e6, attention: 4 * 8 * 64 * 12 };
/** Of 8 B: weights outweigh attention much longer. */
const LARGE: PadRule = { weights: 15e9, attention: 4 * 32 * 128 * 36 };
const CTX = 40_960;

/** The least tokens that are padded behind so many. */
function least(rule: PadRule, from: number): number {
  for (let count = 1; count < TILE_ROWS; count++)
    if (paddedRows(rule, from, count, CTX) > count) return count;
  return TILE_ROWS;
}

describe("a last chunk is padded where tiles are cheaper than rows", () => {
  test("never at the prompt's start, and sooner the more stands in front", () => {
    expect([0, 512, 1024, 4096, 8192, 32_768].map((from) => least(SMALL, from))).toEqual([
      64, 37, 30, 22, 21, 20,
    ]);
  });

  test("a large model is padded behind long prompts alone", () => {
    expect([0, 1024, 4096, 32_768].map((from) => least(LARGE, from))).toEqual([64, 52, 37, 23]);
  });

  test("what fills a tile stays as it is", () => {
    for (const count of [TILE_ROWS, TILE_ROWS + 1, 512])
      expect(paddedRows(SMALL, 8192, count, CTX)).toBe(count);
  });

  test("nor without room in the context, nor without a rule", () => {
    expect(paddedRows(SMALL, CTX - TILE_ROWS, 50, CTX)).toBe(TILE_ROWS);
    expect(paddedRows(SMALL, CTX - TILE_ROWS + 1, 50, CTX)).toBe(50);
    expect(paddedRows(null, 8192, 50, CTX)).toBe(50);
  });
});
