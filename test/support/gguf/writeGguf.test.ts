/** The file is read back by hand, byte for byte where the format fixes it. */
import { describe, expect, test } from "bun:test";
import { bool, f32, type GgufValue, numbers, str, strings, u32 } from "./GgufValue.ts";
import { writeGguf } from "./writeGguf.ts";

const tensor = { name: "a", type: "f32", shape: [2, 1], data: Float32Array.of(1, -2) } as const;

function file(metadata: Iterable<readonly [string, GgufValue]>, alignment = 32): Uint8Array {
  return writeGguf({ metadata: new Map(metadata), tensors: [tensor], alignment });
}

/** Little-endian bytes as hex. */
function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

describe("writeGguf", () => {
  test("lays out header, metadata, tensor table and data", () => {
    const bytes = file([["k", u32(7)]]);
    const header = [
      "47475546", // GGUF
      "03000000", // version
      "0100000000000000", // tensors
      "0100000000000000", // metadata
      "0100000000000000", // length of the key
      "6b",
      "04000000", // uint32
      "07000000",
      "0100000000000000", // length of the name
      "61",
      "02000000", // dimensions
      "0200000000000000",
      "0100000000000000",
      "00000000", // f32
      "0000000000000000", // offset
    ].join("");
    expect(hex(bytes).slice(0, header.length)).toBe(header);
    const data = Math.ceil(header.length / 2 / 32) * 32;
    expect(hex(bytes.slice(data, data + 8))).toBe("0000803f000000c0");
    expect(bytes.length).toBe(data + 32);
  });

  test("writes every type", () => {
    const cases: readonly (readonly [GgufValue, string])[] = [
      [{ type: "uint8", value: 255 }, "00000000ff"],
      [{ type: "int8", value: -1 }, "01000000ff"],
      [{ type: "uint16", value: 258 }, "020000000201"],
      [{ type: "int16", value: -2 }, "03000000feff"],
      [u32(0x01020304), "0400000004030201"],
      [{ type: "int32", value: -3 }, "05000000fdffffff"],
      [f32(0.5), "060000000000003f"],
      [bool(true), "0700000001"],
      [str("é"), "080000000200000000000000c3a9"],
      [{ type: "uint64", value: 2n ** 63n }, "0a0000000000000000000080"],
      [{ type: "int64", value: -1n }, "0b000000ffffffffffffffff"],
      [{ type: "float64", value: 1 }, "0c000000000000000000f03f"],
      [strings(["a", ""]), "0900000008000000020000000000000001000000000000006100000000000000" + "00"],
      [numbers("int32", [1, -1]), "0900000005000000020000000000000001000000ffffffff"],
    ];
    for (const [value, expected] of cases) {
      const bytes = writeGguf({ metadata: new Map([["", value]]), tensors: [] });
      expect(hex(bytes.slice(24 + 8, 24 + 8 + expected.length / 2))).toBe(expected);
    }
  });

  test("another alignment is named in the file and kept", () => {
    const bytes = file([], 64);
    expect(Buffer.from(bytes).includes("general.alignment")).toBe(true);
    expect(bytes.length % 64).toBe(0);
    expect(hex(bytes.slice(-64, -56))).toBe("0000803f000000c0");
  });

  test("halves are rounded to nearest, ties to even", () => {
    const data = Float32Array.of(1, 1 + 1 / 2048, 1 + 3 / 2048, 65504);
    const bytes = writeGguf({ metadata: new Map(), tensors: [{ name: "h", type: "f16", shape: [4], data }] });
    expect(hex(bytes.slice(-32, -24))).toBe("003c003c023cff7b");
  });

  test("refuses what the format cannot hold", () => {
    expect(() => file([["k", u32(-1)]])).toThrow("-1 is no uint32");
    expect(() => file([["k", { type: "uint8", value: 256 }]])).toThrow("256 is no uint8");
    expect(() => file([["k", u32(1.5)]])).toThrow("1.5 is no uint32");
    expect(() => file([], 33)).toThrow("alignment 33");
    expect(() => file([["k", { type: "array", of: "uint32", items: [str("x")] }]])).toThrow(
      "string in an array",
    );
    const short = { ...tensor, data: Float32Array.of(1) };
    expect(() => writeGguf({ metadata: new Map(), tensors: [short] })).toThrow("1 values for shape 2×1");
    expect(() => writeGguf({ metadata: new Map(), tensors: [tensor, tensor] })).toThrow(
      "two tensors are named a",
    );
  });
});
