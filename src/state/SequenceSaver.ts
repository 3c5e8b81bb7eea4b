/**
 * Saves what a sequence holds into host memory: the rows that are not there yet, chunk by chunk, and what cannot be
 * rolled back at the furthest cut that it can be resumed at. The sequence stays as it is; only where the device's
 * states cannot be taken apart it is rolled back to that cut first and saved whole.
 */
import type { Device, SavedState } from "../run/Device.ts";
import { type Chain, cutAt } from "./Chain.ts";
import { ownReach, type Reach, type States } from "./findResume.ts";
import type { Piece } from "./PieceTable.ts";
import type { Sequence } from "./Sequence.ts";
import type { Moves, StateMover } from "./StateMover.ts";
import type { Turns } from "./Turns.ts";
import { worthOf } from "./worth.ts";

export interface SaverOptions {
  readonly device: Device;
  readonly states: States;
  readonly mover: StateMover;
  readonly turns: Turns;
}

/** What is saved, and where it stands. */
interface Point {
  readonly sequence: Sequence;
  readonly chain: Chain;
  readonly reach: Reach;
  readonly now: number;
}

export class SequenceSaver {
  readonly #options: SaverOptions;

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  /** False where there is no room for it, or the device failed. */
  save(sequence: Sequence, now: number, moves: Moves): boolean {
    const { states, mover } = this.#options;
    const { chain } = sequence;
    if (chain === null || mover.isPending(sequence)) return false;
    const reach = this.restingPoint(sequence);
    if (reach.index === 0) return false;
    const point = { sequence, chain, reach, now };
    const known = states.store.pieces.find(chain.tenant, chain.plan, reach.index);
    const share = 1 - cutAt(chain.plan, known.length) / Math.max(1, sequence.rows);
    const guess = Math.floor(mover.size(sequence, "full") * Math.max(0, share));
    // Told before the device copies anything; the true size is known only then.
    if (!states.store.hasRoom(guess, this.#worth(point, guess), now)) return false;
    using saved = mover.saveState(sequence, moves);
    if (saved === null) return false;
    const takesApart = saved.rowBytes > 0 && saved.tokens >= cutAt(chain.plan, reach.index);
    return takesApart ? this.#saveRows(point, known, saved, moves) : this.#saveWhole(point, moves);
  }

  #saveRows(point: Point, known: readonly Piece[], saved: SavedState, moves: Moves): boolean {
    const { states, mover } = this.#options;
    const { store } = states;
    const { sequence, chain, reach, now } = point;
    const { plan, tenant } = chain;
    let partial: Uint8Array | null = null;
    if (states.memory !== "dense") {
      partial = reach.snapshot?.bytes ?? mover.save(sequence, "partial", moves);
      if (partial === null) return false;
    }
    const cuts = Array.from({ length: reach.index - known.length + 1 }, (_, i) =>
      cutAt(plan, known.length + i),
    );
    const tokens = cutAt(plan, reach.index) - cutAt(plan, known.length);
    const bytes = tokens * saved.rowBytes + (reach.snapshot === null ? (partial?.length ?? 0) : 0);
    const held = [...known.map((piece) => piece.bytes), ...(partial === null ? [] : [partial])];
    if (!store.makeRoom(bytes, this.#worth(point, bytes), now, held)) return false;
    const rows = mover.rows(saved, cuts, moves);
    const pieces = rows === null ? null : store.pieces.add(tenant, plan, known, rows);
    if (pieces === null) {
      store.dropUnneeded(known);
      return false;
    }
    this.#put(point, { pieces, partial, whole: [] });
    return true;
  }

  #saveWhole(point: Point, moves: Moves): boolean {
    const { device, states, mover } = this.#options;
    const { sequence, now } = point;
    if (!this.#rollBack(point, moves)) {
      // Half rolled back is nothing that anybody could resume from.
      sequence.forget();
      device.clear(sequence.index);
      return false;
    }
    using saved = mover.saveState(sequence, moves);
    if (saved === null || !states.store.makeRoom(saved.bytes, this.#worth(point, saved.bytes), now))
      return false;
    const whole = mover.whole(saved);
    if (whole === null) return false;
    this.#put(point, { pieces: [], partial: null, whole });
    return true;
  }

  #put(
    { sequence, chain, reach }: Point,
    bytes: { pieces: readonly Piece[]; partial: Uint8Array | null; whole: readonly Uint8Array[] },
  ): void {
    this.#options.states.store.put({
      kind: "full",
      chain: { ...chain },
      index: reach.index,
      conversation: chain.conversation,
      turn: chain.turn,
      usedAt: sequence.usedAt,
      ...bytes,
    });
  }

  #worth({ sequence, chain, reach, now }: Point, bytes: number): number {
    const returns = this.#options.turns.returns(chain.conversation);
    const { variant } = chain;
    const tokens = cutAt(chain.plan, reach.index);
    const { usedAt } = sequence;
    const superseded = chain.turn < this.#options.turns.newest(chain.conversation);
    return worthOf({ tokens, bytes, usedAt, shared: false, returns, variant, superseded }, now);
  }

  /** A window's live end between trips is only good where it lies; a save of it gives other bits. */
  restingPoint(sequence: Sequence): Reach {
    const { states } = this.#options;
    const { live, chain } = sequence;
    const atTrip = chain?.plan.trips.includes(cutAt(chain.plan, chain.length)) ?? false;
    if (states.memory !== "window" || (live && atTrip)) return ownReach(states, sequence);
    sequence.live = false;
    const reach = ownReach(states, sequence);
    sequence.live = live;
    return reach;
  }

  #rollBack({ sequence, chain, reach }: Point, moves: Moves): boolean {
    const { device, mover } = this.#options;
    const { index, snapshot } = reach;
    const cut = cutAt(chain.plan, index);
    if (snapshot !== null && !mover.restore(sequence, "partial", snapshot.bytes, moves)) return false;
    if (sequence.rows !== cut && !device.truncate(sequence.index, cut)) return false;
    chain.length = index;
    chain.end = cut;
    sequence.rows = cut;
    sequence.live = true;
    return true;
  }
}
