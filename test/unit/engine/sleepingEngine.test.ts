/** When an engine falls asleep and wakes, with a clock that the test moves; each run still ends once. */
import { expect, test } from "bun:test";
import { type EngineThatRests, SleepingEngine } from "../../../src/engine/SleepingEngine.ts";
import type { EngineRun } from "../../../src/run/Engine.ts";
import type { EngineEvent } from "../../../src/run/EngineEvent.ts";
import type { EngineReady } from "../../../src/run/EngineReady.ts";
import type { RunReport } from "../../../src/run/RunReport.ts";
import type { RunSpec } from "../../../src/run/RunSpec.ts";
import type { HandedOver } from "../../../src/state/handOver.ts";
import { makePlan } from "../../support/makePlan.ts";

const READY = { setup: 1n, ctxTokens: 64 } as EngineReady;
const KEPT = [{ kind: "snapshot" }] as unknown as HandedOver;
const REPORT = {} as RunReport;

class Rig {
  readonly lines: string[] = [];
  readonly given: HandedOver[] = [];
  now = 0;
  loads = 0;
  fails = "";
  ready = READY;
  loaded = Promise.withResolvers<void>();
  open = 0;
  refuses = false;
  #ends: (() => void)[] = [];

  readonly log = {
    info: (message: string) => void this.lines.push(message),
    error: (message: string) => void this.lines.push(message),
  };

  readonly start = async (before: EngineReady | null, kept: HandedOver): Promise<EngineThatRests> => {
    this.loads += 1;
    this.given.push(kept);
    if (before !== null) await this.loaded.promise;
    if (this.fails !== "") throw new Error(this.fails);
    return this.#engine();
  };

  #engine(): EngineThatRests {
    const rig = this;
    return {
      ready: this.ready,
      warm: "idle",
      get pending() {
        return rig.open;
      },
      run: (_, onEvent) => rig.#run(onEvent),
      drop: () => {},
      embed: async (inputs) => inputs.map(() => new Float32Array(1)),
      rest: async () => KEPT,
      close: async () => void this.lines.push("closed"),
    };
  }

  #run(onEvent: (event: EngineEvent) => void): EngineRun {
    if (this.refuses) {
      queueMicrotask(() => onEvent({ type: "refused", id: 9, code: "queue-full", message: "full" }));
      return { id: 9, cancel: () => {} };
    }
    this.open += 1;
    queueMicrotask(() => onEvent({ type: "accepted", id: 9 }));
    const end = (): void => {
      this.open -= 1;
      onEvent({ type: "done", id: 9, reason: "stop", report: REPORT });
    };
    this.#ends.push(end);
    return { id: 9, cancel: end };
  }

  async endAll(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await Bun.sleep(0);
  }
}

async function rigged() {
  const rig = new Rig();
  const engine = await SleepingEngine.start({
    afterMs: 100,
    start: rig.start,
    now: () => rig.now,
    log: rig.log,
  });
  const pass = async (ms: number): Promise<void> => {
    rig.now += ms;
    await engine.tick();
  };
  const run = (purpose: RunSpec["purpose"] = "request", tokens = [1, 2, 3]) => {
    const types: string[] = [];
    const plan = makePlan("dense", tokens);
    const spec = { purpose, plan, tenant: "", conversation: { id: "a", turn: 1 }, maxTokens: 1 };
    return { types, handle: engine.run(spec, ({ type }) => void types.push(type)) };
  };
  return { rig, engine, pass, run };
}

test("it sleeps when nothing was asked for so long, and not while something runs", async () => {
  const { rig, engine, pass, run } = await rigged();
  await pass(99);
  const { types } = run();
  await pass(500);
  expect(engine.sleep).toEqual({ isAsleep: false, sleeps: 0 });
  await rig.endAll();
  await pass(99);
  expect(engine.sleep.isAsleep).toBe(false);
  await pass(1);
  expect(engine.sleep).toEqual({ isAsleep: true, sleeps: 1 });
  expect(types).toEqual(["accepted", "done"]);
});

test("a request wakes it, counts as accepted at once, and gets what was kept", async () => {
  const { rig, engine, pass, run } = await rigged();
  await pass(100);
  const runs = [run(), run()];
  await Bun.sleep(0);
  expect(runs.map(({ types }) => types)).toEqual([["accepted"], ["accepted"]]);
  expect([engine.pending, rig.loads]).toEqual([2, 2]);
  rig.loaded.resolve();
  await Bun.sleep(0);
  await rig.endAll();
  expect(runs.map(({ types }) => types)).toEqual([
    ["accepted", "done"],
    ["accepted", "done"],
  ]);
  expect([rig.given[1], engine.sleep.isAsleep, engine.pending, rig.loads]).toEqual([KEPT, false, 0, 2]);
});

test("a load that fails ends those that wait, and the next request tries again", async () => {
  const { rig, engine, pass, run } = await rigged();
  await pass(100);
  rig.fails = "no memory";
  const first = run();
  rig.loaded.resolve();
  await Bun.sleep(0);
  expect([first.types, engine.sleep.isAsleep]).toEqual([["accepted", "failed"], true]);
  expect(rig.lines.at(-1)).toBe("The model cannot be loaded again: no memory");
  rig.fails = "";
  rig.ready = { ...READY, setup: 2n };
  const other = run();
  await Bun.sleep(0);
  expect([other.types, rig.lines.includes("closed")]).toEqual([["accepted", "failed"], true]);
  rig.ready = READY;
  const second = run();
  await Bun.sleep(0);
  await rig.endAll();
  expect(second.types).toEqual(["accepted", "done"]);
});

test("what is refused behind the load has failed, because it was accepted", async () => {
  const { rig, pass, run } = await rigged();
  await pass(100);
  rig.refuses = true;
  const { types } = run();
  rig.loaded.resolve();
  await Bun.sleep(0);
  expect(types).toEqual(["accepted", "failed"]);
});

test("warm runs, prompts that are too long and a client that leaves wake nobody or end at once", async () => {
  const { rig, engine, pass, run } = await rigged();
  await pass(100);
  const warm = run("warm");
  const long = run(
    "request",
    Array.from({ length: 64 }, () => 1),
  );
  await Bun.sleep(0);
  expect([warm.types, long.types, rig.loads]).toEqual([["refused"], ["refused"], 1]);
  const left = run();
  left.handle.cancel();
  await Bun.sleep(0);
  expect([left.types, engine.pending]).toEqual([["accepted", "failed"], 0]);
});

test("an input to embed wakes it, too; close ends what waits", async () => {
  const { rig, engine, pass, run } = await rigged();
  await pass(100);
  const vectors = engine.embed([Int32Array.of(1)], new AbortController().signal);
  rig.loaded.resolve();
  expect(await vectors).toHaveLength(1);
  await pass(100);
  expect(engine.sleep.sleeps).toBe(2);
  rig.loaded = Promise.withResolvers();
  const { types } = run();
  const closed = engine.close();
  rig.loaded.resolve();
  await closed;
  expect(types.filter((type) => type === "failed" || type === "done")).toHaveLength(1);
});
