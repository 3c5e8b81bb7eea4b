/** Many seeds of the simulation, for every memory kind. `SIM_SEED=12 bun test test/sim` replays one. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { Simulation } from "./Simulation.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const SEEDS = Number(process.env["SIM_SEEDS"] ?? 60);
const ONLY = process.env["SIM_SEED"];

/** What must have happened at least once over all seeds: a simulation that resumes nothing proves nothing. */
const HITS: Readonly<Record<MemoryKind, readonly string[]>> = {
  dense: ["resumed sequence", "resumed fork", "resumed host"],
  hybrid: ["resumed sequence", "resumed snapshot", "resumed fork", "resumed host"],
  recurrent: ["resumed sequence", "resumed snapshot"],
  window: ["resumed sequence", "resumed snapshot", "resumed fork", "resumed host"],
};
const ALWAYS = ["done", "aborted", "failed", "resumed what was warmed", "warm resumed", "refused queue-full"];

function simulate(memory: MemoryKind, seed: number) {
  try {
    return new Simulation(memory, seed).run();
  } catch (error) {
    throw new Error(`${memory}, seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

describe.each(KINDS)("%s", (memory) => {
  const seeds = ONLY === undefined ? Array.from({ length: SEEDS }, (_, i) => i + 1) : [Number(ONLY)];

  test("every reply is its cold run's, every run ends once, budgets hold", () => {
    const counts: Record<string, number> = {};
    for (const seed of seeds) {
      for (const [what, times] of Object.entries(simulate(memory, seed).counts)) {
        counts[what] = (counts[what] ?? 0) + times;
      }
    }
    if (process.env["SIM_SHOW"] !== undefined) console.log(memory, counts);
    if (ONLY !== undefined) return;
    for (const what of [...ALWAYS, ...HITS[memory]]) {
      expect({ what, times: counts[what] ?? 0 }).not.toEqual({ what, times: 0 });
    }
  });

  test("a seed run twice logs the same", () => {
    for (const seed of seeds.slice(0, 5)) {
      expect(simulate(memory, seed).log).toEqual(simulate(memory, seed).log);
    }
  });
});
