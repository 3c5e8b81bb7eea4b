/** A copy is carried out by the next evaluation; until then nobody may save, restore or copy its two ends. */
import { describe, expect, test } from "bun:test";
import { Sequence } from "../../../src/state/Sequence.ts";
import { StateMover } from "../../../src/state/StateMover.ts";
import { FakeDevice } from "../../support/FakeDevice.ts";

function openMover() {
  const device = new FakeDevice({ memory: "hybrid", lanes: 2, spares: 1 });
  const sequences = [0, 1, 2].map((index) => new Sequence(index, index < 2));
  const [a, b, c] = sequences;
  if (a === undefined || b === undefined || c === undefined) throw new Error("three sequences are made");
  const mover = new StateMover(device, () => 0);
  device.prefill(0, 0, Int32Array.of(3, 4, 5), false);
  a.advance(3);
  return { device, mover, a, b, c, moves: { bytes: 0, ms: 0 } };
}

describe("queued copies", () => {
  test("both ends are refused until an evaluation has returned", () => {
    const { device, mover, a, b, c, moves } = openMover();
    const partial = mover.save(a, "partial", moves) ?? new Uint8Array();
    mover.copy(a, b, moves);
    expect(() => mover.save(a, "partial", moves)).toThrow("queued copy");
    expect(() => mover.restore(b, "partial", partial, moves)).toThrow("queued copy");
    expect(() => mover.copy(b, c, moves)).toThrow("queued copy");
    device.prefill(0, 3, Int32Array.of(6), false);
    mover.evaluated();
    expect(mover.restore(b, "partial", partial, moves)).toBe(true);
    mover.copy(b, c, moves);
  });

  test("settling evaluates one token where it harms nobody, and counts no state twice", () => {
    const { device, mover, a, b, moves } = openMover();
    const partial = mover.save(a, "partial", moves) ?? new Uint8Array();
    mover.copy(a, b, moves);
    const { bytes } = moves;
    mover.settle(b, 3, moves);
    expect(device.log.at(-1)).toBe("prefill 1 @3 +1");
    expect(moves.bytes).toBe(bytes);
    expect(mover.restore(b, "partial", partial, moves)).toBe(true);
    expect(device.truncate(1, 3)).toBe(true);
    // The copy is the source now, to the bit.
    device.prefill(0, 3, Int32Array.of(7, 8), true);
    const source = device.hashLogits(0, 0n);
    device.prefill(1, 3, Int32Array.of(7, 8), true);
    expect(device.hashLogits(0, 0n)).toBe(source);
  });

  test("with nothing queued settling does nothing", () => {
    const { device, mover, a, moves } = openMover();
    const work = device.log.length;
    mover.settle(a, 3, moves);
    expect(device.log).toHaveLength(work);
  });
});
