/** Whose state gives way: nobody's where there is room, else the least worth, and never a newer one to an older. */
import { describe, expect, test } from "bun:test";
import { DeviceError } from "../../../src/run/Device.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness } from "../../support/EngineHarness.ts";
import type { FakeOp } from "../../support/FakeDevice.ts";
import { assistant, makePlan, prompt, user, words } from "../../support/makePlan.ts";

const talk = (salt: number, length: number) => makePlan("dense", prompt(words(salt, length), user(salt, 20)));
const lastCut = (plan: { readonly cuts: Int32Array }) => plan.cuts.at(-1) ?? 0;
/** Lines of the log from `from` on that copy or save something. */
const moves = (engine: EngineHarness, from: number) =>
  engine.device.log.slice(from).filter((line) => /^(copy|save)/.test(line));

describe("a lane that another conversation needs", () => {
  test("is parked in the spare only over what is worth less", () => {
    const engine = new EngineHarness({ memory: "dense", lanes: 1, spares: 1, stateRamBytes: 0 });
    const long = talk(1, 600);
    engine.run(long, { conversation: "long" });
    engine.run(talk(2, 40), { conversation: "short" });
    // The long one lies in the spare now; the short one goes, not the long one.
    engine.run(talk(3, 40), { conversation: "third" });
    expect(engine.run(long, { conversation: "long", turn: 2 }).resumedTokens).toBe(lastCut(long));
  });

  test("takes the spare from what is worth less, which is then said to be evicted", () => {
    const engine = new EngineHarness({ memory: "dense", lanes: 1, spares: 1, stateRamBytes: 0 });
    const long = talk(1, 600);
    const short = talk(2, 40);
    engine.run(short, { conversation: "short" });
    engine.run(long, { conversation: "long" });
    engine.run(talk(3, 40), { conversation: "third" });
    expect(engine.run(long, { conversation: "long", turn: 2 }).resumedTokens).toBe(lastCut(long));
    const again = engine.run(short, { conversation: "short", turn: 2 });
    expect(again).toMatchObject({ resumedTokens: 0, missReason: "evicted" });
  });

  test("is taken where its conversation has gone on elsewhere, and that is parked only where it costs nobody", () => {
    const engine = new EngineHarness({ memory: "dense", lanes: 2, spares: 0, stateRamBytes: 0 });
    const edited = makePlan("dense", prompt(words(1, 96), user(7, 40)));
    engine.submit(talk(1, 300), { conversation: "a", turn: 1, maxTokens: 20 });
    while (engine.tokens(1).length === 0) engine.loop.step();
    engine.run(edited, { conversation: "a", turn: 2 });
    const from = engine.device.log.length;
    expect(engine.run(talk(5, 40), { conversation: "b" }).sequence).toBe(0);
    expect(moves(engine, from)).toEqual([]);
    expect(engine.run(edited, { conversation: "a", turn: 3 }).resumedTokens).toBe(lastCut(edited));
  });
});

test("a conversation that rewrites its own end goes on in place, and takes nobody else's lane", () => {
  const engine = new EngineHarness({ memory: "dense", lanes: 2, spares: 0, stateRamBytes: 0 });
  const other = talk(2, 200);
  engine.run(talk(1, 200), { conversation: "a" });
  engine.run(other, { conversation: "b" });
  const edited = makePlan("dense", prompt(words(1, 96), user(7, 40)));
  expect(engine.run(edited, { conversation: "a", turn: 2 })).toMatchObject({
    sequence: 0,
    source: "sequence",
  });
  expect(engine.run(other, { conversation: "b", turn: 2 }).resumedTokens).toBe(lastCut(other));
});

test("a third variant overwrites neither of the first two", () => {
  const engine = new EngineHarness({ memory: "dense", lanes: 1, spares: 1, stateRamBytes: 0 });
  const first = prompt(words(1, 100), user(2, 50));
  const id = engine.submit(makePlan("dense", first), { maxTokens: 90 });
  engine.drain();
  const reply = engine.tokens(id);
  const variants = [0, 20, 40].map((at) => [...first.slice(0, -2), ...assistant(reply.slice(at))]);
  const warm = variants.map((history) => makePlan("dense", [...history, ...user(0, 0)]));
  for (const [variant, plan] of warm.entries()) engine.run(plan, { purpose: "warm", variant });
  const second = variants[1] ?? [];
  const next = engine.run(makePlan("dense", prompt(second, user(3, 40))), { turn: 2 });
  expect(next.resumedTokens).toBe(lastCut(warm[1] ?? { cuts: new Int32Array() }));
});

test("of two variants the likelier one is parked, whichever is longer", () => {
  const engine = new EngineHarness({ memory: "dense", lanes: 1, spares: 1, stateRamBytes: 0 });
  const first = prompt(words(1, 100), user(2, 50));
  engine.run(makePlan("dense", first));
  const variants = [words(5, 20), words(6, 90)].map((reply) => [...first.slice(0, -2), ...assistant(reply)]);
  const warm = variants.map((history) => makePlan("dense", [...history, ...user(0, 0)]));
  for (const [variant, plan] of warm.entries()) engine.run(plan, { purpose: "warm", variant });
  engine.run(talk(3, 40), { conversation: "side" });
  const next = engine.run(makePlan("dense", prompt(variants[0] ?? [], user(3, 40))), { turn: 2 });
  expect(next.resumedTokens).toBe(lastCut(warm[0] ?? { cuts: new Int32Array() }));
});

test("a request beside a conversation that shares its head takes its lane only once that is parked", () => {
  const engine = new EngineHarness({ memory: "dense", lanes: 1, spares: 1, stateRamBytes: 0 });
  const head = words(1, 96);
  const first = prompt(head, user(2, 50));
  engine.run(makePlan("dense", first));
  const variants = [words(5, 60), words(6, 30)].map((reply) => [...first.slice(0, -2), ...assistant(reply)]);
  const warm = variants.map((history) => makePlan("dense", [...history, ...user(0, 0)]));
  for (const [variant, plan] of warm.entries()) engine.run(plan, { purpose: "warm", variant });
  // Both sequences hold the head: it is taken from the lane, so that the spare is free to take the lane's end.
  expect(engine.run(makePlan("dense", prompt(head, user(4, 40))), { conversation: "title" })).toMatchObject({
    resumedTokens: 96,
  });
  const next = engine.run(makePlan("dense", prompt(variants[0] ?? [], user(3, 40))), { turn: 2 });
  expect(next.resumedTokens).toBe(lastCut(warm[0] ?? { cuts: new Int32Array() }));
});

describe("a full save", () => {
  const saved = (partialBytes: number): readonly string[] => {
    const engine = new EngineHarness({ memory: "dense", spares: 0, stateRamBytes: 1 << 28, partialBytes });
    engine.run(talk(1, 300), { conversation: "a" });
    const from = engine.device.log.length;
    engine.run(talk(2, 40), { conversation: "b" });
    // Timed now: each byte takes 1e-4 ms, where the first guess was 1e-6.
    engine.run(talk(3, 300), { conversation: "c" });
    return moves(engine, from);
  };

  test("is made where that costs less than prefilling what it saves", () => {
    expect(saved(1 << 10)).toEqual(["save 0 full", "save 0 full"]);
  });

  test("is not made where it costs more, once it was timed", () => {
    expect(saved(1 << 23)).toEqual(["save 0 full"]);
  });
});

/** Device operations of one kind fail while `failing` says so. */
function faulty(
  op: FakeOp,
  options: { readonly lanes: number; readonly spares: number; readonly ram: number },
) {
  const state = { failing: false, failed: 0 };
  const engine = new EngineHarness({
    memory: "dense",
    lanes: options.lanes,
    spares: options.spares,
    stateRamBytes: options.ram,
    fault: (now) => {
      if (!state.failing || now !== op) return;
      state.failed++;
      throw new DeviceError("out-of-memory", "no room");
    },
  });
  return { engine, state };
}

describe("a state that the device fails to move is lost, and no request with it", () => {
  const head = words(1, 96);
  const a = makePlan("dense", prompt(head, user(2, 40)));
  const b = makePlan("dense", prompt(head, user(3, 40)));
  const coldHash = (plan: typeof a) => coldRun("dense", plan).end;

  test("a copy to resume from: the run starts cold, and the source is as it was", () => {
    const { engine, state } = faulty("copy", { lanes: 2, spares: 0, ram: 1 << 20 });
    engine.run(a, { conversation: "a" });
    state.failing = true;
    const report = engine.run(b, { conversation: "b" });
    expect(state.failed).toBe(1);
    expect(report).toMatchObject({ resumedTokens: 0, source: "none" });
    expect(coldHash(b)).toMatchObject({ report: { logitsHash: report.logitsHash } });
    state.failing = false;
    expect(engine.run(a, { conversation: "a", turn: 2 }).resumedTokens).toBe(lastCut(a));
  });

  test("a copy into a spare: the lane is taken all the same", () => {
    const { engine, state } = faulty("copy", { lanes: 1, spares: 1, ram: 0 });
    engine.run(talk(1, 300), { conversation: "a" });
    state.failing = true;
    const report = engine.run(b, { conversation: "b" });
    expect(state.failed).toBe(1);
    expect(coldHash(b)).toMatchObject({ report: { logitsHash: report.logitsHash } });
  });

  test("a save into host memory: no room", () => {
    const { engine, state } = faulty("save", { lanes: 1, spares: 0, ram: 1 << 20 });
    const first = talk(1, 300);
    engine.run(first, { conversation: "a" });
    state.failing = true;
    const report = engine.run(b, { conversation: "b" });
    expect(state.failed).toBe(1);
    expect(coldHash(b)).toMatchObject({ report: { logitsHash: report.logitsHash } });
    state.failing = false;
    expect(engine.run(first, { conversation: "a", turn: 2 }).missReason).toBe("evicted");
  });

  test("a restore: a miss", () => {
    const { engine, state } = faulty("restore", { lanes: 1, spares: 0, ram: 1 << 20 });
    engine.run(a, { conversation: "a" });
    engine.run(talk(2, 300), { conversation: "b" });
    state.failing = true;
    const report = engine.run(a, { conversation: "a", turn: 2 });
    expect(state.failed).toBe(1);
    expect(report).toMatchObject({ resumedTokens: 0, source: "none", missReason: "evicted" });
    expect(coldHash(a)).toMatchObject({ report: { logitsHash: report.logitsHash } });
  });
});

describe("a fault at any one operation", () => {
  test.each<MemoryKind>(["dense", "hybrid", "recurrent", "window"])(
    "%s: costs that run or a kept state, and no later run a bit",
    (memory) => {
      const head = words(1, 96);
      const plans = [2, 3].map((salt) => makePlan(memory, prompt(head, user(salt, 150))));
      const cold = plans.map((plan) => coldRun(memory, plan).end);
      for (let at = 0; ; at++) {
        let calls = 0;
        const engine = new EngineHarness({
          memory,
          lanes: 1,
          spares: 0,
          fault: (op) => {
            if (op !== "clear" && calls++ === at) throw new DeviceError("out-of-memory", "no room");
          },
        });
        for (const [i, turn] of [1, 1, 2, 2].entries()) {
          const [plan, expected] = [plans[i % 2], cold[i % 2]];
          if (plan === undefined || expected?.type !== "done") throw new Error("two plans are made");
          const id = engine.submit(plan, { conversation: `${i % 2}`, turn });
          engine.drain();
          const end = engine.terminal(id);
          if (end.type === "done") expect(end.report.logitsHash).toBe(expected.report.logitsHash ?? "");
          else expect(end).toMatchObject({ type: "failed", message: "no room" });
        }
        if (calls <= at) return;
      }
    },
  );
});

test("a warm run that fails after its lane was taken leaves that lane to who took it", () => {
  let failing = false;
  const engine = new EngineHarness({
    memory: "dense",
    lanes: 1,
    spares: 1,
    stateRamBytes: 0,
    fault: (op) => {
      if (failing && op === "clear") throw new DeviceError("out-of-memory", "no room");
    },
  });
  engine.run(talk(1, 100), { conversation: "a" });
  const warm = engine.warm(talk(4, 200), { conversation: "a" });
  engine.loop.step();
  const other = talk(2, 300);
  engine.submit(other, { conversation: "b" });
  while (engine.events.every((event) => event.type !== "done" || event.id === 1)) engine.loop.step();
  failing = true;
  engine.drain();
  failing = false;
  if (engine.terminal(warm).type !== "failed") throw new Error("the warm run was to fail");
  const next = engine.run(other, { conversation: "b", turn: 2 });
  expect(next.resumedTokens).toBe(lastCut(other));
  expect(coldRun("dense", other).end).toMatchObject({ report: { logitsHash: next.logitsHash } });
});
