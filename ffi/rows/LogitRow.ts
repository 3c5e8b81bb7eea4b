/**
 * One row of logits, and the searches that sampling needs of it, in vectors of four: an arg-max of 152,064 takes 0.02 ms,
 * where the shim, which TinyCC does not optimise, takes 0.4 ms to hand the same row to a sampler. WebAssembly is the one
 * optimised code that is the same file on every platform and lies inside the executable.
 */
import { ROWS_MODULE } from "./module.ts";

interface RowsExports {
  readonly memory: WebAssembly.Memory;
  readonly max: (bytes: number) => number;
  readonly first: (bytes: number, value: number) => number;
  readonly blocks: (bytes: number, out: number) => void;
  readonly atLeast: (bytes: number, value: number, out: number, room: number) => number;
}

const BLOCK_FLOATS = 64;
const PAGE_BYTES = 65_536;
/** Candidates that are found at most: more would be no shorter way than all. */
const FOUND_MAX = 4096;

/** `nan`: a number that is none, or plus infinity, is in the row. `none`: nothing can be chosen. `many`: too many to list. */
export type RowProblem = "nan" | "none" | "many";

export class LogitRow {
  /** To be filled with a row of the vocabulary's size. */
  readonly logits: Float32Array;
  readonly #rows: RowsExports;
  readonly #bytes: number;
  readonly #blocks: Float32Array;
  readonly #found: Int32Array;

  private constructor(rows: RowsExports, size: number) {
    const padded = Math.ceil(size / BLOCK_FLOATS) * BLOCK_FLOATS;
    this.#rows = rows;
    this.#bytes = 4 * padded;
    const blocks = padded / BLOCK_FLOATS;
    const bytes = this.#bytes + 4 * blocks + 4 * FOUND_MAX;
    rows.memory.grow(Math.max(0, Math.ceil(bytes / PAGE_BYTES) - 1));
    const { buffer } = rows.memory;
    new Float32Array(buffer, 0, padded).fill(Number.NEGATIVE_INFINITY);
    this.logits = new Float32Array(buffer, 0, size);
    this.#blocks = new Float32Array(buffer, this.#bytes, blocks);
    this.#found = new Int32Array(buffer, this.#bytes + 4 * blocks, FOUND_MAX);
  }

  /** For rows of `size` logits; null where this machine's runtime has no vectors. */
  static of(size: number): LogitRow | null {
    try {
      const module = new WebAssembly.Module(Uint8Array.fromBase64(ROWS_MODULE));
      return new LogitRow(new WebAssembly.Instance(module).exports as unknown as RowsExports, size);
    } catch (error) {
      if (error instanceof WebAssembly.CompileError) return null;
      throw error;
    }
  }

  /** The likeliest token; the first of equals. */
  best(): Int32Array | RowProblem {
    const best = this.#max();
    if (typeof best !== "number") return best;
    this.#found[0] = this.#rows.first(this.#bytes, best);
    return this.#found.subarray(0, 1);
  }

  /**
   * At least the `count` likeliest tokens, in ascending order: all that are as likely as the least likely of the `count`
   * blocks with the likeliest tokens.
   */
  top(count: number): Int32Array | RowProblem {
    const best = this.#max();
    if (typeof best !== "number") return best;
    this.#rows.blocks(this.#bytes, this.#bytes);
    const blocks = this.#blocks.slice().sort();
    const least = blocks.at(-count);
    if (least === undefined || least === Number.NEGATIVE_INFINITY) return "many";
    const found = this.#rows.atLeast(this.#bytes, least, this.#found.byteOffset, FOUND_MAX);
    return found < 0 ? "many" : this.#found.subarray(0, found);
  }

  #max(): number | RowProblem {
    const max = this.#rows.max(this.#bytes);
    if (Number.isNaN(max) || max === Number.POSITIVE_INFINITY) return "nan";
    return max === Number.NEGATIVE_INFINITY ? "none" : max;
  }
}
