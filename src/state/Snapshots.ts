/**
 * Snapshots of what cannot be rolled back: taken right after the chunk that ends at a kept cut, or at every trip
 * of a sliding-window model, and gone with the last rows they belong to.
 */
import type { Plan } from "../plan/Plan.ts";
import { type Chain, cutAt } from "./Chain.ts";
import { cutMarks, HEAD, KEEP, TRIP, WHILE_ROOM } from "./cutMarks.ts";
import type { Found, States } from "./findResume.ts";
import type { Snapshot } from "./HostStore.ts";
import type { Sequence } from "./Sequence.ts";
import type { Moves, StateMover } from "./StateMover.ts";
import type { Turns } from "./Turns.ts";
import { worthOf } from "./worth.ts";

export class Snapshots {
  readonly #states: States;
  readonly #mover: StateMover;
  readonly #turns: Turns;
  readonly #keeps: boolean;
  /** Flags of each sequence's plan, by cut. */
  readonly #marks = new Map<Sequence, Uint8Array>();

  /** `keeps`: false where nothing can be taken back to one; trips are taken all the same. */
  constructor(states: States, mover: StateMover, turns: Turns, keeps = true) {
    this.#keeps = keeps;
    this.#states = states;
    this.#mover = mover;
    this.#turns = turns;
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
    if (!this.#keeps || memory === "window" || (marks & (KEEP | WHILE_ROOM)) === 0 || key === undefined)
      return;
    if (store.snapshot(key) !== undefined) return;
    const size = this.#mover.size(sequence, "partial");
    if (!this.#makeRoom(chain, chunk, size, marks, now)) return;
    const bytes = this.#mover.save(sequence, "partial", moves);
    if (bytes !== null) this.#put(chain, chunk, bytes, marks, now);
  }

  /** Every run takes its trips, whether their states are then kept or not. */
  #trip(sequence: Sequence, chain: Chain, chunk: number, marks: number, now: number, moves: Moves): void {
    this.#put(chain, chunk, this.#mover.trip(sequence, moves), marks, now);
  }

  #put(chain: Chain, chunk: number, bytes: Uint8Array, marks: number, now: number): void {
    const { store } = this.#states;
    const key = chain.plan.keys[chunk];
    if (key === undefined || !this.#keeps) return;
    const old = store.snapshot(key);
    const shared = old !== undefined && (old.shared || (old.head && old.conversation !== chain.conversation));
    if (old !== undefined) store.drop(old);
    if (!this.#makeRoom(chain, chunk, bytes.length, marks, now)) return;
    const { conversation, turn } = chain;
    const named = (marks & KEEP) !== 0;
    const head = (marks & HEAD) !== 0;
    const usedAt = now;
    const index = chunk + 1;
    store.put({
      kind: "snapshot",
      key,
      chain,
      index,
      bytes,
      conversation,
      turn,
      usedAt,
      named,
      head,
      shared,
    });
  }

  #makeRoom(chain: Chain, chunk: number, bytes: number, marks: number, now: number): boolean {
    const tokens = cutAt(chain.plan, chunk + 1);
    const superseded = (marks & KEEP) === 0;
    const { variant, conversation } = chain;
    const isHead = (marks & HEAD) !== 0;
    const returns = isHead ? this.#turns.headReturns(conversation) : this.#turns.returns(conversation);
    const kept = { tokens, bytes, usedAt: now, shared: false, returns, variant, superseded };
    return this.#states.store.makeRoom(bytes, worthOf(kept, now), now);
  }

  /** Kept points of this plan, and what it resumes from, are this turn's now. */
  touch(
    plan: Plan,
    turn: { tenant: string; conversation: string; turn: number },
    found: Found,
    now: number,
  ): void {
    const { memory, store } = this.#states;
    const marks = memory === "dense" ? [] : cutMarks(memory, plan);
    for (let chunk = 0; chunk < found.index; chunk++) {
      const flags = marks[chunk] ?? 0;
      const key = plan.keys[chunk];
      if ((flags & (KEEP | WHILE_ROOM)) === 0 || key === undefined) continue;
      const snapshot = store.snapshot(key);
      if (snapshot === undefined || snapshot.chain.tenant !== turn.tenant) continue;
      snapshot.head ||= (flags & HEAD) !== 0;
      snapshot.shared ||= snapshot.head && snapshot.conversation !== turn.conversation;
      snapshot.named ||= (flags & KEEP) !== 0;
      this.#use(snapshot, turn, now);
    }
    if (found.snapshot !== null) this.#use(found.snapshot, turn, now);
    // All of it is in the run's sequence now: where that is its own conversation's next turn, it is left behind.
    if (found.place.kind === "host") found.place.save.usedAt = now;
  }

  /** What a surer conversation still needs stays its own: who was asked beside it only used it. */
  #use(state: Snapshot, by: { conversation: string; turn: number }, now: number): void {
    state.usedAt = now;
    const isNewest = state.turn >= this.#turns.newest(state.conversation);
    if (isNewest && this.#turns.returns(state.conversation) > this.#turns.returns(by.conversation)) return;
    state.conversation = by.conversation;
    state.turn = by.turn;
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
