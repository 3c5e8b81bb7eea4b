/** Metadata values of a GGUF v3 file, each with the type it is stored as. Numbers are checked against it. */

/** Type codes as the format fixes them (ggml/docs/gguf.md). */
export const GGUF_TYPE = {
  uint8: 0,
  int8: 1,
  uint16: 2,
  int16: 3,
  uint32: 4,
  int32: 5,
  float32: 6,
  bool: 7,
  string: 8,
  array: 9,
  uint64: 10,
  int64: 11,
  float64: 12,
} as const;

export type GgufNumberType =
  | "uint8"
  | "int8"
  | "uint16"
  | "int16"
  | "uint32"
  | "int32"
  | "float32"
  | "float64";

export type GgufScalar =
  | { readonly type: GgufNumberType; readonly value: number }
  | { readonly type: "uint64" | "int64"; readonly value: bigint }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string };

export type GgufScalarType = GgufScalar["type"];

/** All items of an array are of the one type `of`; arrays of arrays are left out, llama.cpp reads none. */
export interface GgufArray {
  readonly type: "array";
  readonly of: GgufScalarType;
  readonly items: readonly GgufScalar[];
}

export type GgufValue = GgufScalar | GgufArray;

export function u32(value: number): GgufScalar {
  return { type: "uint32", value };
}

export function f32(value: number): GgufScalar {
  return { type: "float32", value };
}

export function bool(value: boolean): GgufScalar {
  return { type: "bool", value };
}

export function str(value: string): GgufScalar {
  return { type: "string", value };
}

export function strings(values: readonly string[]): GgufArray {
  return { type: "array", of: "string", items: values.map(str) };
}

export function numbers(of: GgufNumberType, values: readonly number[]): GgufArray {
  return { type: "array", of, items: values.map((value) => ({ type: of, value })) };
}
