/**
 * Brings kept states to disk while nobody is served: one sequence, or what lies in host memory, a step. The writing
 * itself goes on beside the engine; a step costs the copy of the rows that the disk has not.
 */
import { type Chain, cutAt } from "../Chain.ts";
import type { States } from "../findResume.ts";
import type { FullSave, Snapshot } from "../HostStore.ts";
import type { Sequence } from "../Sequence.ts";
import type { SequenceSaver } from "../SequenceSaver.ts";
import type { StateMover } from "../StateMover.ts";
import type { DiskStore, NewPiece } from "./DiskStore.ts";

export interface DiskSaverOptions {
  readonly states: States;
  readonly disk: DiskStore;
  readonly mover: StateMover;
  readonly saver: SequenceSaver;
  /** Whether a copy of so many bytes may hold the engine now. */
  readonly mayTake: (ms: number) => boolean;
}

/** Rows of one step: they lie in memory until they are written. */
const STEP_BYTES_MAX = 2 ** 28;

export class DiskSaver {
  readonly #options: DiskSaverOptions;
  /** States that were handed to the disk, whether it had room or not: by the key of the cut. */
  readonly #tried = new Set<bigint>();

  constructor(options: DiskSaverOptions) {
    this.#options = options;
  }

  /** Something new may be kept: what there was no room for is tried again. */
  changed(): void {
    this.#tried.clear();
  }

  /** True where something was handed to the disk. `force`: whatever it costs. */
  step(now: number, force: boolean): boolean {
    const { states, disk } = this.#options;
    if (!disk.takesMore) return false;
    for (const save of states.store.saves) if (this.#saveKept(save, now)) return true;
    for (const sequence of states.sequences) if (this.#saveSequence(sequence, now, force)) return true;
    if (states.memory !== "recurrent") return false;
    for (const snapshot of states.store.snapshots) if (this.#saveSnapshot(snapshot, now)) return true;
    return false;
  }

  /** Out of host memory: nothing is copied. */
  #saveKept(save: FullSave, now: number): boolean {
    const { disk } = this.#options;
    const { chain, index, pieces, partial } = save;
    if (pieces.length === 0 || !this.#isNew(chain, index)) return false;
    const known = disk.knownRows(chain.tenant, chain.plan, index);
    const rows = pieces.slice(known).map(({ bytes }) => bytes);
    return this.#write(chain, index, known, rows, partial, now);
  }

  #saveSequence(sequence: Sequence, now: number, force: boolean): boolean {
    const { states, disk, mover, saver, mayTake } = this.#options;
    const { chain, busy } = sequence;
    if (chain === null || busy || mover.isPending(sequence) || states.memory === "recurrent") return false;
    const reach = saver.restingPoint(sequence);
    if (reach.index === 0 || !this.#isNew(chain, reach.index, false)) return false;
    const known = disk.knownRows(chain.tenant, chain.plan, reach.index);
    const size = mover.size(sequence, "full");
    if (known < reach.index && !force && !mayTake(mover.saveMs(size))) return false;
    const moves = { bytes: 0, ms: 0 };
    const rowBytes = size / Math.max(1, sequence.rows);
    let to = known;
    while (
      to < reach.index &&
      (cutAt(chain.plan, to + 1) - cutAt(chain.plan, known)) * rowBytes < STEP_BYTES_MAX
    )
      to++;
    if (to === known && known < reach.index) to++;
    const isWhole = to === reach.index;
    if (isWhole) this.#isNew(chain, reach.index);
    let rows: readonly Uint8Array[] = [];
    if (known < to) {
      using saved = mover.saveState(sequence, moves);
      if (saved === null || saved.rowBytes === 0 || saved.tokens < cutAt(chain.plan, to)) return false;
      const cuts = Array.from({ length: to - known + 1 }, (_, i) => cutAt(chain.plan, known + i));
      const taken = mover.rows(saved, cuts, moves);
      if (taken === null) return false;
      rows = taken;
    }
    let partial: Uint8Array | null = null;
    if (isWhole && states.memory !== "dense") {
      partial = reach.snapshot?.bytes ?? mover.save(sequence, "partial", moves);
      if (partial === null) return false;
    }
    return this.#write(chain, to, known, rows, partial, now);
  }

  /** Recurrent: a snapshot is everything. */
  #saveSnapshot(snapshot: Snapshot, now: number): boolean {
    const { disk } = this.#options;
    const { chain, index, key, bytes, named, head } = snapshot;
    if (!named || disk.hasPartial(chain.tenant, key) || !this.#isNew(chain, index)) return false;
    const tokens = chain.plan.tokens.slice(0, cutAt(chain.plan, index));
    const warm = chain.warm[index - 1] === 1;
    const piece = { kind: "partial", key, before: 0n, from: 0, tokens, warm, head, payload: bytes } as const;
    const { conversation, turn } = snapshot;
    disk.write(chain.tenant, chain.plan, [piece], { conversation, turn, variant: chain.variant }, now);
    return true;
  }

  /** Rows of the chunks from `known` on, and every snapshot of the chain that they carry. */
  #write(
    chain: Chain,
    index: number,
    known: number,
    rows: readonly Uint8Array[],
    partial: Uint8Array | null,
    now: number,
  ): boolean {
    const { disk } = this.#options;
    const pieces: NewPiece[] = [];
    for (const [i, payload] of rows.entries()) pieces.push(rowsPiece(chain, known + i, payload));
    for (let chunk = 0; chunk < index; chunk++) {
      const piece = this.#partialPiece(chain, chunk, chunk === index - 1 ? partial : null);
      if (piece !== null) pieces.push(piece);
    }
    if (pieces.length === 0) return false;
    const { conversation, turn, variant } = chain;
    disk.write(chain.tenant, chain.plan, pieces, { conversation, turn, variant }, now);
    return true;
  }

  #partialPiece(chain: Chain, chunk: number, own: Uint8Array | null): NewPiece | null {
    const { states, disk } = this.#options;
    const key = chain.plan.keys[chunk];
    if (key === undefined || states.memory === "dense" || disk.hasPartial(chain.tenant, key)) return null;
    const snapshot = states.store.snapshot(key);
    const isOwn = snapshot?.named === true && snapshot.chain.tenant === chain.tenant;
    const payload = own ?? (isOwn ? snapshot.bytes : null);
    if (payload === null) return null;
    return {
      kind: "partial",
      key,
      before: 0n,
      from: cutAt(chain.plan, chunk + 1),
      tokens: new Int32Array(0),
      warm: chain.warm[chunk] === 1,
      head: isOwn && snapshot.head,
      payload,
    };
  }

  #isNew(chain: Chain, index: number, marks = true): boolean {
    const key = chain.plan.keys[index - 1];
    if (key === undefined || this.#tried.has(key)) return false;
    if (marks) this.#tried.add(key);
    return true;
  }
}

function rowsPiece({ plan, warm }: Chain, chunk: number, payload: Uint8Array): NewPiece {
  const from = cutAt(plan, chunk);
  return {
    kind: "rows",
    key: plan.keys[chunk] ?? 0n,
    before: chunk === 0 ? 0n : (plan.keys[chunk - 1] ?? 0n),
    from,
    tokens: plan.tokens.slice(from, cutAt(plan, chunk + 1)),
    warm: warm[chunk] === 1,
    head: plan.keep.some(({ cut, reason }) => reason === "head" && cut === cutAt(plan, chunk + 1)),
    payload,
  };
}
