/** One press that comes on several ways is one; a second one is a second, however fast it is relayed. */
import { expect, test } from "bun:test";
import { StopPresses } from "../../../src/cli/StopPresses.ts";

type Press = readonly [ms: number, way: "own" | "relayed"];

function counts(presses: readonly Press[]): number[] {
  let now = 0;
  const all = new StopPresses(() => now);
  return presses.map(([ms, way]) => {
    now = ms;
    all.press(way);
    return all.count;
  });
}

test("from the terminal, and again through the supervisor, however late", () => {
  expect(
    counts([
      [0, "own"],
      [1, "relayed"],
      [900, "own"],
      [901, "relayed"],
    ]),
  ).toEqual([1, 1, 2, 2]);
  expect(
    counts([
      [0, "own"],
      [5_000, "relayed"],
    ]),
  ).toEqual([1, 1]);
});

test("twice on one way within half a second, as npx hands it on, is one", () => {
  expect(
    counts([
      [0, "own"],
      [499, "own"],
      [1_100, "own"],
    ]),
  ).toEqual([1, 1, 2]);
  expect(
    counts([
      [0, "relayed"],
      [600, "relayed"],
    ]),
  ).toEqual([1, 2]);
});

test("only what is new is told", () => {
  let now = 0;
  const all = new StopPresses(() => now);
  expect([all.press("own"), all.press("relayed")]).toEqual([true, false]);
  now = 600;
  expect([all.press("relayed"), all.press("own")]).toEqual([true, false]);
});
