/**
 * Kept states in host memory, never more bytes than the budget. Room is made by `worthOf` alone, and a state
 * that is worth less than what it would push out is not taken.
 */
import { type Chain, cutAt } from "./Chain.ts";
import type { Returns, Turns } from "./Turns.ts";
import { worthOf } from "./worth.ts";

interface HostState {
  readonly chain: Chain;
  /** Chunks of the chain after which this state stands. */
  readonly index: number;
  readonly bytes: Uint8Array;
  conversation: string;
  turn: number;
  usedAt: number;
}

/** A PARTIAL_ONLY save: recurrent rows or the window, at one cut. */
export interface Snapshot extends HostState {
  readonly kind: "snapshot";
  readonly key: bigint;
  /** Kept for a named reason; trips that are not are worth least. */
  named: boolean;
  /** End of system prompt and tools. */
  head: boolean;
  /** A head that more than one conversation has begun with. */
  shared: boolean;
}

/** Everything of a sequence, at the end of its rows. */
export interface FullSave extends HostState {
  readonly kind: "full";
}

export class HostStore {
  readonly budgetBytes: number;
  readonly #turns: Turns;
  readonly #onLost: (key: bigint, tenant: string) => void;
  readonly #snapshots = new Map<bigint, Snapshot>();
  readonly #saves = new Set<FullSave>();
  #bytes = 0;

  constructor(budgetBytes: number, turns: Turns, onLost: (key: bigint, tenant: string) => void) {
    this.budgetBytes = budgetBytes;
    this.#turns = turns;
    this.#onLost = onLost;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get saves(): Iterable<FullSave> {
    return this.#saves;
  }

  get snapshots(): Iterable<Snapshot> {
    return this.#snapshots.values();
  }

  snapshot(key: bigint): Snapshot | undefined {
    return this.#snapshots.get(key);
  }

  worth(state: Snapshot | FullSave, now: number): number {
    const outdated = state.turn < this.#turns.newest(state.conversation);
    return worthOf(
      {
        tokens: cutAt(state.chain.plan, state.index),
        bytes: state.bytes.length,
        usedAt: state.usedAt,
        shared: state.kind === "snapshot" && state.shared,
        returns: this.#returns(state),
        variant: state.chain.variant,
        superseded: outdated || (state.kind === "snapshot" && !state.named),
      },
      now,
    );
  }

  #returns(state: Snapshot | FullSave): Returns {
    const isHead = state.kind === "snapshot" && state.head;
    return isHead ? this.#turns.headReturns(state.conversation) : this.#turns.returns(state.conversation);
  }

  /**
   * Makes room for `bytes` by dropping only what is worth less than `worth`, and not so much of it that more is
   * lost than gained: a snapshot does not push out a conversation's whole state. False, and nothing dropped, else.
   */
  makeRoom(bytes: number, worth: number, now: number): boolean {
    let free = this.budgetBytes - this.#bytes;
    if (bytes <= free) return true;
    if (bytes > this.budgetBytes) return false;
    const ranked = [...this.#snapshots.values(), ...this.#saves]
      .map((state) => ({ state, worth: this.worth(state, now) }))
      .filter((entry) => entry.worth < worth)
      .sort((a, b) => a.worth - b.worth);
    const drop: RankedState[] = [];
    for (const entry of ranked) {
      if (bytes <= free) break;
      drop.push(entry);
      free += entry.state.bytes.length;
    }
    if (bytes > free || lossOf(drop) > worth * bytes) return false;
    for (const { state } of drop) this.drop(state);
    return true;
  }

  /** Takes a state for which there is room. */
  put(state: Snapshot | FullSave): void {
    if (state.kind === "snapshot") {
      if (this.#snapshots.has(state.key)) throw new Error("a snapshot is replaced only after it was dropped");
      this.#snapshots.set(state.key, state);
    } else {
      this.#saves.add(state);
    }
    this.#bytes += state.bytes.length;
    if (this.#bytes > this.budgetBytes) throw new Error("kept states exceed their budget");
  }

  drop(state: Snapshot | FullSave): void {
    const had =
      state.kind === "snapshot"
        ? this.#snapshots.get(state.key) === state && this.#snapshots.delete(state.key)
        : this.#saves.delete(state);
    if (!had) return;
    this.#bytes -= state.bytes.length;
    const key = state.chain.plan.keys[state.index - 1];
    if (key !== undefined) this.#onLost(key, state.chain.tenant);
  }
}

interface RankedState {
  readonly state: Snapshot | FullSave;
  readonly worth: number;
}

/** What all of it would save, by likelihood. A conversation's states save the same tokens, so the best counts. */
function lossOf(states: readonly RankedState[]): number {
  const best = new Map<string, number>();
  for (const { state, worth } of states) {
    const own = worth * state.bytes.length;
    best.set(state.conversation, Math.max(own, best.get(state.conversation) ?? 0));
  }
  return best.values().reduce((sum, one) => sum + one, 0);
}
