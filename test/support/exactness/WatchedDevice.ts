/**
 * A real device that is watched at every evaluation: a prefill is one sequence and exactly one chunk of a plan
 * that was announced, a decode step is lanes alone, and no other sequence grows by either. What breaks that is
 * thrown at once.
 */

import type { LlamaDevice } from "../../../src/engine/LlamaDevice.ts";
import type { Plan } from "../../../src/plan/Plan.ts";
import type { DecodeRow, Device, DeviceSampler, SavedState, StatePart } from "../../../src/run/Device.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import type { Sampling, TokenProbs } from "../../../src/run/RunSpec.ts";

/** Virtual milliseconds: prefill a token each, the rest is quick. */
const MS = { token: 1, decode: 1, byte: 1e-5 };

export class WatchedDevice implements Device {
  readonly memory: MemoryKind;
  readonly lanes: number;
  readonly spares: number;
  readonly ctxTokens: number;
  readonly copyIsDeferred: boolean;
  /** Chunks evaluated. */
  chunks = 0;
  /** Lone tokens that carried out queued copies, in sequences whose content was then replaced. */
  settled = 0;
  #plans: readonly Plan[] = [];
  readonly #device: LlamaDevice;
  readonly #onWork: (ms: number) => void;
  /** Sequences of copies that no evaluation has carried out. */
  readonly #queued = new Set<number>();

  constructor(device: LlamaDevice, onWork: (ms: number) => void) {
    this.#device = device;
    this.#onWork = onWork;
    this.memory = device.memory;
    this.lanes = device.lanes;
    this.spares = device.spares;
    this.ctxTokens = device.ctxTokens;
    this.copyIsDeferred = device.copyIsDeferred;
  }

  announce(plan: Plan): void {
    this.#plans = [...this.#plans, plan];
  }

  prefill(seq: number, pos: number, tokens: Int32Array, logits: boolean): void {
    const { ubatch } = this.#device.context;
    if (tokens.length > ubatch) throw new Error(`${tokens.length} tokens in one prefill, ${ubatch} fit`);
    if (this.#plans.some((plan) => isChunk(plan, pos, tokens))) this.chunks++;
    else if (tokens.length === 1 && this.#queued.has(seq)) this.settled++;
    else
      throw new Error(`tokens ${pos} to ${pos + tokens.length} of sequence ${seq} are no chunk of any plan`);
    this.#grows([{ seq, by: tokens.length, pos }], () => this.#device.prefill(seq, pos, tokens, logits));
    this.#onWork(tokens.length * MS.token);
  }

  decode(rows: readonly DecodeRow[]): void {
    for (const [i, { seq }] of rows.entries()) {
      if (seq < 0 || seq >= this.lanes) throw new Error(`sequence ${seq} is no lane, and decodes`);
      if (seq <= (rows[i - 1]?.seq ?? -1)) throw new Error("lanes of a step do not ascend");
    }
    const growth = rows.map(({ seq, pos }) => ({ seq, by: 1, pos }));
    this.#grows(growth, () => this.#device.decode(rows));
    this.#onWork(MS.decode);
  }

  /** The sequences named, and no others, end where they have to after `call`. */
  #grows(
    growth: readonly { readonly seq: number; readonly by: number; readonly pos: number }[],
    call: () => void,
  ): void {
    const { context } = this.#device;
    const before = Array.from({ length: this.lanes + this.spares }, (_, seq) => context.last(seq));
    call();
    this.#queued.clear();
    for (const [seq, last] of before.entries()) {
      const own = growth.find((one) => one.seq === seq);
      const wanted = own === undefined ? last : own.pos + own.by - 1;
      const now = context.last(seq);
      if (now !== wanted) throw new Error(`sequence ${seq} ends at ${now}, not at ${wanted}`);
    }
  }

  truncate(seq: number, pos: number): boolean {
    return this.#device.truncate(seq, pos);
  }

  clear(seq: number): void {
    this.#device.clear(seq);
  }

  wipe(): void {
    this.#device.wipe();
  }

  copy(src: number, dst: number): void {
    this.#refuseQueued(src, dst);
    this.#device.copy(src, dst);
    this.#queued.add(src).add(dst);
  }

  saveSize(seq: number, part: StatePart): number {
    return this.#device.saveSize(seq, part);
  }

  save(seq: number, part: StatePart): Uint8Array {
    this.#refuseQueued(seq);
    const bytes = this.#device.save(seq, part);
    this.#onWork(bytes.length * MS.byte);
    return bytes;
  }

  restore(seq: number, part: StatePart, bytes: Uint8Array): boolean {
    this.#refuseQueued(seq);
    return this.#device.restore(seq, part, bytes);
  }

  saveState(seq: number): SavedState {
    this.#refuseQueued(seq);
    const saved = this.#device.saveState(seq);
    this.#onWork(saved.bytes * MS.byte);
    return saved;
  }

  restoreRows(seq: number, rows: readonly Uint8Array[], partial: Uint8Array | null): boolean {
    this.#refuseQueued(seq);
    return this.#device.restoreRows(seq, rows, partial);
  }

  restoreWhole(seq: number, buffers: readonly Uint8Array[]): boolean {
    this.#refuseQueued(seq);
    return this.#device.restoreWhole(seq, buffers);
  }

  #refuseQueued(...seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (this.#queued.has(seq)) throw new Error(`sequence ${seq} is touched while its copy is queued`);
    }
  }

  sampler(sampling: Sampling, history: Int32Array): DeviceSampler {
    return this.#device.sampler(sampling, history);
  }

  hashLogits(row: number, chain: bigint): bigint {
    return this.#device.hashLogits(row, chain);
  }

  logProbs(row: number, token: number, top: number): TokenProbs {
    return this.#device.logProbs(row, token, top);
  }

  isEnd(token: number): boolean {
    return this.#device.isEnd(token);
  }

  [Symbol.dispose](): void {
    this.#device[Symbol.dispose]();
  }
}

function isChunk(plan: Plan, pos: number, tokens: Int32Array): boolean {
  const ends = [...plan.cuts, plan.tokens.length];
  const index = ends.indexOf(pos + tokens.length);
  if (index < 0 || pos !== (index === 0 ? 0 : ends[index - 1])) return false;
  return tokens.every((token, i) => token === plan.tokens[pos + i]);
}
