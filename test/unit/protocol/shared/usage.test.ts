/** A reply says why no more was resumed, and never that something was when nothing was. */
import { expect, test } from "bun:test";
import { warmturnOf } from "../../../../src/protocol/shared/usage.ts";
import type { RunReport } from "../../../../src/run/RunReport.ts";

const REPORT: RunReport = {
  promptTokens: 40,
  resumedTokens: 33,
  warmedTokens: 0,
  prefilledTokens: 7,
  predictedTokens: 1,
  missReason: "none",
  missAt: -1,
  source: "sequence",
  sequence: 0,
  bytesMoved: 0,
  queuedMs: 0,
  promptMs: 1,
  predictedMs: 1,
  stateMs: 0,
};

test("all that can be resumed was", () => {
  expect(warmturnOf(REPORT).why).toContain("nothing was missed");
});

test("a prompt without a cut resumed nothing", () => {
  const short = { ...REPORT, promptTokens: 7, resumedTokens: 0, source: "none" as const };
  expect(warmturnOf(short).why).toBe("The prompt is too short to hold a cut.");
});
