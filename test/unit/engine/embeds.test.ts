/** What the loop promises of embeddings: one input a step, in turns with replies, one end for each job. */
import { expect, test } from "bun:test";
import { EmbedCalls } from "../../../src/engine/EmbedCalls.ts";
import { EmbedQueue } from "../../../src/engine/EmbedQueue.ts";
import { EncoderLoop } from "../../../src/engine/EncoderLoop.ts";
import { DeviceError } from "../../../src/run/Device.ts";
import { EmbedError } from "../../../src/run/EmbedError.ts";
import type { EmbedEvent, EmbedJob, EngineEvent } from "../../../src/run/EngineEvent.ts";
import { EngineHarness } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const planOf = (salt: number) => makePlan("dense", prompt(words(salt, 300), user(salt, 20)));
const job = (id: number, ...firsts: number[]): EmbedJob => ({
  id,
  inputs: firsts.map((first) => Int32Array.of(first)),
});

/** An engine whose steps are noted in order: `e11` is the input that begins with 11. */
function opened(queueMax = 64, embed?: (tokens: Int32Array) => Float32Array) {
  const steps: string[] = [];
  const events: EmbedEvent[] = [];
  const embedder = {
    embed: (tokens: Int32Array): Float32Array => {
      steps.push(`e${tokens[0]}`);
      return embed?.(tokens) ?? Float32Array.from(tokens);
    },
    [Symbol.dispose]: () => {},
  };
  const embeds = new EmbedQueue({ embedder, queueMax, emit: (event) => events.push(event) });
  const fault = (op: string): void => {
    if (op === "prefill" || op === "decode") steps.push(op);
  };
  const engine = new EngineHarness({ memory: "dense", lanes: 2, spares: 1, fault, embeds });
  return { engine, steps, events, send: (one: EmbedJob) => engine.loop.handle({ type: "embed", job: one }) };
}

test("one input a step, the oldest request first, and one event each", () => {
  const { engine, steps, events, send } = opened();
  send(job(1, 11, 12));
  send(job(2, 21));
  engine.drain();
  expect(steps).toEqual(["e11", "e12", "e21"]);
  expect(events).toEqual([
    { type: "embedded", id: 1, vectors: [Float32Array.of(11), Float32Array.of(12)] },
    { type: "embedded", id: 2, vectors: [Float32Array.of(21)] },
  ]);
});

test("replies and embeddings take turns, and warm work waits for both", () => {
  const { engine, steps, send } = opened();
  engine.warm(planOf(1), { conversation: "w" });
  engine.submit(planOf(2), { conversation: "a", maxTokens: 40 });
  while (!steps.includes("decode")) engine.loop.step();
  engine.submit(planOf(3), { conversation: "b", maxTokens: 12 });
  send(job(1, ...Array.from({ length: 160 }, (_, i) => i)));
  engine.drain();
  const text = steps.map((step) => step[0]).join("");
  const together = text.slice(text.indexOf("e"), text.lastIndexOf("d") + 1);
  expect(together.length).toBeGreaterThan(10);
  expect(together).not.toMatch(/ee|[pd][pd]/);
  // The other run's decode steps lie between the chunks still.
  expect(together.replaceAll("e", "")).toMatch(/^p*(dp)+d+$/);
  // Nothing is left but inputs, and then warm work.
  expect(text.slice(text.lastIndexOf("d") + 1)).toMatch(/^e+p+$/);
});

test("a client that leaves ends its job between two inputs", () => {
  const { engine, steps, events, send } = opened();
  send(job(1, 11, 12, 13));
  send(job(2, 21));
  engine.loop.step();
  engine.loop.handle({ type: "cancel-embed", id: 1 });
  engine.drain();
  expect(steps).toEqual(["e11", "e21"]);
  expect(events.map(({ id }) => id)).toEqual([2]);
});

test("a device error ends its job alone; a full queue and a closing engine refuse", () => {
  const { engine, events, send } = opened(2, (tokens) => {
    if (tokens[0] === 12) throw new DeviceError("out-of-memory", "no room");
    return Float32Array.from(tokens);
  });
  send(job(1, 11, 12, 13));
  send(job(2, 21, 22));
  send(job(3, 31));
  engine.loop.step();
  engine.loop.step();
  engine.loop.handle({ type: "close" });
  engine.drain();
  expect(events.map((event) => [event.id, event.type === "not-embedded" ? event.code : null])).toEqual([
    [3, "queue-full"],
    [1, "out-of-memory"],
    [2, "closing"],
  ]);
});

test("the HTTP side: each call ends once; whoever leaves is told to the engine", async () => {
  const posted: unknown[] = [];
  const calls = new EmbedCalls({ start: ({ id }) => posted.push(id), cancel: (id) => posted.push(-id) });
  const stay = new AbortController();
  const leave = new AbortController();
  const first = calls.call([Int32Array.of(1)], stay.signal);
  const second = calls.call([Int32Array.of(2)], leave.signal);
  const third = calls.call([Int32Array.of(3)], stay.signal);
  leave.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  calls.receive({ type: "embedded", id: 2, vectors: [] });
  calls.receive({ type: "embedded", id: 1, vectors: [Float32Array.of(5)] });
  expect(await first).toEqual([Float32Array.of(5)]);
  calls.failAll("crashed", "dead");
  await expect(third).rejects.toThrow(new EmbedError("crashed", "dead"));
  stay.abort();
  expect(posted).toEqual([1, 2, 3, -2]);
  expect(calls.size).toBe(0);
});

test("an encoder's loop does the same alone, refuses runs, and ends its jobs when it closes", () => {
  const events: (EmbedEvent | EngineEvent)[] = [];
  const emit = (event: EmbedEvent | EngineEvent): void => void events.push(event);
  const embedder = {
    embed: (tokens: Int32Array): Float32Array => Float32Array.from(tokens),
    [Symbol.dispose]: () => {},
  };
  const embeds = new EmbedQueue({ embedder, queueMax: 2, emit });
  const loop = new EncoderLoop({ embeds, emit });
  expect(loop.step()).toBe(false);
  loop.handle({ type: "embed", job: job(1, 11, 12) });
  loop.handle({ type: "embed", job: job(2, 21) });
  loop.handle({ type: "embed", job: job(3, 31) });
  loop.handle({ type: "cancel-embed", id: 2 });
  expect([loop.step(), loop.step(), loop.step()]).toEqual([true, false, false]);
  expect(events).toEqual([
    { type: "not-embedded", id: 3, code: "queue-full", message: "2 requests to embed are waiting already" },
    { type: "embedded", id: 1, vectors: [Float32Array.of(11), Float32Array.of(12)] },
  ]);
  events.length = 0;
  const plan = planOf(1);
  loop.handle({
    type: "run",
    run: { id: 9, purpose: "request", plan, tenant: "", conversation: { id: "c", turn: 1 }, maxTokens: 1 },
  });
  loop.handle({ type: "cancel", id: 9 });
  loop.handle({ type: "drop", conversation: "c" });
  loop.handle({ type: "embed", job: job(4, 41) });
  loop.handle({ type: "close" });
  expect(loop.step()).toBe(false);
  expect(events).toMatchObject([
    { type: "refused", id: 9, code: "evaluate-failed", message: "an encoder writes no text" },
    { type: "not-embedded", id: 4, code: "closing" },
  ]);
});
