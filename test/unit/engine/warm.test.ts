/** What the loop promises of warm runs: nobody waits for them, nothing of worth is overwritten by them. */
import { describe, expect, test } from "bun:test";
import { DeviceError } from "../../../src/run/Device.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import { coldRun, EngineHarness, type HarnessOptions } from "../../support/EngineHarness.ts";
import { assistant, makePlan, prompt, user, words } from "../../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const HEAD = words(1, 100);

/** After a first turn: the two warm plans (reply kept, reply rewritten) and the next turns that resume them. */
function afterReply(memory: MemoryKind, options: Partial<HarnessOptions> = {}) {
  const engine = new EngineHarness({ memory, ...options });
  const first = prompt(HEAD, user(2, 50));
  const id = engine.submit(makePlan(memory, first), { maxTokens: 60 });
  engine.drain();
  const reply = engine.tokens(id);
  const plans = [reply, reply.slice(20)].map((echo) => {
    const history = [...first.slice(0, -2), ...assistant(echo)];
    return {
      warm: makePlan(memory, [...history, ...user(0, 0)]),
      next: makePlan(memory, prompt(history, user(3, 40))),
    };
  });
  const [kept, dropped] = plans;
  if (kept === undefined || dropped === undefined) throw new Error("two variants are made");
  return { engine, kept, dropped };
}

describe("priority", () => {
  test("deferred while a request runs or waits, and goes on where it stopped", () => {
    const { engine, kept } = afterReply("dense", { lanes: 2 });
    const warm = engine.warm(kept.warm);
    engine.loop.step();
    const other = makePlan("dense", prompt(words(5, 60), user(6, 10)));
    const request = engine.submit(other, { conversation: "other" });
    const from = engine.device.log.length;
    while (!engine.of(request).some((event) => event.type === "done")) engine.loop.step();
    expect(engine.device.log.slice(from).some((line) => line.startsWith("prefill 0"))).toBe(false);
    expect(engine.of(warm).some((event) => event.type === "aborted")).toBe(false);
    engine.drain();
    const report = engine.report(warm);
    expect(report.prefilledTokens + report.resumedTokens).toBe(kept.warm.cuts.at(-1) ?? 0);
  });

  test("goes on where it stopped although its lane was taken meanwhile", () => {
    const { engine, kept } = afterReply("hybrid", { lanes: 1, spares: 1 });
    const warm = engine.warm(kept.warm);
    engine.loop.step();
    const done = engine.of(warm).length;
    expect(done).toBeGreaterThan(1);
    engine.run(makePlan("hybrid", prompt(words(5, 60), user(6, 10))), { conversation: "other" });
    const report = engine.report(warm);
    expect(report.prefilledTokens + report.resumedTokens).toBe(kept.warm.cuts.at(-1) ?? 0);
    const next = engine.run(kept.next, { turn: 2 });
    expect(next.resumedTokens).toBe(kept.warm.cuts.at(-1) ?? 0);
    expect(coldRun("hybrid", kept.next).end).toMatchObject({ report: { logitsHash: next.logitsHash } });
  });

  test("the next request never waits for more than one chunk of warm work", () => {
    const { engine, kept } = afterReply("dense");
    const warm = engine.warm(kept.warm);
    engine.loop.step();
    const request = engine.submit(kept.next, { turn: 2 });
    const from = engine.device.log.length;
    engine.loop.step();
    const [first] = engine.device.log.slice(from).filter((line) => line.startsWith("prefill"));
    expect(engine.of(request).some((event) => event.type === "prefill")).toBe(true);
    expect(engine.terminal(warm).type).toBe("aborted");
    // What the warm run had finished is where the request starts.
    const evaluated = engine.report(warm).prefilledTokens + engine.report(warm).resumedTokens;
    expect(first).toStartWith(`prefill 0 @${evaluated} `);
    engine.drain();
    expect(engine.report(request).resumedTokens).toBe(evaluated);
    expect(coldRun("dense", kept.next).end).toMatchObject({
      report: { logitsHash: engine.report(request).logitsHash },
    });
  });

  test("everybody's likeliest next turn comes before anybody's second, and the surest first", () => {
    const engine = new EngineHarness({ memory: "dense", lanes: 4, spares: 4 });
    const submitted: readonly (readonly [string, number, boolean])[] = [
      ["once", 0, false],
      ["once", 1, false],
      ["agent", 0, true],
      ["agent", 1, true],
    ];
    const plan = (salt: number) => makePlan("dense", [...words(salt, 60), ...user(0, 0)]);
    const ids = submitted.map(([conversation, variant, awaitsResults], i) =>
      engine.warm(plan(i + 20), { conversation, variant, awaitsResults }),
    );
    engine.drain();
    const ended = engine.events.flatMap((event) => (event.type === "done" ? [ids.indexOf(event.id)] : []));
    expect(ended.map((i) => submitted[i]?.slice(0, 2).join(" "))).toEqual([
      "agent 0",
      "once 0",
      "agent 1",
      "once 1",
    ]);
  });

  test("drop ends the conversation's warm runs and no others; what was finished is kept", () => {
    const { engine, kept } = afterReply("dense");
    const mine = engine.warm(kept.warm);
    const others = engine.warm(makePlan("dense", [...words(8, 60), ...user(0, 0)]), {
      conversation: "other",
    });
    engine.loop.step();
    engine.loop.handle({ type: "drop", conversation: "c" });
    expect(engine.terminal(mine).type).toBe("aborted");
    engine.drain();
    expect(engine.terminal(others).type).toBe("done");
    const report = engine.report(mine);
    expect(engine.run(kept.next, { turn: 2 }).resumedTokens).toBe(
      report.resumedTokens + report.prefilledTokens,
    );
  });

  test("a request drops the warm runs of its own conversation alone, whatever the turns of others", () => {
    const { engine, kept } = afterReply("dense");
    const mine = engine.warm(kept.warm);
    const others = engine.warm(makePlan("dense", [...words(8, 60), ...user(0, 0)]), {
      conversation: "other",
    });
    engine.submit(kept.next, { turn: 2 });
    expect(engine.terminal(mine).type).toBe("aborted");
    engine.drain();
    expect(engine.terminal(others)).toMatchObject({ type: "done", reason: "prefilled" });
  });

  test("reports tell what was warmed, and nothing else as warmed", () => {
    const { engine, kept } = afterReply("dense");
    const retry = engine.run(makePlan("dense", prompt(HEAD, user(2, 50))), { maxTokens: 60 });
    expect(retry.resumedTokens).toBeGreaterThan(0);
    expect(retry.warmedTokens).toBe(0);
    const warm = engine.run(kept.warm, { purpose: "warm" });
    const next = engine.run(kept.next, { turn: 2 });
    expect(warm.prefilledTokens).toBeGreaterThan(0);
    expect(next.warmedTokens).toBe(warm.prefilledTokens);
    expect(next.resumedTokens).toBe(warm.resumedTokens + warm.prefilledTokens);
  });

  test("a plan of a turn that is past is refused", () => {
    const { engine, kept } = afterReply("dense");
    engine.run(kept.next, { turn: 2 });
    const late = engine.warm(kept.warm, { turn: 1 });
    expect(engine.of(late)).toMatchObject([{ type: "refused", code: "stale-warm-plan" }]);
    const fresh = engine.warm(kept.warm, { turn: 2 });
    engine.drain();
    expect(engine.terminal(fresh).type).toBe("done");
  });

  test("warm runs that wait are bounded", () => {
    const { engine, kept, dropped } = afterReply("dense", { queueMax: 1 });
    const first = engine.warm(kept.warm);
    const second = engine.warm(dropped.warm, { variant: 1 });
    engine.drain();
    expect(engine.of(second)).toMatchObject([{ type: "refused", code: "queue-full" }]);
    expect(engine.terminal(first).type).toBe("done");
  });

  test("tells when it works and when it rests, once each", () => {
    const { engine, kept, dropped } = afterReply("dense");
    engine.warm(kept.warm);
    engine.warm(dropped.warm, { variant: 1 });
    engine.drain();
    const states = engine.events.flatMap((event) => (event.type === "warm" ? [event.state] : []));
    expect(states).toEqual(["working", "idle"]);
    expect(engine.events.at(-1)).toEqual({ type: "warm", state: "idle" });
  });

  test("a device error fails it, and the next request is exact", () => {
    let failing = false;
    const { engine, kept } = afterReply("window", {
      fault: (op) => {
        if (failing && op === "prefill") throw new DeviceError("evaluate-failed", "broken");
      },
    });
    const warm = engine.warm(kept.warm);
    engine.loop.step();
    failing = true;
    engine.loop.step();
    expect(engine.terminal(warm)).toMatchObject({ type: "failed", code: "evaluate-failed" });
    failing = false;
    const next = engine.run(kept.next, { turn: 2 });
    expect(coldRun("window", kept.next).end).toMatchObject({ report: { logitsHash: next.logitsHash } });
  });

  test.each(KINDS)("where resuming is off nothing is warmed, kept or resumed: %s", (memory) => {
    const { engine, kept } = afterReply(memory, { resumeAllowed: false });
    const warm = engine.run(kept.warm, { purpose: "warm" });
    expect(warm).toMatchObject({ prefilledTokens: 0, resumedTokens: 0 });
    const next = engine.run(kept.next, { turn: 2 });
    expect(next).toMatchObject({ resumedTokens: 0, missReason: "resume-off" });
    expect(engine.loop.states.hostBytes).toBe(0);
    expect(coldRun(memory, kept.next).end).toMatchObject({ report: { logitsHash: next.logitsHash } });
  });
});

describe.each(KINDS)("two variants, %s", (memory) => {
  function warmBoth(options: Partial<HarnessOptions>) {
    const made = afterReply(memory, options);
    made.engine.run(made.kept.warm, { purpose: "warm", variant: 0 });
    const second = made.engine.run(made.dropped.warm, { purpose: "warm", variant: 1 });
    return { ...made, second };
  }

  test.each(["kept", "dropped"] as const)("with a spare both are there: %s", (which) => {
    const { engine, [which]: chosen, second } = warmBoth({ lanes: 1, spares: 1 });
    expect(second.prefilledTokens).toBeGreaterThan(0);
    const next = engine.run(chosen.next, { turn: 2 });
    expect(next.resumedTokens).toBe(chosen.warm.cuts.at(-1) ?? 0);
    expect(next.sequence).toBe(0);
    expect(coldRun(memory, chosen.next).end).toMatchObject({ report: { logitsHash: next.logitsHash } });
  });

  test.each(["kept", "dropped"] as const)("without a spare the first is saved whole: %s", (which) => {
    const { engine, [which]: chosen } = warmBoth({ lanes: 1, spares: 0 });
    const next = engine.run(chosen.next, { turn: 2 });
    const saved = memory === "window" && which === "kept";
    expect(next.resumedTokens).toBe((saved ? chosen.warm.trips : chosen.warm.cuts).at(-1) ?? 0);
    expect(coldRun(memory, chosen.next).end).toMatchObject({ report: { logitsHash: next.logitsHash } });
  });

  test("without a spare and without a budget the likelier one stays alone", () => {
    const { engine, kept, second } = warmBoth({ lanes: 1, spares: 0, stateRamBytes: 0 });
    expect(second.prefilledTokens).toBe(0);
    const next = engine.run(kept.next, { turn: 2 });
    expect(next.resumedTokens).toBe(kept.warm.cuts.at(-1) ?? 0);
  });

  test("a variant that is kept already evaluates nothing", () => {
    const { engine, kept } = warmBoth({ lanes: 1, spares: 1 });
    const work = engine.device.log.length;
    const again = engine.run(kept.warm, { purpose: "warm", variant: 1 });
    expect(again.prefilledTokens).toBe(0);
    expect(engine.device.log).toHaveLength(work);
  });
});
