/**
 * Brings a found state into a sequence. The order is the rule: what cannot be rolled back is restored first,
 * then the rows behind it are removed (a hybrid refuses it the other way round); and nothing is restored over
 * a copy that the device has only queued.
 */

import type { Plan } from "../plan/Plan.ts";
import type { Device } from "../run/Device.ts";
import { cutAt } from "./Chain.ts";
import type { Found } from "./findResume.ts";
import type { Sequence } from "./Sequence.ts";
import type { Moves, StateMover } from "./StateMover.ts";

/** What was read from disk. */
export interface LoadedState {
  readonly rows: readonly Uint8Array[];
  readonly partial: Uint8Array | null;
}

/** `loaded`: the state of a place on disk. False when the bytes did not fit, or the device failed; the sequence then holds nothing of use. */
export function loadState(
  mover: StateMover,
  device: Device,
  into: Sequence,
  found: Found | null,
  inPlace: boolean,
  plan: Plan,
  loaded: LoadedState | null,
  moves: Moves,
): boolean {
  if (found === null) {
    device.clear(into.index);
    return true;
  }
  // Any token will do to carry out queued copies: it lands in rows that are replaced or rolled back.
  const token = plan.tokens[0] ?? 0;
  const settle = (): void => {
    if (mover.isPending(into)) mover.settle(into, token, moves);
  };
  const { place, snapshot } = found;
  const cut = cutAt(plan, found.index);
  if (place.kind === "sequence" && !inPlace) {
    if (mover.isPending(place.sequence) || mover.isPending(into)) mover.settle(into, token, moves);
    if (!mover.copy(place.sequence, into, moves)) return false;
  } else if (place.kind === "disk") {
    settle();
    if (loaded === null) return false;
    into.rows = cut;
    const { rows, partial } = loaded;
    if (rows.length > 0) return mover.restoreAll(into, { rows, partial }, moves);
    return partial !== null && mover.restore(into, "partial", partial, moves);
  } else if (place.kind === "host") {
    settle();
    const { save } = place;
    if (save.whole.length === 0) {
      const rows = save.pieces.slice(0, found.index).map(({ bytes }) => bytes);
      into.rows = cut;
      return mover.restoreAll(into, { rows, partial: snapshot?.bytes ?? save.partial }, moves);
    }
    if (!mover.restoreAll(into, { whole: save.whole }, moves)) return false;
    into.rows = cutAt(save.chain.plan, save.index);
  }
  if (snapshot !== null) {
    settle();
    if (!mover.restore(into, "partial", snapshot.bytes, moves)) return false;
    into.rows = place.kind === "snapshot" ? cut : into.rows;
  }
  return into.rows === cut || device.truncate(into.index, cut);
}
