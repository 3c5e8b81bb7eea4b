/** Prompts of the process that is killed: some begin alike. */
import type { Plan } from "../../src/plan/Plan.ts";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { makePlan, prompt, user, words } from "./makePlan.ts";

export function killedPlan(memory: MemoryKind, turn: number): Plan {
  return makePlan(memory, prompt(words(turn % 5, 300), user(100 + turn, 60)));
}
