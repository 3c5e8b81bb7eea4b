/**
 * Snapshots of what cannot be rolled back: taken right after the chunk that ends at a kept cut, or at every trip
 * of a sliding-window model, and gone with the last rows they belong to.
 */
import type { Plan } from "../prompt/plan.ts";
import { type Chain, cutAt } from "./Chain.ts";
import { cutMarks, KEEP, SHARED, TRIP, WHILE_ROOM } from "./cutMarks.ts";
import type { Found, States } from "./findResume.ts";
import type { FullSave, Snapshot } from "./HostStore.ts";
import type { Sequence } from "./Sequence.ts";
import type { Moves, StateMover } from "./StateMover.ts";
import { worthOf } from "./worth.ts";

export class Snapshots {
  readonly #states: States;
  readonly #mover: StateMover;
  /** Flags of each sequence's plan, by cut. */
  readonly #marks = new Map<Sequence, Uint8Array>();

  constructor(states: States, mover: StateMover) {
    this.#states = states;
    this.#mover = mover;
  }

  /**
   * A run takes the sequence, which stands at the chain's end. Its live end moves on now: where that is a kept
   * point, this is the last moment to save it.
   */
  adopt(sequence: Sequence, chain: Chain, now: number, moves: Moves): void {
    const { memory } = this.#states;
    this.#marks.set(sequence, cutMarks(memory, chain.plan));
    this.#dropOrphans();
    if (memory !== "window" && !this.#mover.isPending(sequence))
      this.keep(sequence, chain.length - 1, now, moves);
  }

  /** The chunk was evaluated, nothing behind it. */
  keep(sequence: Sequence, chunk: number, now: number, moves: Moves): void {
    const { memory, store } = this.#states;
    const { chain } = sequence;
    const marks = this.#marks.get(sequence)?.[chunk] ?? 0;
    if (chain === null || memory === "dense") return;
    if ((marks & TRIP) !== 0) {
      this.#trip(sequence, chain, chunk, marks, now, moves);
      return;
    }
    const key = chain.plan.keys[chunk];
    if (memory === "window" || (marks & (KEEP | WHILE_ROOM)) === 0 || key === undefined) return;
    if (store.snapshot(key) !== undefined) return;
    const size = this.#mover.size(sequence, "partial");
    if (!this.#makeRoom(chain, chunk, size, marks, now)) return;
    this.#put(chain, chunk, this.#mover.save(sequence, "partial", moves), marks, now);
  }

  /** Every run takes its trips, whether their states are then kept or not: they decide how the cells lie. */
  #trip(sequence: Sequence, chain: Chain, chunk: number, marks: number, now: number, moves: Moves): void {
    const bytes = this.#mover.save(sequence, "partial", moves);
    if (!this.#mover.restore(sequence, "partial", bytes, moves)) {
      throw new Error("the device did not take back what it had saved");
    }
    this.#put(chain, chunk, bytes, marks, now);
  }

  #put(chain: Chain, chunk: number, bytes: Uint8Array, marks: number, now: number): void {
    const { store } = this.#states;
    const key = chain.plan.keys[chunk];
    if (key === undefined) return;
    const old = store.snapshot(key);
    if (old !== undefined) store.drop(old);
    if (!this.#makeRoom(chain, chunk, bytes.length, marks, now)) return;
    const { conversation, turn } = chain;
    const named = (marks & KEEP) !== 0;
    const shared = (marks & SHARED) !== 0;
    const index = chunk + 1;
    store.put({ kind: "snapshot", key, chain, index, bytes, conversation, turn, usedAt: now, named, shared });
  }

  #makeRoom(chain: Chain, chunk: number, bytes: number, marks: number, now: number): boolean {
    const tokens = cutAt(chain.plan, chunk + 1);
    const shared = (marks & SHARED) !== 0;
    const superseded = (marks & KEEP) === 0;
    return this.#states.store.makeRoom(
      bytes,
      worthOf({ tokens, bytes, usedAt: now, shared, superseded }, now),
      now,
    );
  }

  /** Kept points of this plan, and what it resumes from, are this turn's now. */
  touch(
    plan: Plan,
    turn: { tenant: string; conversation: string; turn: number },
    found: Found,
    now: number,
  ): void {
    const { memory, store } = this.#states;
    const use = (state: Snapshot | FullSave): void => {
      state.conversation = turn.conversation;
      state.turn = turn.turn;
      state.usedAt = now;
    };
    if (found.snapshot !== null) use(found.snapshot);
    if (found.place.kind === "host") use(found.place.save);
    if (memory === "dense") return;
    const marks = cutMarks(memory, plan);
    for (let chunk = 0; chunk < found.index; chunk++) {
      const flags = marks[chunk] ?? 0;
      const key = plan.keys[chunk];
      if ((flags & (KEEP | WHILE_ROOM)) === 0 || key === undefined) continue;
      const snapshot = store.snapshot(key);
      if (snapshot === undefined || snapshot.chain.tenant !== turn.tenant) continue;
      use(snapshot);
      snapshot.named ||= (flags & KEEP) !== 0;
      snapshot.shared ||= (flags & SHARED) !== 0;
    }
  }

  /** A partial snapshot without its rows is garbage waiting to be restored: it goes with them. */
  #dropOrphans(): void {
    const { memory, store, sequences } = this.#states;
    if (memory !== "hybrid" && memory !== "window") return;
    for (const snapshot of [...store.snapshots]) {
      const isHeld = (chain: Chain | null, length: number): boolean =>
        chain !== null && length >= snapshot.index && chain.plan.keys[snapshot.index - 1] === snapshot.key;
      if (sequences.some(({ chain }) => isHeld(chain, chain?.length ?? 0))) continue;
      let inSave = false;
      for (const save of store.saves) inSave ||= isHeld(save.chain, save.index);
      if (!inSave) store.drop(snapshot);
    }
  }

  /** The sequence was emptied. */
  forget(sequence: Sequence): void {
    this.#marks.delete(sequence);
    this.#dropOrphans();
  }
}
