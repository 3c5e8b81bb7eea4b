/**
 * How llama.cpp lays out the whole state of one sequence: a head, arrays with one row for each token (positions, then
 * each layer's keys, then each layer's values) with a few fixed bytes between them, and a tail, which is what
 * `PARTIAL_ONLY` saves. So rows can be taken out by tokens, and a state be put together from rows. What does not read
 * exactly so has no layout, and is then only saved and restored whole.
 */

/** Of `state_seq_get_data`: a magic number and the sequence; a partial save has them too. */
export const STATE_HEAD_BYTES = 8;

export interface StateBytes {
  readonly size: number;
  read(from: number, into: Uint8Array): Uint8Array;
}

/** One row for each token, `rowBytes` each. */
interface RowArray {
  readonly at: number;
  readonly rowBytes: number;
  /** Positions and sequences, not numbers of a layer: the last 32 bits name the sequence. */
  readonly isCells: boolean;
}

export interface StateLayout {
  /** Tokens. */
  readonly rows: number;
  readonly arrays: readonly RowArray[];
  /** Of all arrays together. */
  readonly rowBytes: number;
  /** Where the tail begins. */
  readonly tailAt: number;
  /** Where the count of rows stands, 32 bits each: never inside an array. */
  readonly countsAt: readonly number[];
}

/** Position, count of sequences (1), sequence; some models have 8 or 12 bytes of their own between. */
const CELL_BYTES = [12, 20, 24];
/** llama.cpp has no more, and a number beyond it is no count. */
const STREAMS_MAX = 256;
const LAYERS_MAX = 4096;
const TYPES_MAX = 64;
const ROW_BYTES_MAX = 2 ** 24;

/** `tailBytes`: of a partial save, less its head. null where anything is not as it is known to be. */
export function readStateLayout(bytes: StateBytes, tailBytes: number): StateLayout | null {
  return new Reader(bytes, bytes.size - tailBytes).sections(STATE_HEAD_BYTES, emptyLayout());
}

type Found = Omit<StateLayout, "rowBytes" | "tailAt">;

function emptyLayout(): Found {
  return { rows: 0, arrays: [], countsAt: [] };
}

class Reader {
  readonly #bytes: StateBytes;
  readonly #end: number;

  constructor(bytes: StateBytes, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  /** One cache after the other, up to the tail. */
  sections(at: number, found: Found): StateLayout | null {
    if (at === this.#end && found.rows > 1) {
      const rowBytes = found.arrays.reduce((sum, array) => sum + array.rowBytes, 0);
      return { ...found, rowBytes, tailAt: at };
    }
    const streams = this.#u32(at);
    if (streams === null || streams < 1 || streams > STREAMS_MAX) return null;
    for (let stream = 0; stream < streams; stream++) {
      const countAt = at + 4 + 4 * stream;
      const rows = this.#u32(countAt);
      if (rows === null) return null;
      if (rows === 0) continue;
      if (found.rows !== 0 && rows !== found.rows) return null;
      const after = 4 * (streams - 1 - stream);
      const counted = { ...found, rows, countsAt: [...found.countsAt, countAt] };
      return this.#cells(countAt + 4, after, counted);
    }
    return null;
  }

  #cells(at: number, after: number, found: Found): StateLayout | null {
    const rowBytes = CELL_BYTES.find((size) => this.#areCells(at, size, found.rows));
    if (rowBytes === undefined) return null;
    const cells = withArray(found, { at, rowBytes, isCells: true });
    const next = at + rowBytes * found.rows;
    const transposed = this.#u32(next);
    const layers = this.#u32(next + 4);
    if (transposed !== 0 || layers === null || layers > LAYERS_MAX) return null;
    const keys = this.#layers(next + 8, layers, cells);
    if (keys === null) return null;
    // A cache of latents has keys alone.
    const values = this.#layers(keys.next, layers, keys.found);
    return (
      (values && this.#close(values.next, after, values.found)) ?? this.#close(keys.next, after, keys.found)
    );
  }

  /** The streams that hold nothing of the sequence, then the next cache. */
  #close(at: number, after: number, found: Found): StateLayout | null {
    for (let i = 0; i < after; i += 4) if (this.#u32(at + i) !== 0) return null;
    return this.sections(at + after, found);
  }

  /** Each with its type and the bytes of a row. */
  #layers(from: number, layers: number, before: Found): { next: number; found: Found } | null {
    let at = from;
    let found = before;
    for (let layer = 0; layer < layers; layer++) {
      const type = this.#u32(at);
      const rowBytes = this.#u64(at + 4);
      if (type === null || type >= TYPES_MAX || rowBytes === null) return null;
      if (rowBytes < 1 || rowBytes > ROW_BYTES_MAX) return null;
      found = withArray(found, { at: at + 12, rowBytes, isCells: false });
      at += 12 + rowBytes * found.rows;
      if (at > this.#end) return null;
    }
    return { next: at, found };
  }

  /** Positions from 0 on, without a gap, of one sequence each. */
  #areCells(at: number, size: number, rows: number): boolean {
    if (at + size * rows > this.#end) return false;
    const cells = this.#view(at, size * rows);
    if (cells === null) return false;
    for (let row = 0; row < rows; row++) {
      const from = row * size;
      if (cells.getInt32(from, true) !== row || cells.getUint32(from + 4, true) !== 1) return false;
    }
    return true;
  }

  #u32(at: number): number | null {
    return this.#view(at, 4)?.getUint32(0, true) ?? null;
  }

  #u64(at: number): number | null {
    const value = this.#view(at, 8)?.getBigUint64(0, true);
    return value === undefined || value > Number.MAX_SAFE_INTEGER ? null : Number(value);
  }

  #view(at: number, size: number): DataView | null {
    if (at < 0 || at + size > this.#end) return null;
    return new DataView(this.#bytes.read(at, new Uint8Array(size)).buffer);
  }
}

function withArray(found: Found, array: RowArray): Found {
  return { ...found, arrays: [...found.arrays, array] };
}

/** What all states of a context have in common: from it and rows a state of any length is put together. */
export interface StateFrame {
  /** Bytes of a row of each array. */
  readonly arrays: readonly number[];
  readonly rowBytes: number;
  /** In front of each array, and behind the last one. */
  readonly between: readonly Uint8Array[];
  /** Where in `between` the count of rows stands. */
  readonly counts: readonly { readonly part: number; readonly at: number }[];
}

export function frameOf(bytes: StateBytes, layout: StateLayout): StateFrame {
  const between: Uint8Array[] = [];
  const counts: { part: number; at: number }[] = [];
  let from = 0;
  const take = (to: number): void => {
    for (const at of layout.countsAt)
      if (at >= from && at < to) counts.push({ part: between.length, at: at - from });
    between.push(bytes.read(from, new Uint8Array(to - from)));
  };
  for (const array of layout.arrays) {
    take(array.at);
    from = array.at + array.rowBytes * layout.rows;
  }
  take(layout.tailAt);
  return {
    arrays: layout.arrays.map(({ rowBytes }) => rowBytes),
    rowBytes: layout.rowBytes,
    between,
    counts,
  };
}

/** Rows of the tokens `[from, to)`, array by array, as they are. */
export function readRows(bytes: StateBytes, layout: StateLayout, from: number, to: number): Uint8Array {
  const rows = new Uint8Array(layout.rowBytes * (to - from));
  let at = 0;
  for (const array of layout.arrays) {
    const size = array.rowBytes * (to - from);
    bytes.read(array.at + array.rowBytes * from, rows.subarray(at, at + size));
    at += size;
  }
  return rows;
}

/** Rows of the same tokens are the same bytes whichever sequence they lay in: llama.cpp reads past that number. */
export function clearSequences(rows: Uint8Array, layout: StateLayout): Uint8Array {
  const tokens = rows.length / layout.rowBytes;
  let at = 0;
  for (const { rowBytes, isCells } of layout.arrays) {
    for (let i = 1; isCells && i <= tokens; i++) rows.fill(0, at + i * rowBytes - 4, at + i * rowBytes);
    at += rowBytes * tokens;
  }
  return rows;
}

/** Bytes of a state of so many rows in front of its tail. */
export function framedBytes(frame: StateFrame, rows: number): number {
  return frame.between.reduce((sum, part) => sum + part.length, 0) + frame.rowBytes * rows;
}

/** Puts a state together, in order: `pieces` are as `readRows` gave them, one behind the other from the first token on. */
export function writeState(
  write: (at: number, bytes: Uint8Array) => void,
  frame: StateFrame,
  pieces: readonly Uint8Array[],
  tail: Uint8Array,
): void {
  const tokens = pieces.map((piece) => piece.length / frame.rowBytes);
  const rows = tokens.reduce((sum, one) => sum + one, 0);
  const taken = pieces.map(() => 0);
  let at = 0;
  const put = (bytes: Uint8Array): void => {
    write(at, bytes);
    at += bytes.length;
  };
  for (const [part, fixed] of frame.between.entries()) {
    const copy = fixed.slice();
    for (const count of frame.counts) {
      if (count.part === part) new DataView(copy.buffer).setUint32(count.at, rows, true);
    }
    put(copy);
    const rowBytes = frame.arrays[part] ?? 0;
    for (const [i, piece] of pieces.entries()) {
      const size = rowBytes * (tokens[i] ?? 0);
      const from = taken[i] ?? 0;
      put(piece.subarray(from, from + size));
      taken[i] = from + size;
    }
  }
  put(tail);
}
