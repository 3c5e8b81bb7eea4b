/** The warm pass's HTTP side with a fake Worker and a fake engine: order, late plans, drops, deaths, idleness. */
import { expect, test } from "bun:test";
import type { Engine, EngineRun } from "../../../src/run/Engine.ts";
import type { EngineEvent } from "../../../src/run/EngineEvent.ts";
import type { RunSpec } from "../../../src/run/RunSpec.ts";
import { warmOff } from "../../../src/warm/Warm.ts";
import { WarmClient, warmCrashesMax } from "../../../src/warm/WarmClient.ts";
import type { WarmCommand, WarmEvent, WarmJob, WarmRun, WarmSettings } from "../../../src/warm/WarmJob.ts";

const settings: WarmSettings = {
  modelPath: "model.gguf",
  libraryPath: "libllama.so",
  shimPath: null,
  template: "",
  toolUseTemplate: null,
  rules: { openers: [], userOpeners: [], chunkTokensMin: 32, chunkTokensMax: 512, tripTokensMin: 0 },
};

class FakeLink {
  readonly commands: WarmCommand[] = [];
  ended = false;
  readonly send: (event: WarmEvent) => void;
  readonly die: (message: string) => void;
  constructor(send: (event: WarmEvent) => void, die: (message: string) => void) {
    this.send = send;
    this.die = die;
  }
  post(command: WarmCommand): void {
    this.commands.push(command);
  }
  end(): void {
    this.ended = true;
  }
}

class FakeRun implements EngineRun {
  cancelled = false;
  readonly id: number;
  readonly spec: Omit<RunSpec, "id">;
  readonly #onEvent: (event: EngineEvent) => void;
  constructor(id: number, spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void) {
    this.id = id;
    this.spec = spec;
    this.#onEvent = onEvent;
  }
  cancel(): void {
    this.cancelled = true;
  }
  accept(): void {
    this.#onEvent({ type: "accepted", id: this.id });
  }
  /** Any terminal event will do. */
  end(): void {
    this.#onEvent({ type: "failed", id: this.id, code: "evaluate-failed", message: "" });
  }
}

class FakeEngine implements Pick<Engine, "run" | "warm"> {
  warm: "idle" | "working" = "idle";
  readonly runs: FakeRun[] = [];
  run(spec: Omit<RunSpec, "id">, onEvent: (event: EngineEvent) => void): EngineRun {
    const run = new FakeRun(this.runs.length, spec, onEvent);
    this.runs.push(run);
    return run;
  }
}

function start() {
  const engine = new FakeEngine();
  const links: FakeLink[] = [];
  const lines: string[] = [];
  const warm = new WarmClient({
    engine,
    settings,
    openLink: (onEvent, onCrash) => {
      const link = new FakeLink(onEvent, onCrash);
      links.push(link);
      return link;
    },
    log: { info: (line) => lines.push(line), warn: (line) => lines.push(line) },
  });
  const link = (): FakeLink => {
    const last = links.at(-1);
    if (last === undefined) throw new Error("no Worker was started");
    return last;
  };
  const run = (index: number): FakeRun => {
    const found = engine.runs[index];
    if (found === undefined) throw new Error(`the engine has no run ${index}`);
    return found;
  };
  return { engine, links, lines, warm, link, run };
}

function job(id: string, turn: number): WarmJob {
  return {
    conversation: { id, turn },
    tenant: "",
    seed: 1n,
    prompt: { messages: [{ role: "user", content: "hi" }], tools: [], kwargs: new Map() },
    reply: { role: "assistant", content: "hello", reasoning: "", toolCalls: [] },
    habits: { reasoning: "unknown", numbers: "unknown" },
  };
}

function runs(id: string, turn: number, count = 1): WarmEvent {
  const plan = {
    tokens: new Int32Array(2),
    cuts: new Int32Array([1]),
    trips: new Int32Array(0),
    keys: new BigUint64Array(1),
    keep: [],
  };
  const conversation = { id, turn };
  return {
    type: "runs",
    conversation,
    notes: [],
    runs: Array.from({ length: count }, (_, variant): WarmRun => {
      return { purpose: "warm", plan, tenant: "", conversation, maxTokens: 0, variant };
    }),
  };
}

test("the Worker is set up first, then gets the jobs; its runs reach the engine in order", () => {
  const { warm, link, run, engine } = start();
  warm.finished(job("a", 1));
  expect(link().commands.map((command) => command.type)).toEqual(["start", "job"]);
  link().send(runs("a", 1, 2));
  expect(engine.runs.map((each) => each.spec.variant)).toEqual([0, 1]);
  expect(run(0).spec.purpose).toBe("warm");
});

test("never idle between a reply's end and the end of its warm runs", () => {
  const { warm, link, run } = start();
  expect(warm.idle).toBe(true);
  const released = warm.replyEnds();
  expect(warm.idle).toBe(false);
  warm.finished(job("a", 1));
  released();
  released();
  expect(warm.idle).toBe(false);
  link().send(runs("a", 1, 2));
  expect(warm.idle).toBe(false);
  run(0).accept();
  run(0).end();
  expect(warm.idle).toBe(false);
  run(1).end();
  expect(warm.idle).toBe(true);
});

test("an announced reply that is not warmed leaves no false working", () => {
  const { warm } = start();
  warm.replyEnds()();
  expect(warm.idle).toBe(true);
});

test("the engine's own warm work counts", () => {
  const { warm, engine } = start();
  engine.warm = "working";
  expect(warm.idle).toBe(false);
});

test("a skipped job is idle again and says why in the log", () => {
  const { warm, link, lines, engine } = start();
  warm.finished(job("a", 1));
  link().send({ type: "skipped", conversation: { id: "a", turn: 1 }, why: "the template refused" });
  expect(warm.idle).toBe(true);
  expect(engine.runs).toEqual([]);
  expect(lines.join()).toContain("the template refused");
});

test("a drop reaches the Worker, and the engine through the runs", () => {
  const { warm, link, run, engine } = start();
  warm.finished(job("a", 1));
  warm.finished(job("b", 1));
  link().send(runs("a", 1, 2));
  link().send(runs("b", 1));
  warm.drop("a");
  expect(engine.runs.map((each) => each.cancelled)).toEqual([true, true, false]);
  expect(link().commands.at(-1)).toEqual({ type: "drop", conversation: "a" });
  run(0).end();
  run(1).end();
  expect(warm.idle).toBe(false);
  run(2).end();
  expect(warm.idle).toBe(true);
});

test("a plan that comes after its conversation's drop is not handed on", () => {
  const { warm, link, engine } = start();
  warm.finished(job("a", 1));
  warm.drop("a");
  expect(warm.idle).toBe(true);
  link().send(runs("a", 1));
  expect(engine.runs).toEqual([]);
  warm.finished(job("a", 2));
  link().send(runs("a", 1));
  expect(engine.runs).toEqual([]);
  link().send(runs("a", 2));
  expect(engine.runs.length).toBe(1);
});

test("a reply that ends after its conversation's next one is not warmed", () => {
  const { warm, link } = start();
  warm.finished(job("a", 2));
  warm.finished(job("a", 1));
  expect(link().commands.filter((command) => command.type === "job").length).toBe(1);
});

test("a later turn cancels what an earlier one still has in the engine", () => {
  const { warm, link, run } = start();
  warm.finished(job("a", 1));
  link().send(runs("a", 1));
  warm.finished(job("a", 2));
  expect(run(0).cancelled).toBe(true);
});

test("a Worker that dies is started again; what it planned is lost, what the engine has goes on", () => {
  const { warm, links, lines, link, run } = start();
  warm.finished(job("a", 1));
  link().send(runs("a", 1));
  warm.finished(job("b", 1));
  link().die("out of memory");
  expect(links.length).toBe(2);
  expect(link().commands.map((command) => command.type)).toEqual(["start"]);
  expect(lines.length).toBe(1);
  expect(run(0).cancelled).toBe(false);
  run(0).end();
  expect(warm.idle).toBe(true);
  warm.finished(job("b", 2));
  expect(warm.idle).toBe(false);
  links[0]?.send(runs("b", 2));
  expect(warm.idle).toBe(false);
  link().send(runs("b", 2));
  run(1).end();
  expect(warm.idle).toBe(true);
});

test("after some deaths warming is off, with one line, and never an error", () => {
  const { warm, links, lines, link, engine } = start();
  for (let death = 1; death <= warmCrashesMax; death += 1) {
    warm.finished(job("a", death));
    link().die("again");
  }
  expect(links.length).toBe(warmCrashesMax);
  expect(lines.filter((line) => line.startsWith("Warming is off")).length).toBe(1);
  warm.finished(job("a", 9));
  warm.drop("a");
  expect(warm.idle).toBe(true);
  expect(engine.runs).toEqual([]);
});

test("a Worker that cannot load turns warming off", () => {
  const { warm, lines, link } = start();
  warm.finished(job("a", 1));
  const only = link();
  only.send({ type: "off", why: "no vocabulary" });
  expect(only.ended).toBe(true);
  expect(warm.idle).toBe(true);
  expect(lines).toEqual(["Warming is off: no vocabulary"]);
});

test("close ends the Worker and cancels its runs", () => {
  const { warm, link, run } = start();
  warm.finished(job("a", 1));
  const only = link();
  only.send(runs("a", 1));
  warm.close();
  expect(only.ended).toBe(true);
  expect(run(0).cancelled).toBe(true);
  warm.finished(job("a", 2));
  only.send(runs("a", 2));
  run(0).end();
  expect(warm.idle).toBe(true);
});

test("off does nothing and is idle", () => {
  warmOff.replyEnds()();
  warmOff.finished(job("a", 1));
  warmOff.drop("a");
  expect(warmOff.idle).toBe(true);
  warmOff.close();
});
