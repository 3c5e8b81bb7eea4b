/**
 * A device whose state is a running hash of the chunks it evaluated. It promises to be as unforgiving as the
 * real one: another cut, a foreign row, a trip more or less, a row more in a decode step all give other bits,
 * and touching a queued copy throws. So a kept state that is not exact shows in the next token.
 */
import {
  type DecodeRow,
  type Device,
  DeviceError,
  type DeviceSampler,
  type SavedState,
  type StatePart,
} from "../../src/run/Device.ts";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import type { Sampling, TokenProbs } from "../../src/run/RunSpec.ts";

export type FakeOp = "prefill" | "decode" | "save" | "restore" | "copy" | "truncate" | "clear";

export interface FakeDeviceOptions {
  readonly memory: MemoryKind;
  readonly lanes?: number;
  readonly spares?: number;
  readonly ctxTokens?: number;
  /** Bytes of a partial save. */
  readonly partialBytes?: number;
  readonly copyIsDeferred?: boolean;
  /** True makes a restore refuse its bytes, which leaves the sequence empty. */
  readonly refusesRestore?: () => boolean;
  /** False: a saved state is moved whole. Never on recurrent memory, which has no rows. */
  readonly takesApart?: boolean;
  /** Tokens of the reply to this prompt, then the end; without it, what the state's hash says. */
  readonly script?: (prompt: Int32Array) => readonly number[];
  /** Called before each operation, with the tokens or bytes it moves; may throw a DeviceError. */
  readonly onOp?: (op: FakeOp, seq: number, amount: number) => void;
}

/** Token that ends a generation; no other token is sampled as it. */
export const FAKE_END = 2;
/** Token whose numbers are none: what is evaluated in its sequence gives no logits any more, until the memory is wiped. */
export const FAKE_POISON = 1_777;
const FAKE_VOCAB = 1000;
const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const HEADER_INTS = 6;
const ROW_BYTES = 4;

/** Mixes two 32-bit numbers into a third. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ Math.imul(b ^ (b >>> 16), 0x85ebca6b), 0xc2b2ae35);
  h ^= h >>> 15;
  h = Math.imul(h + 0x9e3779b9, 0x27d4eb2f);
  return (h ^ (h >>> 13)) >>> 0;
}

interface FakeSequence {
  /** Attention rows: each depends on all before it. Empty on recurrent models. */
  rows: number[];
  /** What cannot be rolled back: recurrent state, or what the window holds. */
  rolling: number;
  /** Position after which `rolling` stands. */
  end: number;
  /** In which order the window's cells lie; 0 right after a restore. */
  order: number;
  /** It holds numbers that are none, perhaps in cells that are free again. */
  poisoned: boolean;
}

export class FakeDevice implements Device {
  readonly memory: MemoryKind;
  readonly lanes: number;
  readonly spares: number;
  readonly ctxTokens: number;
  readonly copyIsDeferred: boolean;
  /** One line for each operation, e.g. `prefill 0 @32 +16`. */
  readonly log: string[] = [];
  /** What each sampler was told to look back on. */
  readonly histories: number[][] = [];
  /** Samplers made and not yet disposed. */
  samplersOpen = 0;
  readonly #partialBytes: number;
  readonly #refusesRestore: () => boolean;
  readonly #takesApart: boolean;
  readonly #script: ((prompt: Int32Array) => readonly number[]) | undefined;
  readonly #onOp: (op: FakeOp, seq: number, amount: number) => void;
  readonly #sequences: FakeSequence[] = [];
  readonly #pending = new Set<number>();
  #outputs: number[] = [];

  constructor(options: FakeDeviceOptions) {
    this.memory = options.memory;
    this.lanes = options.lanes ?? 1;
    this.spares = options.spares ?? 1;
    this.ctxTokens = options.ctxTokens ?? 4096;
    this.copyIsDeferred = options.copyIsDeferred ?? true;
    this.#partialBytes = options.partialBytes ?? 256;
    this.#refusesRestore = options.refusesRestore ?? (() => false);
    this.#takesApart = options.memory !== "recurrent" && (options.takesApart ?? true);
    this.#script = options.script;
    this.#onOp = options.onOp ?? (() => {});
    for (let seq = 0; seq < this.lanes + this.spares; seq++) {
      this.#sequences.push({ rows: [], rolling: 0, end: 0, order: 0, poisoned: false });
    }
  }

  prefill(seq: number, pos: number, tokens: Int32Array, logits: boolean, rows = tokens.length): void {
    const padding = rows > tokens.length ? ` (${rows} rows)` : "";
    this.#note("prefill", seq, tokens.length, `@${pos} +${tokens.length}${padding}`);
    if (tokens.length === 0) throw new Error("an empty chunk was evaluated");
    if (rows < tokens.length || (rows > tokens.length && this.memory !== "dense"))
      throw new Error(`${rows} rows for ${tokens.length} tokens`);
    if (pos + rows > this.ctxTokens) throw new Error("padded past the context's end");
    // A padded chunk has other bits, and none of a decode step's.
    const output = this.#evaluate(seq, pos, tokens, rows > tokens.length ? -rows : 0);
    this.#outputs = logits ? [output] : [];
    this.#pending.clear();
  }

  decode(rows: readonly DecodeRow[]): void {
    const where = rows.map((row) => `${row.seq}@${row.pos}`).join(" ");
    this.#note("decode", rows[0]?.seq ?? -1, rows.length, where);
    if (rows.some((row, i) => row.seq >= this.lanes || row.seq <= (rows[i - 1]?.seq ?? -1))) {
      throw new Error(`decode rows must be lanes in ascending order: ${where}`);
    }
    this.#outputs = rows.map((row) =>
      this.#evaluate(row.seq, row.pos, Int32Array.of(row.token), rows.length),
    );
    this.#pending.clear();
  }

  /** `stepRows` is 0 for a prefill; else the rows of the decode step, on which decode bits depend. */
  #evaluate(seq: number, pos: number, tokens: Int32Array, stepRows: number): number {
    const state = this.#sequence(seq);
    const rowsEnd = this.memory === "recurrent" ? pos : state.rows.length;
    const rollingEnd = this.memory === "dense" ? pos : state.end;
    if (rowsEnd !== pos || rollingEnd !== pos) {
      throw new Error(
        `evaluated at ${pos}: rows end at ${rowsEnd}, what cannot be rolled back at ${rollingEnd}`,
      );
    }
    if (pos + tokens.length > this.ctxTokens) throw new Error("evaluated past the context's end");
    const shape = mix(tokens.length, stepRows);
    let value = mix(mix(state.rows.at(-1) ?? 0, state.rolling), state.order);
    for (let i = 0; i < tokens.length; i++) {
      value = mix(mix(value, tokens[i] ?? 0), shape + i);
      if (this.memory !== "recurrent") state.rows.push(value);
    }
    if (this.memory !== "dense") state.rolling = mix(value, 1);
    if (this.memory === "window") state.order = mix(state.order + 1, tokens.length);
    state.end = pos + tokens.length;
    state.poisoned ||= tokens.includes(FAKE_POISON);
    return state.poisoned ? Number.NaN : value;
  }

  truncate(seq: number, pos: number): boolean {
    this.#note("truncate", seq, 0, `@${pos}`);
    const state = this.#sequence(seq);
    if (pos === 0) {
      this.#empty(state);
      return true;
    }
    const foreign = state.end > pos;
    if (foreign && (this.memory === "hybrid" || this.memory === "recurrent")) return false;
    if (foreign && this.memory === "window") {
      // The window has lost what lay before: it "succeeds", and is garbage.
      state.rolling = mix(state.rolling, 0xbad);
      state.end = pos;
    }
    if (this.memory === "dense") state.end = Math.min(state.end, pos);
    state.rows.length = Math.min(state.rows.length, pos);
    return true;
  }

  clear(seq: number): void {
    this.#note("clear", seq, 0, "");
    this.#empty(this.#sequence(seq));
  }

  wipe(): void {
    this.log.push("wipe");
    for (const state of this.#sequences) {
      this.#empty(state);
      state.poisoned = false;
    }
  }

  copy(src: number, dst: number): void {
    this.#refusePending("copy", src);
    this.#refusePending("copy", dst);
    this.#note("copy", src, this.saveSize(src, "full"), `-> ${dst}`);
    const from = this.#sequence(src);
    this.#sequences[dst] = { ...from, rows: from.rows.slice() };
    if (this.copyIsDeferred) this.#pending.add(src).add(dst);
  }

  saveSize(seq: number, part: StatePart): number {
    return part === "partial"
      ? this.#partialBytes
      : this.#partialBytes + this.#sequence(seq).rows.length * ROW_BYTES;
  }

  save(seq: number, part: StatePart): Uint8Array {
    return this.#save(seq, part);
  }

  #save(seq: number, part: StatePart): Uint8Array {
    this.#refusePending("save", seq);
    if (part === "partial" && this.memory === "dense") throw new Error("a dense model has no partial state");
    const size = this.saveSize(seq, part);
    this.#note("save", seq, size, part);
    const state = this.#sequence(seq);
    const bytes = new Uint8Array(size);
    const ints = new Uint32Array(bytes.buffer, 0, size >> 2);
    const rows = part === "full" ? state.rows : [];
    ints.set([KINDS.indexOf(this.memory), part === "full" ? 1 : 0, state.end, state.rolling, rows.length, 0]);
    ints.set(rows, this.#partialBytes >> 2);
    return bytes;
  }

  restore(seq: number, part: StatePart, bytes: Uint8Array): boolean {
    this.#refusePending("restore", seq);
    this.#note("restore", seq, bytes.length, part);
    const ints = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    const [kind, full, end, rolling, rows] = ints;
    if (
      ints.length < HEADER_INTS ||
      kind !== KINDS.indexOf(this.memory) ||
      full !== (part === "full" ? 1 : 0)
    ) {
      return false;
    }
    const state = this.#sequence(seq);
    if (this.#refusesRestore()) {
      this.#empty(state);
      return false;
    }
    // A partial state goes over whatever rows are there: nothing checks that they are its own.
    const from = this.#partialBytes >> 2;
    if (part === "full") state.rows = Array.from(ints.subarray(from, from + (rows ?? 0)));
    state.end = end ?? 0;
    state.rolling = rolling ?? 0;
    state.order = 0;
    return true;
  }

  saveState(seq: number): SavedState {
    const bytes = this.#save(seq, "full");
    const tokens = this.#sequence(seq).rows.length;
    const buffer = Uint8Array.from(bytes.subarray(this.#partialBytes));
    return {
      bytes: bytes.length,
      tokens: this.#takesApart ? tokens : 0,
      rowBytes: this.#takesApart ? ROW_BYTES : 0,
      rows: (cuts) =>
        cuts.slice(1).map((to, i) => {
          if (!this.#takesApart || to > tokens)
            throw new Error(`rows up to ${to} of ${tokens} were asked for`);
          return buffer.slice((cuts[i] ?? 0) * ROW_BYTES, to * ROW_BYTES);
        }),
      whole: () => [bytes.slice(0, 100), bytes.slice(100)],
      [Symbol.dispose]: () => {},
    };
  }

  restoreRows(seq: number, rows: readonly Uint8Array[], partial: Uint8Array | null): boolean {
    if (!this.#takesApart || (partial === null) !== (this.memory === "dense")) return false;
    const size = rows.reduce((sum, { length }) => sum + length, 0);
    const bytes = new Uint8Array(this.#partialBytes + size);
    if (partial !== null) bytes.set(partial.subarray(0, this.#partialBytes));
    const ints = new Uint32Array(bytes.buffer, 0, HEADER_INTS);
    const tokens = size / ROW_BYTES;
    ints.set([
      KINDS.indexOf(this.memory),
      1,
      partial === null ? tokens : (ints[2] ?? 0),
      ints[3] ?? 0,
      tokens,
    ]);
    let at = this.#partialBytes;
    for (const piece of rows) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return this.restore(seq, "full", bytes);
  }

  restoreWhole(seq: number, buffers: readonly Uint8Array[]): boolean {
    return this.restore(seq, "full", new Uint8Array(Buffer.concat(buffers)));
  }

  sampler(sampling: Sampling, history: Int32Array): DeviceSampler {
    if (sampling.grammar === "invalid")
      throw new DeviceError("grammar-invalid", "the grammar does not parse");
    this.samplersOpen++;
    this.histories.push([...history]);
    return new FakeSampler(this, sampling, this.#script?.(history));
  }

  output(row: number): number {
    const output = this.#outputs[row];
    if (output === undefined) throw new Error(`row ${row} has no logits`);
    return output;
  }

  hashLogits(row: number, chain: bigint): bigint {
    return Bun.hash.xxHash64(Uint32Array.of(this.output(row)), chain);
  }

  logProbs(row: number, token: number, top: number): TokenProbs {
    return fakeProbs(this.output(row), token, top);
  }

  isEnd(token: number): boolean {
    return token === FAKE_END;
  }

  [Symbol.dispose](): void {}

  #sequence(seq: number): FakeSequence {
    const state = this.#sequences[seq];
    if (state === undefined) throw new Error(`no sequence ${seq}`);
    return state;
  }

  #empty(state: FakeSequence): void {
    state.rows = [];
    state.rolling = 0;
    state.end = 0;
    state.order = 0;
  }

  #refusePending(op: FakeOp, seq: number): void {
    if (this.#pending.has(seq)) throw new Error(`${op} of sequence ${seq} while its copy is queued`);
  }

  #note(op: FakeOp, seq: number, amount: number, more: string): void {
    this.#onOp(op, seq, amount);
    this.log.push(`${op} ${op === "decode" ? more : `${seq} ${more}`}`.trimEnd());
  }
}

/** A function of the logits alone. */
function fakeProbs(output: number, token: number, top: number): TokenProbs {
  const value = -((mix(output, token) % 1000) / 100);
  return { token, value, top: Array.from({ length: top }, (_, i) => ({ token: 3 + i, value: -1 - i })) };
}

/** Grammar `dead-end:3` allows no third token; `invalid` does not parse. */
class FakeSampler implements DeviceSampler {
  readonly #device: FakeDevice;
  readonly #sampling: Sampling;
  readonly #scripted: readonly number[] | undefined;
  readonly #deadEndAt: number;
  #sampled = 0;

  constructor(device: FakeDevice, sampling: Sampling, scripted: readonly number[] | undefined) {
    this.#device = device;
    this.#sampling = sampling;
    this.#scripted = scripted;
    const match = /^dead-end:(\d+)$/.exec(sampling.grammar ?? "");
    this.#deadEndAt = match === null ? Number.POSITIVE_INFINITY : Number(match[1]);
  }

  sample(row: number): { readonly token: number } | { readonly deadEnd: string } {
    this.#sampled++;
    if (this.#sampled >= this.#deadEndAt) return { deadEnd: "the grammar allows no token here" };
    const output = this.#device.output(row);
    if (Number.isNaN(output)) throw new DeviceError("bad-numbers", "the logits are not numbers");
    if (this.#scripted !== undefined) return { token: this.#scripted[this.#sampled - 1] ?? FAKE_END };
    const value =
      this.#sampling.temperature > 0 ? mix(mix(output, this.#sampling.seed), this.#sampled) : output;
    if (!this.#sampling.ignoreEos && value % 16 === 5) return { token: FAKE_END };
    return { token: 3 + (value % FAKE_VOCAB) };
  }

  probs(token: number, top: number): TokenProbs {
    return { token, value: 1, top: [{ token, value: 1 }].slice(0, top) };
  }

  force(): boolean {
    this.#sampled++;
    return this.#sampling.grammar === undefined;
  }

  [Symbol.dispose](): void {
    this.#device.samplersOpen--;
  }
}
