/** How long a conversation is sure to come back, in runs: written out here, so that the figures themselves are held. */
import { describe, expect, test } from "bun:test";
import { type Kept, worthOf } from "../../../src/state/worth.ts";

const NOW = 10_000;
const kept = (returns: Kept["returns"], age: number, tokens = 1000): Kept => ({
  tokens,
  bytes: 1,
  usedAt: NOW - age,
  shared: false,
  returns,
  variant: 0,
  superseded: false,
});
const worth = (...of: Parameters<typeof kept>): number => worthOf(kept(...of), NOW);

describe("what waits for its tools, or has come back before", () => {
  test.each([1, 2] as const)(
    "outlasts fifty subagent turns of two runs each, however large these are: %d",
    (returns) => {
      expect(worth(returns, 100, 100)).toBeGreaterThan(worth(0, 0, 1_000_000));
    },
  );

  test.each([1, 2] as const)(
    "holds no place against the living after a hundred and fifty runs: %d",
    (returns) => {
      expect(worth(returns, 150)).toBeLessThan(worth(0, 0));
    },
  );
});

test("what nobody used counts half after some five hundred runs, and is not worthless before", () => {
  expect(worth(0, 512)).toBeGreaterThan(worth(0, 0) * 0.4);
  expect(worth(0, 512)).toBeLessThan(worth(0, 0) * 0.6);
  expect(worth(0, 64)).toBeGreaterThan(worth(0, 0) * 0.8);
});
