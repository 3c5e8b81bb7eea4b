/** The real library and small true models, opened once for the tests of this folder. */
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

export { GREEDY } from "../support/sampling.ts";

/** Opens the library, or warns loudly and returns null where this platform has none. */
export function openBackend(): Backend | null {
  try {
    return Backend.open();
  } catch (error) {
    console.warn(`SKIPPED: no libllama here: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

export async function openTiny(backend: Backend, kind: TinyKind): Promise<Model> {
  return Model.load(backend, { path: (await tinyModel(kind)).path });
}

/** `count` token ids of a vocabulary of `size`, the same for the same seed. */
export function someTokens(size: number, count: number, seed: number): Int32Array {
  let state = seed;
  return Int32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % size;
  });
}
