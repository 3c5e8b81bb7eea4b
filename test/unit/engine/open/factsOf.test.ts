/** The size of a model that the library has no name for. */
import { expect, test } from "bun:test";
import { sizeName } from "../../../../src/engine/open/factsOf.ts";

test.each([
  [8_190_735_360, "8.2B"],
  [30_500_000_000, "31B"],
  [999_600_000, "1.0B"],
  [2_623_488, "2.6M"],
  [270_000_000, "270M"],
  [17_024, "17K"],
])("%d parameters are %s", (parameters, name) => {
  expect(sizeName(parameters)).toBe(name);
});
