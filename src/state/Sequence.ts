/** What one sequence of the context holds, as the engine knows it. Sequences below `lanes` decode. */
import type { Chain } from "./Chain.ts";

export class Sequence {
  readonly index: number;
  readonly isLane: boolean;
  /** null while empty, or while what it holds is worth nothing. */
  chain: Chain | null = null;
  /** Live end: the state stands exactly after the chain's last chunk, nothing was evaluated behind it. */
  live = false;
  /** Rows the device holds, decoded ones too: where the next token would go. */
  rows = 0;
  /** The run that evaluated here last; a warm run goes on only where it was the last. */
  writer = -1;
  /** A request runs here. */
  busy = false;
  /** Tick of its last use. */
  usedAt = 0;

  constructor(index: number, isLane: boolean) {
    this.index = index;
    this.isLane = isLane;
  }

  /** A token was decoded, or the last chunk evaluated: what cannot be rolled back has moved on. */
  advance(rows: number): void {
    this.rows += rows;
    this.live = false;
  }

  forget(): void {
    this.chain = null;
    this.live = false;
    this.rows = 0;
    this.writer = -1;
  }

  /** Takes over what `from` holds, after a copy of its rows. */
  copyOf(from: Sequence): void {
    this.chain = from.chain === null ? null : { ...from.chain };
    this.live = from.live;
    this.rows = from.rows;
    this.writer = -1;
    this.usedAt = from.usedAt;
  }
}
