/** Reasoning ends when its budget is spent: the closing tag comes in place of what would have been sampled. */
import { describe, expect, test } from "bun:test";
import { ReasoningWatch } from "../../../src/engine/ReasoningWatch.ts";
import type { ReasoningBudget } from "../../../src/run/RunSpec.ts";
import { EngineHarness, GREEDY } from "../../support/EngineHarness.ts";
import { makePlan, prompt, user, words } from "../../support/makePlan.ts";

const START = 50;
const END = 51;
const BUDGET: ReasoningBudget = { tokensMax: 3, start: [START], end: END, opened: false };

/** Which token was due in front of each of these. */
function due(budget: ReasoningBudget, tokens: readonly number[]): number[] {
  const watch = new ReasoningWatch(budget);
  return tokens.map((token) => {
    const now = watch.due;
    watch.take(token);
    return now;
  });
}

describe("what is due", () => {
  test("nothing until the budget is spent, then the closing tag, then nothing again", () => {
    expect(due(BUDGET, [START, 1, 2, 3, END, 4, 5, 6, 7])).toEqual([-1, -1, -1, -1, END, -1, -1, -1, -1]);
    expect(due({ ...BUDGET, opened: true }, [1, 2, 3, END, 4])).toEqual([-1, -1, -1, END, -1]);
  });

  test("nothing where the model closes by itself, or never opens", () => {
    expect(due(BUDGET, [START, 1, END, 2, 3, 4, 5])).toEqual(Array(7).fill(-1));
    expect(due(BUDGET, [1, 2, 3, 4, 5, START, 6, 7, 8, 9])).toEqual(Array(10).fill(-1));
  });

  test("white space may stand before the tag, and the tag may be several tokens", () => {
    expect(due(BUDGET, [9, START, 1, 2, 3, END])[5]).toBe(END);
    expect(due({ ...BUDGET, start: [7, 8] }, [7, 8, 1, 2, 3, END])[5]).toBe(END);
  });

  test("none at all closes at once", () => {
    expect(due({ ...BUDGET, tokensMax: 0, opened: true }, [END, 1])).toEqual([END, -1]);
  });
});

describe("a run", () => {
  const plan = makePlan("dense", prompt(words(1, 100), user(1, 20)));
  const generated = (reasoningBudget?: ReasoningBudget, grammar?: string): number[] => {
    const engine = new EngineHarness({ memory: "dense" });
    const sampling = {
      ...GREEDY,
      ignoreEos: true,
      ...(reasoningBudget === undefined ? {} : { reasoningBudget }),
      ...(grammar === undefined ? {} : { grammar }),
    };
    const id = engine.submit(plan, { maxTokens: 8, sampling });
    engine.drain();
    return engine.of(id).flatMap((event) => (event.type === "tokens" ? event.tokens : []));
  };

  test("goes on behind the closing tag as if the model had written it", () => {
    const free = generated();
    const held = generated({ ...BUDGET, opened: true });
    expect(held.slice(0, 3)).toEqual(free.slice(0, 3));
    expect(held[3]).toBe(END);
    expect(held).toHaveLength(8);
    expect(held.slice(4)).not.toEqual(free.slice(4));
  });

  test("a grammar that does not allow the tag goes first", () => {
    expect(generated({ ...BUDGET, opened: true }, "root ::= x")).not.toContain(END);
  });
});
