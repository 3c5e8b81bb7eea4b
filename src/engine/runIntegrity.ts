/**
 * What holds of all runs between two steps: each is in one queue, each lane has one owner, and nothing that has ended is
 * still there. Read only: for tests and `--debug-integrity`.
 */
import { mustHold } from "../state/IntegrityError.ts";
import type { Sequence } from "../state/Sequence.ts";
import type { Run } from "./Run.ts";

export interface RunQueues {
  readonly waiting: readonly Run[];
  readonly running: readonly Run[];
  readonly warm: readonly Run[];
}

/** `owned`: sequences that a request, or nobody any more, holds. Throws IntegrityError. */
export function checkRuns({ waiting, running, warm }: RunQueues, owned: ReadonlySet<Sequence>): void {
  const all = [...waiting, ...running, ...warm];
  const ids = new Set(all.map(({ id }) => id));
  mustHold(ids.size === all.length, () => `a run is in two places: ${all.map(({ id }) => id)}`);
  for (const { id, phase } of all)
    mustHold(phase !== "ended", () => `run ${id} has ended, and is still queued`);
  for (const { id, phase, sequence } of waiting) {
    mustHold(phase === "waiting" && sequence === null, () => `run ${id} waits, and has begun`);
  }
  const lanes = new Set<Sequence>();
  for (const { id, sequence } of running) {
    mustHold(sequence !== null, () => `run ${id} runs nowhere`);
    if (sequence === null) continue;
    mustHold(!lanes.has(sequence), () => `sequence ${sequence.index} has two owners`);
    mustHold(owned.has(sequence) && sequence.writer === id, () => `run ${id} does not own ${sequence.index}`);
    lanes.add(sequence);
  }
  mustHold(owned.size === lanes.size, () => `${owned.size} lanes are busy, and ${lanes.size} requests run`);
  for (const { id, sequence } of warm) {
    const isIn = sequence !== null && sequence.writer === id;
    mustHold(!isIn || !sequence.busy, () => `warm run ${id} writes where a request runs`);
  }
}
