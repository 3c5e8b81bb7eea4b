/**
 * Where a state goes whose sequence another run needs: into a spare sequence that holds nothing of worth, else
 * into host memory as a full save, else over a spare that is worth less, else it is lost.
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
  /** What the run will resume from: it is not overwritten. */
  readonly source: Sequence | null;
  readonly mayFullSave: boolean;
}

export class Parking {
  readonly #options: ParkingOptions;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /** What is lost of `sequence` beyond its first `from` chunks: parked, where there is room. */
  park({ sequence, from, source, mayFullSave }: Parked, now: number, moves: Moves): void {
    const { mover, placement, saver } = this.#options;
    const worth = placement.worth(sequence, from);
    if (worth === 0 || mover.isPending(sequence)) return;
    const spare = placement.spare(sequence, source);
    const spareWorth = spare === null ? Number.POSITIVE_INFINITY : placement.worth(spare);
    if (spare !== null && spareWorth === 0) this.#copyTo(sequence, spare, moves);
    else if (mayFullSave && saver.save(sequence, now, moves)) return;
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
}
