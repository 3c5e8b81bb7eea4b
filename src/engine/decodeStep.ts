/**
 * One token for each decoding lane: in one call, or, with `exactDecode`, each lane in a call of its own, since
 * a reply's bits depend on how many rows a step has (ARCHITECTURE.md, "Invariants": Bits).
 */
import type { LoopContext } from "./LoopContext.ts";
import type { Run } from "./Run.ts";
import { sampleNext } from "./sampleNext.ts";

/** `runs` in ascending order of their lanes. */
export function decodeStep(loop: LoopContext, runs: readonly Run[]): void {
  if (!loop.options.exactDecode) {
    decodeTogether(loop, runs);
    return;
  }
  for (const run of runs) decodeTogether(loop, [run]);
}

function decodeTogether(loop: LoopContext, runs: readonly Run[]): void {
  const { device, clock } = loop.options;
  const start = clock.now();
  try {
    device.decode(runs.map((run) => run.row));
  } catch (error) {
    loop.failAll(runs, error);
    return;
  }
  loop.states.evaluated(0, clock.now() - start);
  for (const run of runs) if (run.sequence !== null) loop.states.advanced(run.sequence, 1);
  // All rows are in place before the first run may end: an ended run frees its lane.
  for (const [row, run] of runs.entries()) sampleNext(loop, run, row);
}
