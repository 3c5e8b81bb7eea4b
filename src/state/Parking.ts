/**
 * Where a state goes whose sequence another run needs: into a spare sequence that holds nothing of worth, else
 * into host memory as a full save, else over a spare that is worth less, at last over what the run would have resumed
 * from; else it is lost.
 */
import type { Device } from "../run/Device.ts";
import type { Placement } from "./Placement.ts";
import type { Sequence } from "./Sequence.ts";
import type { SequenceSaver } from "./SequenceSaver.ts";
import type { Moves, StateMover } from "./StateMover.ts";

export interface ParkingOptions {
  readonly device: Device;
  readonly mover: StateMover;
  readonly placement: Placement;
  readonly saver: SequenceSaver;
  /** What a sequence holds beyond its first `from` chunks is overwritten. */
  readonly onLost: (sequence: Sequence, from: number) => void;
}

export interface Parked {
  readonly sequence: Sequence;
  /** Chunks that stay where they are. */
  readonly from: number;
  /** What the run will resume from: overwritten only where it is worth less than what is parked. */
  readonly source: Sequence | null;
  readonly mayFullSave: boolean;
  /** Of the run that needs the sequence. */
  readonly conversation: string;
}

export class Parking {
  readonly #options: ParkingOptions;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /**
   * What is lost of `sequence` beyond its first `from` chunks: parked, where there is room. True: over the source, which
   * was worth less and is gone, so that the run has to look for another state.
   */
  park({ sequence, from, source, mayFullSave, conversation }: Parked, now: number, moves: Moves): boolean {
    const { mover, placement, saver } = this.#options;
    const worth = placement.worth(sequence, from);
    if (worth === 0 || mover.isPending(sequence)) return false;
    const spare = placement.spare(sequence, source);
    const spareWorth = spare === null ? Number.POSITIVE_INFINITY : placement.worth(spare);
    if (spare !== null && spareWorth === 0) this.#copyTo(sequence, spare, moves);
    else if (mayFullSave && saver.save(sequence, now, moves)) return false;
    else if (spare !== null && spareWorth < worth) this.#copyTo(sequence, spare, moves);
    else if (source?.chain?.conversation !== conversation && this.#mayGiveUp(source, sequence, worth))
      return this.#copyTo(sequence, source, moves);
    return false;
  }

  /**
   * A run that starts from less costs its own prompt; what is worth more would cost another conversation's. What the run's
   * own conversation has kept is never given up: it counts as left behind from the moment that its next turn begins.
   */
  #mayGiveUp(source: Sequence | null, parked: Sequence, worth: number): source is Sequence {
    if (source === null || source === parked || source.isLane || source.busy) return false;
    return this.#options.placement.worth(source) < worth;
  }

  #copyTo(sequence: Sequence, spare: Sequence, moves: Moves): boolean {
    const { device, mover, onLost } = this.#options;
    if (mover.isPending(spare)) return false;
    onLost(spare, 0);
    spare.forget();
    device.clear(spare.index);
    if (!mover.copy(sequence, spare, moves)) device.clear(spare.index);
    return true;
  }
}
