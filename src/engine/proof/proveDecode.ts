/**
 * Whether a reply's logits depend on who decodes beside it: the same few tokens decoded alone, alone again, and
 * beside every other lane. Alone they must be equal; beside others they are on few backends (`--exact-decode`).
 */
import { type Device, DeviceError } from "../../run/Device.ts";
import { testChunk } from "./proofChunk.ts";

export interface DecodeTestResult {
  /** A reply that is decoded alone twice: same logits? */
  readonly again: boolean;
  /** The replies of all lanes, decoded in one step: same logits as alone? Null where there is one lane. */
  readonly besideOthers: boolean | null;
}

const PROMPT_TOKENS = 16;
const STEPS = 4;

/** Leaves the lanes empty. */
export function decodeTest(device: Device): DecodeTestResult {
  const lanes = Array.from({ length: device.lanes }, (_, lane) => lane);
  const alone = lanes.map((lane) => orUndefined(() => replies(device, [lane]))?.[0]);
  const isAlone = (lane: number, hash: bigint | undefined) => hash !== undefined && hash === alone[lane];
  const again = isAlone(0, orUndefined(() => replies(device, [0]))?.[0]);
  const together = lanes.length > 1 ? orUndefined(() => replies(device, lanes)) : undefined;
  const besideOthers = lanes.length > 1 ? lanes.every((lane) => isAlone(lane, together?.[lane])) : null;
  for (const lane of lanes) device.clear(lane);
  return { again, besideOthers };
}

/** All logits of each of `lanes`, which decode together. */
function replies(device: Device, lanes: readonly number[]): readonly bigint[] {
  for (const lane of lanes) {
    device.clear(lane);
    device.prefill(lane, 0, testChunk(lane, PROMPT_TOKENS), true);
  }
  let hashes = lanes.map(() => 0n);
  for (let step = 0; step < STEPS; step++) {
    device.decode(
      lanes.map((seq) => {
        const [token = 0] = testChunk(seq + step, 1);
        return { seq, pos: PROMPT_TOKENS + step, token };
      }),
    );
    hashes = hashes.map((hash, row) => device.hashLogits(row, hash));
  }
  return hashes;
}

/** What the device refuses is not equal, and no reason to stop. */
function orUndefined<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return undefined;
  }
}
