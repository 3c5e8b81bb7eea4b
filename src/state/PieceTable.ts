/**
 * Attention rows that are kept outside of live sequences, in pieces of one chunk each, named by the plan's keys. A key
 * is a chain over all tokens before it, so that whatever begins alike shares its pieces: branches, retries, subagents,
 * tomorrow's conversation. A piece is found by key, its tokens, and the very piece in front of it.
 */
import type { Plan } from "../plan/Plan.ts";
import { cutAt } from "./Chain.ts";

export interface Piece {
  /** Names the state behind its chunk. */
  readonly key: bigint;
  readonly tenant: string;
  /** Of its own chunk. */
  readonly tokens: Int32Array;
  readonly before: Piece | null;
  readonly bytes: Uint8Array;
}

export class PieceTable {
  readonly #pieces = new Map<bigint, Piece>();

  /** Those of the plan's first chunks that are there without a gap, at most `limit`. */
  find(tenant: string, plan: Plan, limit: number): readonly Piece[] {
    const found: Piece[] = [];
    for (let chunk = 0; chunk < Math.min(limit, plan.keys.length); chunk++) {
      const piece = this.#pieces.get(plan.keys[chunk] ?? 0n);
      const isOwn = piece?.tenant === tenant && piece.before === (found.at(-1) ?? null);
      if (piece === undefined || !isOwn || !sameTokens(piece.tokens, chunkTokens(plan, chunk))) break;
      found.push(piece);
    }
    return found;
  }

  /** Behind `before` (none in front of the first), one piece for each buffer. Null where another has one of the names. */
  add(
    tenant: string,
    plan: Plan,
    before: readonly Piece[],
    rows: readonly Uint8Array[],
  ): readonly Piece[] | null {
    const added: Piece[] = [];
    for (const [i, bytes] of rows.entries()) {
      const chunk = before.length + i;
      const key = plan.keys[chunk];
      if (key === undefined || this.#pieces.has(key)) return null;
      const last = added.at(-1) ?? before.at(-1) ?? null;
      added.push({ key, tenant, tokens: chunkTokens(plan, chunk), before: last, bytes });
    }
    for (const piece of added) this.#pieces.set(piece.key, piece);
    return [...before, ...added];
  }

  /** Pieces of another table, first to last. False where others have their names. */
  adopt(pieces: readonly Piece[]): boolean {
    const isOwn = pieces.every((piece) => (this.#pieces.get(piece.key) ?? piece) === piece);
    if (isOwn) for (const piece of pieces) this.#pieces.set(piece.key, piece);
    return isOwn;
  }

  remove(piece: Piece): void {
    if (this.#pieces.get(piece.key) === piece) this.#pieces.delete(piece.key);
  }

  get all(): Iterable<Piece> {
    return this.#pieces.values();
  }

  get bytes(): number {
    return this.#pieces.values().reduce((sum, { bytes }) => sum + bytes.length, 0);
  }
}

/** A copy: a piece may outlive the prompt that it was first in. */
function chunkTokens(plan: Plan, chunk: number): Int32Array {
  return plan.tokens.slice(cutAt(plan, chunk), cutAt(plan, chunk + 1));
}

function sameTokens(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((token, i) => token === b[i]);
}
