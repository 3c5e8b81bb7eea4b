/** The warm Worker's inside without a Worker: order, drops between steps, one terminal event a job. */
import { expect, test } from "bun:test";
import { WARM_JOBS_MAX } from "../../../src/base/limits.ts";
import type { PlannedJob } from "../../../src/warm/planJob.ts";
import type { AnyWarmJob, WarmEvent, WarmJob } from "../../../src/warm/WarmJob.ts";
import { WarmQueue } from "../../../src/warm/WarmQueue.ts";

function job(id: string, turn: number): WarmJob {
  return {
    conversation: { id, turn },
    tenant: "",
    seed: 1n,
    prompt: { messages: [], tools: [], kwargs: new Map() },
    reply: { role: "assistant", content: "", reasoning: "", toolCalls: [] },
    habits: { reasoning: "unknown", numbers: "unknown" },
  };
}

function start(plan: (job: AnyWarmJob) => PlannedJob) {
  const events: WarmEvent[] = [];
  const steps: (() => void)[] = [];
  const queue = new WarmQueue(
    plan,
    (event) => events.push(event),
    (step) => steps.push(step),
  );
  const runAll = (): void => {
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) step();
  };
  const said = (): string[] =>
    events.map((event) =>
      event.type === "runs" || event.type === "skipped"
        ? `${event.type} ${event.conversation.id} ${event.conversation.turn}`
        : event.type,
    );
  return { queue, events, steps, runAll, said };
}

function oneRun(from: AnyWarmJob): PlannedJob {
  const plan = {
    tokens: new Int32Array(2),
    cuts: new Int32Array([1]),
    trips: new Int32Array(0),
    keys: new BigUint64Array(1),
    keep: [],
  };
  const { conversation, tenant } = from;
  return { runs: [{ purpose: "warm", plan, tenant, conversation, maxTokens: 0, variant: 0 }], notes: [] };
}

test("first come, first planned, one a step", () => {
  const { queue, steps, said, runAll } = start(oneRun);
  queue.handle({ type: "job", job: job("a", 1) });
  queue.handle({ type: "job", job: job("b", 1) });
  expect(steps.length).toBe(1);
  expect(said()).toEqual([]);
  runAll();
  expect(said()).toEqual(["runs a 1", "runs b 1"]);
});

test("a job whose conversation moved on is skipped, not planned", () => {
  const { queue, said, runAll } = start(oneRun);
  queue.handle({ type: "job", job: job("a", 1) });
  queue.handle({ type: "job", job: job("b", 1) });
  queue.handle({ type: "drop", conversation: "a" });
  runAll();
  expect(said()).toEqual(["skipped a 1", "runs b 1"]);
});

test("a later turn's job replaces an earlier one's", () => {
  const { queue, said, runAll } = start(oneRun);
  queue.handle({ type: "job", job: job("a", 1) });
  queue.handle({ type: "job", job: job("a", 2) });
  runAll();
  expect(said()).toEqual(["skipped a 1", "runs a 2"]);
});

test("no runs, or a planner that throws, is a skip with its reason, and the next job is planned", () => {
  const { queue, events, runAll, said } = start((from) => {
    if (from.conversation.id === "thrown") throw new Error("broken");
    if (from.conversation.id === "refused") return { runs: [], notes: ["the template refused"] };
    return from.conversation.id === "short" ? { runs: [], notes: [] } : oneRun(from);
  });
  for (const id of ["thrown", "refused", "short", "good"]) queue.handle({ type: "job", job: job(id, 1) });
  runAll();
  expect(said()).toEqual(["skipped thrown 1", "skipped refused 1", "skipped short 1", "runs good 1"]);
  expect(events.map((event) => (event.type === "skipped" ? event.why : ""))).toEqual([
    "broken",
    "the template refused",
    "the next prompt has no cut",
    "",
  ]);
});

test("the queue is bounded: the oldest job goes, with its event", () => {
  const { queue, said, runAll } = start(oneRun);
  for (let index = 0; index <= WARM_JOBS_MAX; index += 1) {
    queue.handle({ type: "job", job: job(`c${index}`, 1) });
  }
  runAll();
  expect(said().length).toBe(WARM_JOBS_MAX + 1);
  expect(said()[0]).toBe("skipped c0 1");
  expect(said().filter((line) => line.startsWith("runs")).length).toBe(WARM_JOBS_MAX);
});
