/** The last turns of a tenant: bounded, newest first, conversations numbered for each tenant apart. */
import { expect, test } from "bun:test";
import { RECENT_TURNS_MAX } from "../../../src/base/limits.ts";
import { SAMPLING_DEFAULTS } from "../../../src/run/samplerSettings.ts";
import type { EndedRun } from "../../../src/serve/EndedRun.ts";
import { RecentTurns } from "../../../src/serve/RecentTurns.ts";

function ended(id: number, conversation: string, tenant = ""): EndedRun {
  const sampling = { ...SAMPLING_DEFAULTS, seed: 1, logitBias: [] };
  const counts = { promptTokens: 9, maxTokens: 9, resumed: 0, evaluated: 9, predicted: 2 };
  return {
    task: { id, tenant, requestId: "", conversation, sampling, ...counts },
    end: "failed",
    totalMs: 5,
  };
}

test("keeps the last ones, newest first", () => {
  const recent = new RecentTurns(() => 7);
  for (let id = 1; id <= RECENT_TURNS_MAX + 3; id += 1) recent.ended(ended(id, "a"));
  const turns = recent.of("");
  expect([turns.length, turns[0]?.id, turns.at(-1)?.id]).toEqual([RECENT_TURNS_MAX, RECENT_TURNS_MAX + 3, 4]);
  expect(turns[0]).toMatchObject({ at: 7, conversation: 1, end: "failed", report: null, generatedTokens: 2 });
});

test("numbers conversations for each tenant apart, and forgets those whose turns are gone", () => {
  const recent = new RecentTurns();
  recent.ended(ended(1, "x", "one"));
  recent.ended(ended(1, "y", "two"));
  recent.ended(ended(2, "z", "two"));
  recent.ended(ended(3, "y", "two"));
  expect(recent.of("one").map(({ conversation }) => conversation)).toEqual([1]);
  expect(recent.of("two").map(({ conversation }) => conversation)).toEqual([1, 2, 1]);
  expect([recent.numberOf("two", "z"), recent.numberOf("one", "z")]).toEqual([2, null]);
  for (let id = 4; id < 4 + RECENT_TURNS_MAX; id += 1) recent.ended(ended(id, "z", "two"));
  expect([recent.numberOf("two", "y"), recent.numberOf("two", "z")]).toEqual([null, 2]);
});
