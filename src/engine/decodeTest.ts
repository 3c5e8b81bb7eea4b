/**
 * Whether a reply's logits depend on who decodes beside it: the same few tokens decoded alone, alone again, and
 * beside every other lane. Alone they must be equal; beside others they are on few backends (`--exact-decode`).
 */
import { type Device, DeviceError } from "./Device.ts";
import { testChunk } from "./selfTest.ts";

export interface DecodeTestResult {
  /** A reply that is decoded alone twice: same logits? */
  readonly again: boolean;
  /** The same reply, decoded in one step with other lanes; null where there is one lane. */
  readonly besideOthers: boolean | null;
}

const PROMPT_TOKENS = 16;
const STEPS = 4;

/** Leaves the lanes empty. */
export function decodeTest(device: Device): DecodeTestResult {
  const lanes = Array.from({ length: device.lanes }, (_, lane) => lane);
  const alone = orUndefined(() => firstReply(device, [0]));
  const same = (who: readonly number[]): boolean =>
    alone !== undefined && orUndefined(() => firstReply(device, who)) === alone;
  const result = { again: same([0]), besideOthers: lanes.length > 1 ? same(lanes) : null };
  for (const lane of lanes) device.clear(lane);
  return result;
}

/** All logits of lane 0, while `lanes` decode together. */
function firstReply(device: Device, lanes: readonly number[]): bigint {
  for (const lane of lanes) {
    device.clear(lane);
    device.prefill(lane, 0, testChunk(lane, PROMPT_TOKENS), true);
  }
  let hash = 0n;
  for (let step = 0; step < STEPS; step++) {
    device.decode(
      lanes.map((seq) => {
        const [token = 0] = testChunk(seq + step, 1);
        return { seq, pos: PROMPT_TOKENS + step, token };
      }),
    );
    hash = device.hashLogits(0, hash);
  }
  return hash;
}

/** What the device refuses is not equal, and no reason to stop. */
function orUndefined(run: () => bigint): bigint | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return undefined;
  }
}
