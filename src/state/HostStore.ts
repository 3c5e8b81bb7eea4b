/**
 * Kept states in host memory, never more bytes than the budget. Rows that several states have are there once, and are
 * counted once. Room is made by `worthOf` alone, and a state that is worth less than what it would push out is not
 * taken.
 */
import { type Chain, cutAt } from "./Chain.ts";
import { mustHold } from "./IntegrityError.ts";
import { type Piece, PieceTable } from "./PieceTable.ts";
import type { Returns, Turns } from "./Turns.ts";
import { worthOf } from "./worth.ts";

interface HostState {
  readonly chain: Chain;
  /** Chunks of the chain after which this state stands. */
  readonly index: number;
  conversation: string;
  turn: number;
  usedAt: number;
}

/** A PARTIAL_ONLY save: recurrent rows or the window, at one cut. */
export interface Snapshot extends HostState {
  readonly kind: "snapshot";
  readonly key: bigint;
  readonly bytes: Uint8Array;
  /** Kept for a named reason; trips that are not are worth least. */
  named: boolean;
  /** End of system prompt and tools. */
  head: boolean;
  /** A head that more than one conversation has begun with. */
  shared: boolean;
}

/** Everything of a sequence, at one of its cuts. */
export interface FullSave extends HostState {
  readonly kind: "full";
  /** Rows of each chunk up to `index`; none where the state was saved whole. */
  readonly pieces: readonly Piece[];
  /** What cannot be rolled back, beside pieces; null on dense memory. A snapshot of that cut may be the same buffer. */
  readonly partial: Uint8Array | null;
  /** Empty where there are pieces. */
  readonly whole: readonly Uint8Array[];
}

export type Kept = Snapshot | FullSave;

export class HostStore {
  readonly budgetBytes: number;
  readonly pieces = new PieceTable();
  readonly #turns: Turns;
  readonly #onLost: (key: bigint, tenant: string) => void;
  readonly #snapshots = new Map<bigint, Snapshot>();
  readonly #saves = new Set<FullSave>();
  /** How many states need each buffer. */
  readonly #needs = new Map<Uint8Array, number>();
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

  /** Bytes that would be free without it: those that no other state needs. */
  ownBytes(state: Kept): number {
    return buffersOf(state).reduce(
      (sum, one) => sum + ((this.#needs.get(one) ?? 1) === 1 ? one.length : 0),
      0,
    );
  }

  worth(state: Kept, now: number): number {
    const outdated = state.turn < this.#turns.newest(state.conversation);
    return worthOf(
      {
        tokens: cutAt(state.chain.plan, state.index),
        bytes: this.ownBytes(state),
        usedAt: state.usedAt,
        shared: state.kind === "snapshot" && state.shared,
        returns: this.#returns(state),
        variant: state.chain.variant,
        superseded: outdated || (state.kind === "snapshot" && !state.named),
      },
      now,
    );
  }

  #returns(state: Kept): Returns {
    const isHead = state.kind === "snapshot" && state.head;
    return isHead ? this.#turns.headReturns(state.conversation) : this.#turns.returns(state.conversation);
  }

  /**
   * Makes room for `bytes` by dropping only what is worth less than `worth`, and not so much of it that more is
   * lost than gained: a snapshot does not push out a conversation's whole state. False, and nothing dropped, else.
   * `keep`: buffers that the new state needs as well.
   */
  makeRoom(bytes: number, worth: number, now: number, keep: readonly Uint8Array[] = []): boolean {
    const drop = this.#toDrop(bytes, worth, now, keep);
    if (drop === null) return false;
    this.#hold(keep);
    for (const { state } of drop) this.drop(state);
    this.#release(keep);
    return true;
  }

  /** Whether `makeRoom` would. */
  hasRoom(bytes: number, worth: number, now: number): boolean {
    return this.#toDrop(bytes, worth, now, []) !== null;
  }

  #toDrop(bytes: number, worth: number, now: number, keep: readonly Uint8Array[]): readonly Ranked[] | null {
    let free = this.budgetBytes - this.#bytes;
    if (bytes <= free) return [];
    if (bytes > this.budgetBytes) return null;
    const ranked = [...this.#snapshots.values(), ...this.#saves]
      .map((state) => ({ state, worth: this.worth(state, now), bytes: this.ownBytes(state) }))
      .filter((entry) => entry.worth < worth)
      .sort((a, b) => a.worth - b.worth);
    const needs = new Map(this.#needs);
    for (const buffer of keep) needs.set(buffer, (needs.get(buffer) ?? 0) + 1);
    const drop: Ranked[] = [];
    for (const entry of ranked) {
      if (bytes <= free) break;
      drop.push(entry);
      for (const buffer of buffersOf(entry.state)) {
        const left = (needs.get(buffer) ?? 1) - 1;
        needs.set(buffer, left);
        if (left === 0) free += buffer.length;
      }
    }
    if (bytes > free || lossOf(drop) > worth * bytes) return null;
    // Where all of it is still needed, dropping it gains nothing.
    return drop.filter(({ state }) => buffersOf(state).some((buffer) => needs.get(buffer) === 0));
  }

  /** Takes a state for which there is room. */
  put(state: Kept): void {
    if (state.kind === "snapshot") {
      if (this.#snapshots.has(state.key)) throw new Error("a snapshot is replaced only after it was dropped");
      this.#snapshots.set(state.key, state);
    } else {
      for (const other of [...this.#saves]) if (isWithin(other, state)) this.#forget(other);
      this.#saves.add(state);
    }
    this.#hold(buffersOf(state));
    if (this.#bytes > this.budgetBytes) throw new Error("kept states exceed their budget");
  }

  /** States of a store before this one, which is empty, in whatever room there is. */
  takeOver(states: readonly Kept[]): void {
    for (const state of states) {
      const known = state.kind === "snapshot" && this.#snapshots.has(state.key);
      const more = buffersOf(state).reduce((sum, one) => sum + (this.#needs.has(one) ? 0 : one.length), 0);
      if (known || this.#bytes + more > this.budgetBytes) continue;
      if (state.kind === "snapshot" || this.pieces.adopt(state.pieces)) this.put(state);
    }
  }

  drop(state: Kept): void {
    if (!this.#forget(state)) return;
    const key = state.chain.plan.keys[state.index - 1];
    if (key !== undefined) this.#onLost(key, state.chain.tenant);
  }

  #forget(state: Kept): boolean {
    const had =
      state.kind === "snapshot"
        ? this.#snapshots.get(state.key) === state && this.#snapshots.delete(state.key)
        : this.#saves.delete(state);
    if (!had) return false;
    this.#release(buffersOf(state));
    // Pieces behind one that is gone are gone before it: whatever needs them needs it.
    if (state.kind === "full") this.dropUnneeded(state.pieces);
    return true;
  }

  /** Of these, what no state needs is not found any more. */
  dropUnneeded(pieces: readonly Piece[]): void {
    for (const piece of pieces) if (!this.#needs.has(piece.bytes)) this.pieces.remove(piece);
  }

  /** Each buffer is counted once and needed by what is there, and each piece that is found is needed. */
  checkIntegrity(): void {
    const needs = new Map<Uint8Array, number>();
    for (const state of [...this.#snapshots.values(), ...this.#saves]) {
      mustHold(
        state.index > 0 && state.index <= state.chain.plan.keys.length,
        () => `a state of no cut is kept`,
      );
      for (const buffer of buffersOf(state)) needs.set(buffer, (needs.get(buffer) ?? 0) + 1);
    }
    for (const [key, { chain, index }] of this.#snapshots) {
      mustHold(chain.plan.keys[index - 1] === key, () => `a snapshot lies under another state's key`);
    }
    const bytes = needs.keys().reduce((sum, { length }) => sum + length, 0);
    mustHold(bytes === this.#bytes, () => `kept states have ${bytes} bytes, and ${this.#bytes} are counted`);
    mustHold(bytes <= this.budgetBytes, () => `${bytes} bytes are kept of ${this.budgetBytes}`);
    const isSame =
      needs.size === this.#needs.size && needs.entries().every(([one, n]) => this.#needs.get(one) === n);
    mustHold(isSame, () => `kept states need other buffers than are counted`);
    for (const piece of this.pieces.all) {
      mustHold(needs.has(piece.bytes), () => `a piece is found that no state needs`);
    }
  }

  #hold(buffers: readonly Uint8Array[]): void {
    for (const buffer of buffers) {
      const needs = this.#needs.get(buffer) ?? 0;
      this.#needs.set(buffer, needs + 1);
      if (needs === 0) this.#bytes += buffer.length;
    }
  }

  #release(buffers: readonly Uint8Array[]): void {
    for (const buffer of buffers) {
      const needs = this.#needs.get(buffer) ?? 0;
      if (needs > 1) this.#needs.set(buffer, needs - 1);
      else if (this.#needs.delete(buffer)) this.#bytes -= buffer.length;
    }
  }
}

interface Ranked {
  readonly state: Kept;
  readonly worth: number;
  readonly bytes: number;
}

function buffersOf(state: Kept): readonly Uint8Array[] {
  if (state.kind === "snapshot") return [state.bytes];
  const rows = state.pieces.map(({ bytes }) => bytes);
  return state.partial === null ? [...rows, ...state.whole] : [...rows, state.partial, ...state.whole];
}

/** Rows alone can be resumed at each of their cuts: what `save` has as well is not kept twice. */
function isWithin(other: FullSave, save: FullSave): boolean {
  const last = other.pieces.at(-1);
  const isSame = last !== undefined && save.pieces[other.index - 1] === last;
  return isSame && (other.partial === null || other.index === save.index);
}

/** What all of it would save, by likelihood. A conversation's states save the same tokens, so the best counts. */
function lossOf(states: readonly Ranked[]): number {
  const best = new Map<string, number>();
  for (const { state, worth, bytes } of states) {
    const own = worth * Math.max(1, bytes);
    best.set(state.conversation, Math.max(own, best.get(state.conversation) ?? 0));
  }
  return best.values().reduce((sum, one) => sum + one, 0);
}
