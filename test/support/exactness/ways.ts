/**
 * Ways to come to a kept state: each brings the engine to where the state at a cut can only be had in that way,
 * and asks for a prompt that goes on from there.
 */
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import type { RunReport } from "../../../src/run/RunReport.ts";
import type { StatesBench } from "./StatesBench.ts";

export interface Way {
  readonly name: string;
  readonly lanes: number;
  readonly spares: number;
  /** At which cuts: those that are kept by name, the last, or one that no name keeps. */
  readonly at: "kept" | "last" | "between";
  /** Whether the live end is what is resumed: on a window model that is any cut, else only trips are. */
  readonly liveEnd: boolean;
  readonly source: Readonly<Record<MemoryKind, RunReport["source"]>>;
  /** Returns the id of the run that goes on from `cut`. */
  readonly play: (bench: StatesBench, cut: number) => number;
}

const sources = (
  dense: RunReport["source"],
  others: RunReport["source"],
  recurrent: RunReport["source"],
): Way["source"] => ({ dense, hybrid: others, window: others, recurrent });

export const ROLLED_BACK: Way = {
  name: "the same sequence, rolled back behind a reply",
  lanes: 1,
  spares: 0,
  at: "kept",
  liveEnd: false,
  source: sources("sequence", "snapshot", "snapshot"),
  play: (bench, cut) => {
    bench.run(bench.base, "a", 1);
    return bench.run(bench.goOn(cut), "a", 2);
  },
};

export const LIVE_END: Way = {
  name: "the same sequence, at the untouched end that a warm run left",
  lanes: 1,
  spares: 0,
  at: "last",
  liveEnd: true,
  source: sources("sequence", "sequence", "sequence"),
  play: (bench, cut) => {
    bench.warm(bench.base, "a", 1);
    return bench.run(bench.goOn(cut), "a", 2);
  },
};

export const PARKED: Way = {
  name: "another sequence that holds other rows, from a spare where it was parked",
  lanes: 1,
  spares: 1,
  at: "kept",
  liveEnd: false,
  source: sources("fork", "fork", "snapshot"),
  play: (bench, cut) => {
    bench.run(bench.base, "a", 1);
    bench.run(bench.other, "d", 1);
    return bench.run(bench.goOn(cut), "a", 2);
  },
};

const FORKED: Way = {
  name: "a fork into a dirty lane, while the source goes on decoding",
  lanes: 2,
  spares: 0,
  at: "kept",
  liveEnd: false,
  source: sources("fork", "fork", "snapshot"),
  play: (bench, cut) => {
    bench.run(bench.other, "d", 1);
    const source = bench.submit(bench.base, "a", 1);
    bench.stepUntilDecoding(source);
    const fork = bench.submit(bench.goOn(cut), "b", 1);
    bench.drain();
    bench.alsoCheck(source);
    return fork;
  },
};

const SPARE_END: Way = {
  name: "a whole copy of the untouched end of a spare, where a second variant was warmed",
  lanes: 1,
  spares: 1,
  at: "last",
  liveEnd: true,
  source: sources("fork", "fork", "snapshot"),
  play: (bench, cut) => {
    bench.warm(bench.other, "a", 1, 0);
    bench.warm(bench.base, "a", 1, 1);
    return bench.run(bench.goOn(cut), "a", 2);
  },
};

export const HOST: Way = {
  name: "host memory",
  lanes: 1,
  spares: 0,
  at: "kept",
  liveEnd: false,
  source: sources("host", "host", "snapshot"),
  play: (bench, cut) => {
    bench.run(bench.base, "a", 1);
    bench.run(bench.other, "d", 1);
    return bench.run(bench.goOn(cut), "a", 2);
  },
};

const HOST_INTERRUPTED: Way = {
  name: "host memory, where a warm run was interrupted between two kept cuts",
  lanes: 1,
  spares: 0,
  at: "between",
  liveEnd: false,
  source: sources("host", "host", "host"),
  play: (bench, cut) => {
    bench.warmUpTo(bench.base, cut, "a", 1);
    bench.run(bench.other, "d", 1);
    return bench.run(bench.goOn(cut), "a", 2);
  },
};

const EDITED: Way = {
  name: "a spare that holds what was edited away in the conversation's own lane",
  lanes: 1,
  spares: 1,
  at: "last",
  liveEnd: false,
  source: sources("fork", "fork", "snapshot"),
  play: (bench, cut) => {
    bench.run(bench.base, "a", 1);
    bench.run(bench.other, "d", 1);
    // The lane now holds the same head, other rows behind it, and is its own conversation's.
    bench.run(bench.goOn(bench.headCut), "a", 2);
    return bench.run(bench.goOn(cut), "a", 3);
  },
};

export const WAYS: readonly Way[] = [
  ROLLED_BACK,
  LIVE_END,
  PARKED,
  FORKED,
  SPARE_END,
  HOST,
  HOST_INTERRUPTED,
  EDITED,
];
