/**
 * What holds of all kept states between two steps: each sequence's rows are those of its chain, no two runs write in
 * one, and host memory holds exactly what it counts. Read only, and slow: for tests and `--debug-integrity`.
 */
import { cutAt } from "./Chain.ts";
import type { States } from "./findResume.ts";
import { mustHold } from "./IntegrityError.ts";
import type { Sequence } from "./Sequence.ts";

/** Throws IntegrityError. */
export function checkStates({ sequences, store, disk }: States): void {
  for (const [index, sequence] of sequences.entries()) {
    mustHold(sequence.index === index, () => `sequence ${index} says that it is ${sequence.index}`);
    checkSequence(sequence);
  }
  const writers = sequences.map(({ writer }) => writer).filter((writer) => writer >= 0);
  mustHold(new Set(writers).size === writers.length, () => `a run writes in two sequences: ${writers}`);
  store.checkIntegrity();
  disk?.checkIntegrity();
}

function checkSequence(sequence: Sequence): void {
  const { chain, index, rows, live, busy, isLane } = sequence;
  const at = `sequence ${index}`;
  mustHold(isLane || !busy, () => `${at} is a spare, and a request runs in it`);
  if (chain === null) {
    mustHold(
      !live && rows === 0,
      () => `${at} is empty, and has ${rows} rows${live ? " and a live end" : ""}`,
    );
    return;
  }
  const { plan, length, end, warm } = chain;
  mustHold(length <= plan.cuts.length, () => `${at} holds ${length} of ${plan.cuts.length} chunks`);
  mustHold(warm.length === plan.cuts.length, () => `${at} has marks for ${warm.length} chunks`);
  const cut = cutAt(plan, length);
  mustHold(cut <= end && end <= plan.tokens.length, () => `${at} ends at ${end}, and its last cut is ${cut}`);
  mustHold(end <= rows, () => `${at} has ${rows} rows for ${end} tokens`);
  mustHold(!live || rows === cut, () => `${at} is live at ${rows}, and its last cut is ${cut}`);
}
