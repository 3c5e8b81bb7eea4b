/**
 * Writes a GGUF v3 file: the same input gives the same bytes. Layout: magic, version, counts, metadata,
 * tensor table, then the tensors' data, each at a multiple of the alignment.
 */
import { ByteSink } from "./ByteSink.ts";
import { GGUF_TYPE, type GgufScalar, type GgufValue, u32 } from "./GgufValue.ts";

/** ggml's codes for the two types that a model without quantisation needs, and of its simplest quantised one. */
const TENSOR_TYPE = { f32: 0, f16: 1, q4_0: 2 } as const;
const Q4_0 = { weights: 32, bytes: 18 } as const;
const MAGIC = new TextEncoder().encode("GGUF");
const VERSION = 3;
const ALIGNMENT_DEFAULT = 32;

interface NamedTensor {
  readonly name: string;
  /** ggml's order: the first dimension is contiguous. At most 4. */
  readonly shape: readonly number[];
}

export interface FloatTensor extends NamedTensor {
  readonly type: "f32" | "f16";
  /** Product of `shape` values; rounded to nearest even where the type is f16. */
  readonly data: Float32Array;
}

export interface BlockTensor extends NamedTensor {
  readonly type: "q4_0";
  /** ggml's blocks, as they stand in the file. */
  readonly data: Uint8Array;
}

export type GgufTensor = FloatTensor | BlockTensor;

export interface GgufFile {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
  /** Bytes; a power of two. Written as `general.alignment` where it is not 32. */
  readonly alignment?: number;
}

export function writeGguf(file: GgufFile): Uint8Array {
  const alignment = file.alignment ?? ALIGNMENT_DEFAULT;
  if (alignment < 8 || (alignment & (alignment - 1)) !== 0) {
    throw new RangeError(`alignment ${alignment} is no power of two of at least 8`);
  }
  const metadata = new Map(file.metadata);
  if (alignment !== ALIGNMENT_DEFAULT) metadata.set("general.alignment", u32(alignment));
  const sink = new ByteSink();
  sink.put(MAGIC);
  sink.u32(VERSION);
  sink.u64(file.tensors.length);
  sink.u64(metadata.size);
  for (const [key, value] of metadata) {
    sink.string(key);
    putValue(sink, value);
  }
  const blobs = file.tensors.map(encode);
  putTable(sink, file.tensors, blobs, alignment);
  for (const blob of blobs) {
    sink.align(alignment);
    sink.put(blob);
  }
  sink.align(alignment);
  return sink.bytes();
}

function putTable(
  sink: ByteSink,
  tensors: readonly GgufTensor[],
  blobs: readonly Uint8Array[],
  alignment: number,
): void {
  const names = new Set<string>();
  let offset = 0;
  tensors.forEach((tensor, index) => {
    if (names.has(tensor.name)) throw new Error(`two tensors are named ${tensor.name}`);
    names.add(tensor.name);
    sink.string(tensor.name);
    sink.u32(tensor.shape.length);
    for (const size of tensor.shape) sink.u64(size);
    sink.u32(TENSOR_TYPE[tensor.type]);
    sink.u64(offset);
    const size = blobs[index]?.length ?? 0;
    offset += Math.ceil(size / alignment) * alignment;
  });
}

function encode(tensor: GgufTensor): Uint8Array {
  const count = tensor.shape.reduce((product, size) => product * size, 1);
  const wanted = tensor.type === "q4_0" ? (count / Q4_0.weights) * Q4_0.bytes : count;
  if (wanted !== tensor.data.length || tensor.shape.length > 4) {
    throw new RangeError(`${tensor.name}: ${tensor.data.length} values for shape ${tensor.shape.join("×")}`);
  }
  if (tensor.type === "q4_0") return tensor.data;
  const data = tensor.type === "f16" ? new Float16Array(tensor.data) : tensor.data;
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function putValue(sink: ByteSink, value: GgufValue): void {
  sink.u32(GGUF_TYPE[value.type]);
  if (value.type !== "array") {
    putScalar(sink, value);
    return;
  }
  sink.u32(GGUF_TYPE[value.of]);
  sink.u64(value.items.length);
  for (const item of value.items) {
    if (item.type !== value.of) throw new TypeError(`${item.type} in an array of ${value.of}`);
    putScalar(sink, item);
  }
}

/** Width in bytes and DataView method of the number types, with the range that they hold. */
const NUMBER = {
  uint8: { size: 1, put: (view: DataView, at: number, n: number) => view.setUint8(at, n), min: 0, max: 0xff },
  int8: {
    size: 1,
    put: (view: DataView, at: number, n: number) => view.setInt8(at, n),
    min: -0x80,
    max: 0x7f,
  },
  uint16: {
    size: 2,
    put: (view: DataView, at: number, n: number) => view.setUint16(at, n, true),
    min: 0,
    max: 0xffff,
  },
  int16: {
    size: 2,
    put: (view: DataView, at: number, n: number) => view.setInt16(at, n, true),
    min: -0x8000,
    max: 0x7fff,
  },
  uint32: {
    size: 4,
    put: (view: DataView, at: number, n: number) => view.setUint32(at, n, true),
    min: 0,
    max: 0xffff_ffff,
  },
  int32: {
    size: 4,
    put: (view: DataView, at: number, n: number) => view.setInt32(at, n, true),
    min: -0x8000_0000,
    max: 0x7fff_ffff,
  },
} as const;

function putScalar(sink: ByteSink, value: GgufScalar): void {
  switch (value.type) {
    case "string":
      sink.string(value.value);
      return;
    case "bool":
      sink.with(1, (view, at) => view.setUint8(at, value.value ? 1 : 0));
      return;
    case "uint64":
      sink.with(8, (view, at) => view.setBigUint64(at, value.value, true));
      return;
    case "int64":
      sink.with(8, (view, at) => view.setBigInt64(at, value.value, true));
      return;
    case "float32":
      sink.with(4, (view, at) => view.setFloat32(at, value.value, true));
      return;
    case "float64":
      sink.with(8, (view, at) => view.setFloat64(at, value.value, true));
      return;
    default: {
      const { size, put, min, max } = NUMBER[value.type];
      if (!Number.isInteger(value.value) || value.value < min || value.value > max) {
        throw new RangeError(`${value.value} is no ${value.type}`);
      }
      sink.with(size, (view, at) => put(view, at, value.value));
    }
  }
}
