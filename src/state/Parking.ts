/**
 * Where a state goes whose sequence another run needs: into a spare sequence that holds nothing of worth, else
 * into host memory as a full save, else over a spare that is worth less, else it is lost.
 */
import type { Device } from "../run/Device.ts";
import { cutAt } from "./Chain.ts";
import { ownReach, type States } from "./findResume.ts";
import type { Snapshot } from "./HostStore.ts";
import type { Placement } from "./Placement.ts";
import type { Sequence } from "./Sequence.ts";
import type { Moves, StateMover } from "./StateMover.ts";
import type { Turns } from "./Turns.ts";
import { worthOf } from "./worth.ts";

export interface ParkingOptions {
  readonly device: Device;
  readonly states: States;
  readonly mover: StateMover;
  readonly placement: Placement;
  readonly turns: Turns;
  /** What a sequence holds beyond its first `from` chunks is overwritten. */
  readonly onLost: (sequence: Sequence, from: number) => void;
}

export class Parking {
  readonly #options: ParkingOptions;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /** `source` is what the run will resume from: it is not overwritten. */
  park(sequence: Sequence, source: Sequence | null, mayFullSave: boolean, now: number, moves: Moves): void {
    const { mover, placement } = this.#options;
    const worth = placement.worth(sequence);
    if (worth === 0 || placement.isOutdated(sequence) || mover.isPending(sequence)) return;
    const spare = placement.spare(sequence, source);
    const spareWorth = spare === null ? Number.POSITIVE_INFINITY : placement.worth(spare);
    if (spare !== null && spareWorth === 0) this.#copyTo(sequence, spare, moves);
    else if (mayFullSave && this.saveFull(sequence, now, moves)) return;
    else if (spare !== null && spareWorth < worth) this.#copyTo(sequence, spare, moves);
  }

  #copyTo(sequence: Sequence, spare: Sequence, moves: Moves): void {
    const { device, mover, onLost } = this.#options;
    if (mover.isPending(spare)) return;
    onLost(spare, 0);
    spare.forget();
    device.clear(spare.index);
    if (!mover.copy(sequence, spare, moves)) device.clear(spare.index);
  }

  /**
   * Everything of the sequence into host memory, after rolling it back to the furthest cut that it can be
   * resumed at. On sliding-window models that is a trip. False, and nothing touched, without room for it.
   */
  saveFull(sequence: Sequence, now: number, moves: Moves): boolean {
    const { device, states, mover, turns } = this.#options;
    const { chain } = sequence;
    if (chain === null || mover.isPending(sequence)) return false;
    const reach = this.#restingPoint(sequence);
    if (reach.index === 0) return false;
    const size = mover.size(sequence, "full");
    const tokens = cutAt(chain.plan, reach.index);
    const worth = worthOf(
      {
        tokens,
        bytes: size,
        usedAt: sequence.usedAt,
        shared: false,
        returns: turns.returns(chain.conversation),
        variant: chain.variant,
        superseded: false,
      },
      now,
    );
    if (!states.store.makeRoom(size, worth, now)) return false;
    if (!this.#rollBack(sequence, reach.index, reach.snapshot, moves)) {
      // Half rolled back is nothing that anybody could resume from.
      sequence.forget();
      device.clear(sequence.index);
      return false;
    }
    const bytes = mover.save(sequence, "full", moves);
    if (bytes === null || !states.store.makeRoom(bytes.length, worth, now)) return false;
    states.store.put({
      kind: "full",
      chain: { ...chain },
      index: reach.index,
      bytes,
      conversation: chain.conversation,
      turn: chain.turn,
      usedAt: sequence.usedAt,
    });
    return true;
  }

  /** A window's live end between trips is only good where it lies; a full save of it gives other bits. */
  #restingPoint(sequence: Sequence): { readonly index: number; readonly snapshot: Snapshot | null } {
    const { states } = this.#options;
    const { live, chain } = sequence;
    const atTrip = chain?.plan.trips.includes(cutAt(chain.plan, chain.length)) ?? false;
    if (states.memory !== "window" || (live && atTrip)) return ownReach(states, sequence);
    sequence.live = false;
    const reach = ownReach(states, sequence);
    sequence.live = live;
    return reach;
  }

  #rollBack(sequence: Sequence, index: number, snapshot: Snapshot | null, moves: Moves): boolean {
    const { device, mover } = this.#options;
    const { chain } = sequence;
    if (chain === null) return false;
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
