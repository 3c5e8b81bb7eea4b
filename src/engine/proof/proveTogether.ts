/**
 * Whether replies that are decoded in one step are what they are alone, but for low bits. It is no matter of course:
 * a kernel that reads the rows of a step wrongly leaves the first reply right and writes nonsense into the others
 * (llama.cpp 0.4.0 on CPUs with AMX, where the layers of a hybrid model are quantised).
 */
import { type Device, DeviceError } from "../../run/Device.ts";
import { testChunk } from "./proofChunk.ts";

const PROMPT_TOKENS = 8;
/** Tokens whose probabilities are compared. */
const COMPARED = 48;
/** Of the spread of a row, squared: low bits make some 1e-6 of it, rows that have nothing in common about 2. */
const FAR = 0.1;

/** All lanes in one step, then the first two of them. */
export function togetherTest(device: Device): boolean {
  if (device.lanes < 2) return true;
  try {
    return isRight(device);
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return false;
  }
}

function isRight(device: Device): boolean {
  const lanes = Array.from({ length: device.lanes }, (_, lane) => lane);
  const steps = [lanes, lanes.slice(0, 2)];
  const alone = lanes.map((lane) => {
    prefill(device, lane);
    return steps.map((_, step) => {
      decode(device, [lane], step);
      return probs(device, 0);
    });
  });
  for (const lane of lanes) prefill(device, lane);
  return steps.every((together, step) => {
    decode(device, together, step);
    return together.every((lane, row) => isNear(alone[lane]?.[step] ?? [], probs(device, row)));
  });
}

function prefill(device: Device, lane: number): void {
  device.clear(lane);
  device.prefill(lane, 0, testChunk(lane, PROMPT_TOKENS), false);
}

function decode(device: Device, lanes: readonly number[], step: number): void {
  device.decode(
    lanes.map((seq) => {
      const [token = 0] = testChunk(seq + step, 1);
      return { seq, pos: PROMPT_TOKENS + step, token };
    }),
  );
}

function probs(device: Device, row: number): readonly number[] {
  return Array.from(testChunk(0, COMPARED), (token) => device.logProbs(row, token, 0).value);
}

/** Not where a number is none. */
function isNear(right: readonly number[], other: readonly number[]): boolean {
  const mean = right.reduce((sum, value) => sum + value, 0) / right.length;
  const spread = right.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const apart = right.reduce((sum, value, index) => sum + (value - (other[index] ?? Number.NaN)) ** 2, 0);
  return apart <= FAR * spread;
}
