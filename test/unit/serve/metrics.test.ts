import { expect, test } from "bun:test";
import { Activity } from "../../../src/serve/Activity.ts";
import type { EndedRun } from "../../../src/serve/EndedRun.ts";
import { Metrics } from "../../../src/serve/Metrics.ts";
import { replyFields } from "../../../src/serve/replyFields.ts";
import { fakeReport } from "../../support/FakeEngine.ts";
import { GREEDY } from "../../support/sampling.ts";

const ASKED = { requestId: "req_1", promptTokens: 100, sampling: GREEDY, maxTokens: 8 };
const REPORT = fakeReport({
  promptTokens: 100,
  resumedTokens: 60,
  warmedTokens: 50,
  prefilledTokens: 40,
  predictedTokens: 3,
  predictedMs: 20,
  queuedMs: 4,
  missReason: "evicted",
  source: "host",
});

/** One reply of three tokens, 100 ms after its request and 10 ms apart. */
function play(tenant: string, observers: ConstructorParameters<typeof Activity>[1]): void {
  let now = 1000;
  const see = new Activity(1, observers, () => now).begin({ ...ASKED, tenant });
  see({ type: "accepted", id: 1 });
  now += 100;
  for (const token of [5, 6, 7]) {
    see({ type: "tokens", id: 1, tokens: [token] });
    now += 10;
  }
  see({ type: "done", id: 1, reason: "length", report: REPORT });
}

const valueIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name.replace(/[{}]/g, "\\$&")} (.+)$`, "m").exec(text)?.[1] ?? Number.NaN);

test("a reply's tokens and times are counted", async () => {
  const metrics = new Metrics();
  play("", [metrics]);
  const text = await metrics.text("");
  expect(valueIn(text, "warmturn_prompt_tokens_total")).toBe(100);
  expect(valueIn(text, 'warmturn_resumed_tokens_total{source="host"}')).toBe(60);
  expect(valueIn(text, "warmturn_warmed_tokens_used_total")).toBe(50);
  expect(valueIn(text, "warmturn_prefilled_tokens_total")).toBe(40);
  expect(valueIn(text, "warmturn_generated_tokens_total")).toBe(3);
  expect(valueIn(text, 'warmturn_requests_total{end="done"}')).toBe(1);
  expect(valueIn(text, 'warmturn_misses_total{reason="evicted"}')).toBe(1);
  expect(valueIn(text, "warmturn_first_token_seconds_sum")).toBeCloseTo(0.1);
  expect(valueIn(text, "warmturn_token_gap_seconds_count")).toBe(2);
  expect(valueIn(text, "warmturn_token_gap_seconds_sum")).toBeCloseTo(0.02);
  expect(valueIn(text, "warmturn_queue_seconds_sum")).toBeCloseTo(0.004);
});

test("what the warm pass took is counted apart", async () => {
  const metrics = new Metrics();
  metrics.warmed("", fakeReport({ prefilledTokens: 30, promptMs: 500 }));
  const text = await metrics.text("");
  expect(valueIn(text, "warmturn_warm_runs_total")).toBe(1);
  expect(valueIn(text, "warmturn_warm_tokens_total")).toBe(30);
  expect(valueIn(text, "warmturn_warm_seconds_total")).toBeCloseTo(0.5);
  expect(valueIn(text, "warmturn_prefilled_tokens_total")).toBe(0);
});

test("no key is told another's counts", async () => {
  const metrics = new Metrics();
  play("a", [metrics]);
  expect(valueIn(await metrics.text("b"), "warmturn_prompt_tokens_total")).toBe(0);
  expect(valueIn(await metrics.text("a"), "warmturn_prompt_tokens_total")).toBe(100);
});

test("the log's fields", () => {
  const runs: EndedRun[] = [];
  play("", [{ ended: (run) => runs.push(run) }]);
  expect(runs.map((run) => replyFields(run, "mine"))).toEqual([
    {
      id: "req_1",
      key: "mine",
      end: "done",
      prompt: 100,
      resumed: 60,
      warmed: 50,
      prefilled: 40,
      generated: 3,
      queued_ms: 4,
      first_token_ms: 100,
      tokens_per_second: 150,
      ms: 130,
      miss: "evicted",
    },
  ]);
});
