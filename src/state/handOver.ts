/**
 * Kept states on their way from one engine to the next, in another thread: plain data whose pieces are the same objects
 * wherever they are shared, so that one message keeps them shared.
 */
import type { Kept } from "./HostStore.ts";

export type HandedOver = readonly Kept[];

/** What is moved with it, each buffer once. */
export function buffersOfAll(states: HandedOver): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const add = ({ buffer }: Uint8Array): void => {
    if (buffer instanceof ArrayBuffer) buffers.add(buffer);
  };
  for (const state of states) {
    if (state.kind === "snapshot") add(state.bytes);
    else {
      for (const piece of state.pieces) add(piece.bytes);
      for (const part of state.whole) add(part);
      if (state.partial !== null) add(state.partial);
    }
  }
  return [...buffers];
}
