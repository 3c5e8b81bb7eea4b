/**
 * The metadata of a GGUF, as far as llama.cpp would abort on it: a vocabulary that holds a token twice, and a count
 * of layers out of range. Everything else llama.cpp refuses by itself, with a message.
 */

/** Bytes of one value of each scalar type, by GGUF's number; 8 is a string and 9 an array. */
const SCALAR_BYTES: readonly (number | undefined)[] = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];
const TYPE_UINT32 = 4;
const TYPE_STRING = 8;
const TYPE_ARRAY = 9;
/** llama.cpp's limits. */
const LAYERS_MAX = 512;
const STRING_BYTES_MAX = 1 << 30;

/** More bytes of the file are needed. */
export class HeaderTooShort extends Error {}

/**
 * A sentence's end saying what is wrong, or null.
 * @param bytes the file's beginning, from its magic on.
 * @throws HeaderTooShort when the metadata goes on behind `bytes`.
 */
export function headerProblem(bytes: Uint8Array): string | null {
  const reader = new HeaderReader(bytes);
  for (let entries = reader.entries(); entries > 0; entries--) {
    const key = reader.text();
    const type = reader.u32();
    if (key.endsWith(".block_count") && type === TYPE_UINT32) {
      const layers = reader.u32();
      if (layers < 1 || layers > LAYERS_MAX) return `${key} is ${layers}; allowed is 1 to ${LAYERS_MAX}`;
    } else if (key === "tokenizer.ggml.tokens" && type === TYPE_ARRAY) {
      const problem = repeatedToken(reader);
      if (problem) return problem;
    } else if (!reader.skip(type)) {
      return null; /* llama.cpp says it better */
    }
  }
  return null;
}

/**
 * Names of the tensors that a file holds.
 * @param bytes the beginning of a file that `headerProblem` finds nothing about.
 * @throws HeaderTooShort when the table of tensors goes on behind `bytes`.
 */
export function tensorNames(bytes: Uint8Array): string[] {
  const reader = new HeaderReader(bytes);
  const names: string[] = [];
  for (let entries = reader.entries(); entries > 0; entries--) {
    reader.text();
    if (!reader.skip(reader.u32())) return names;
  }
  for (let tensors = reader.tensors(); tensors > 0; tensors--) {
    names.push(reader.text());
    for (let sizes = reader.u32(); sizes > 0; sizes--) reader.u64();
    reader.u32(); /* type */
    reader.u64(); /* place */
  }
  return names;
}

function repeatedToken(reader: HeaderReader): string | null {
  const type = reader.u32();
  const count = reader.u64();
  if (type !== TYPE_STRING) return null;
  const seen = new Map<string, number>();
  for (let token = 0; token < count; token++) {
    /* llama.cpp reads up to a NUL, and gives empty ones a name of their own */
    const text = reader.text().split("\0", 1)[0] ?? "";
    if (text === "") continue;
    const first = seen.get(text);
    if (first !== undefined) return `its vocabulary holds the same token twice, as ${first} and ${token}`;
    seen.set(text, token);
  }
  return null;
}

class HeaderReader {
  readonly #bytes: Buffer;
  #at = 16;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#bytes.length) throw new HeaderTooShort();
    this.#at += count;
    return at;
  }

  /** Count of metadata entries; the reader then stands at the first. */
  entries(): number {
    return this.u64();
  }

  tensors(): number {
    return Number(this.#bytes.readBigUInt64LE(8));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  u64(): number {
    return Number(this.#bytes.readBigUInt64LE(this.#take(8)));
  }

  /** Bytes as one character each: to compare, not to show. */
  text(): string {
    const length = this.u64();
    if (length > STRING_BYTES_MAX) throw new HeaderTooShort();
    const at = this.#take(length);
    return this.#bytes.toString("latin1", at, at + length);
  }

  /** Steps over a value; false for a type that is none. */
  skip(type: number): boolean {
    if (type === TYPE_STRING) {
      this.text();
      return true;
    }
    if (type !== TYPE_ARRAY) {
      const size = SCALAR_BYTES[type];
      if (size !== undefined) this.#take(size);
      return size !== undefined;
    }
    const element = this.u32();
    const count = this.u64();
    if (element === TYPE_STRING) {
      for (let i = 0; i < count; i++) this.#take(this.u64());
      return true;
    }
    const size = SCALAR_BYTES[element];
    if (size !== undefined) this.#take(count * size);
    return size !== undefined;
  }
}
