/**
 * Which sequence a run takes. In place where the best state is its own conversation's, or where nothing would
 * be lost; else beside it, over the least worth. It only chooses: nothing is moved here.
 */
import { cutAt } from "./Chain.ts";
import { type Found, findResume, ownReach, type Place, type States } from "./findResume.ts";
import type { Sequence } from "./Sequence.ts";
import type { Turns } from "./Turns.ts";
import { worthOf } from "./worth.ts";

export interface Want {
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: number;
  readonly purpose: "request" | "warm";
  /** Warm: 0 the likeliest, 1 the second, … */
  readonly variant: number;
  /** Warm: the reply was calls. */
  readonly awaitsResults: boolean;
}

export interface Target {
  readonly sequence: Sequence;
  /** The state lies in `sequence` itself. */
  readonly inPlace: boolean;
  /** What to do with what lies there: nothing, park it wherever there is room, or a full save or nothing. */
  readonly park: "no" | "any" | "host";
}

export class Placement {
  readonly #states: States;
  readonly #turns: Turns;

  constructor(states: States, turns: Turns) {
    this.#states = states;
    this.#turns = turns;
  }

  /** Orders places that reach equally far by the work they cost this run. */
  rank(want: Want): (place: Place) => number {
    return (place) => {
      if (place.kind === "snapshot") return 1;
      if (place.kind === "host") return 5;
      const { sequence } = place;
      if (sequence.busy) return 4;
      const own = sequence.chain?.conversation === want.conversation;
      // Before a spare: that may then take what the run's lane held.
      if (sequence.isLane) return own ? 0 : 1.2;
      return own && want.purpose === "warm" ? 1 : 2;
    };
  }

  /** null: this variant has nowhere to go. Throws where no lane is idle: the loop must not ask then. */
  choose(want: Want, found: Found | null): Target | null {
    const at = found?.place.kind === "sequence" ? found.place.sequence : null;
    const source = at === null || at.busy || (want.purpose === "request" && !at.isLane) ? null : at;
    if (want.variant > 0) return this.#chooseVariant(want, found, at, source);
    if (source !== null && found !== null) {
      const own = source.chain?.conversation === want.conversation;
      if (own || !this.isWorthBeyond(source, found.index)) return keepOpen(source, true);
    }
    const pool = this.#states.sequences.filter(
      (sequence) => !sequence.busy && sequence !== at && (sequence.isLane || want.purpose === "warm"),
    );
    const earlier = pool.find((sequence) => this.#isEarlier(sequence, want));
    if (earlier !== undefined) return keepOpen(earlier, false);
    const least = this.#least(pool);
    if (least !== null) return { sequence: least, inPlace: false, park: "any" };
    if (source !== null) return { sequence: source, inPlace: true, park: "any" };
    throw new Error("no lane is idle");
  }

  /** The spare to park a state in: the least worth; null where there is none to choose. */
  spare(except: Sequence, alsoExcept: Sequence | null): Sequence | null {
    return this.#least(
      this.#states.sequences.filter(
        (sequence) => !sequence.isLane && !sequence.busy && sequence !== except && sequence !== alsoExcept,
      ),
    );
  }

  /** A second variant overwrites nothing: a spare sequence, or the first is saved whole before. */
  #chooseVariant(
    want: Want,
    found: Found | null,
    at: Sequence | null,
    source: Sequence | null,
  ): Target | null {
    if (source !== null && found !== null && !this.isWorthBeyond(source, found.index))
      return keepOpen(source, true);
    const spares = this.#states.sequences.filter(
      (sequence) => !sequence.isLane && !sequence.busy && sequence !== at,
    );
    const free = spares.find((sequence) => this.worth(sequence) === 0 || this.#isEarlier(sequence, want));
    if (free !== undefined) return keepOpen(free, false);
    // Its conversation's own sequence, where all of it is kept elsewhere: a recurrent snapshot is a full save.
    const own = this.#states.sequences.find(
      (sequence) =>
        !sequence.busy &&
        sequence !== at &&
        sequence.chain?.conversation === want.conversation &&
        this.worth(sequence) === 0,
    );
    if (own !== undefined) return keepOpen(own, false);
    const least = this.#least(spares);
    if (least !== null) return { sequence: least, inPlace: false, park: "host" };
    return source === null ? null : { sequence: source, inPlace: true, park: "host" };
  }

  /** Left behind by this conversation itself: nothing to park. */
  #isEarlier(sequence: Sequence, want: Want): boolean {
    const { chain } = sequence;
    return (
      chain !== null &&
      chain.tenant === want.tenant &&
      chain.conversation === want.conversation &&
      // A request takes over what was warmed for it, which carries the turn before.
      chain.turn < want.turn
    );
  }

  #least(sequences: readonly Sequence[]): Sequence | null {
    let least: Sequence | null = null;
    let leastWorth = 0;
    for (const sequence of sequences) {
      const worth = this.worth(sequence);
      if (least !== null && worth >= leastWorth) continue;
      least = sequence;
      leastWorth = worth;
    }
    return least;
  }

  /** Would anything be lost if this sequence were overwritten after its first `index` chunks? */
  isWorthBeyond(sequence: Sequence, index: number): boolean {
    return this.#lostTokens(sequence, index) > 0;
  }

  /** Its conversation has gone on elsewhere. */
  isOutdated(sequence: Sequence): boolean {
    const { chain } = sequence;
    return chain !== null && chain.turn < this.#turns.newest(chain.conversation);
  }

  worth(sequence: Sequence): number {
    const { chain } = sequence;
    if (chain === null) return 0;
    return worthOf(
      {
        tokens: this.#lostTokens(sequence, 0),
        bytes: 1,
        usedAt: sequence.usedAt,
        shared: false,
        returns: this.#turns.returns(chain.conversation),
        variant: chain.variant,
        superseded: this.isOutdated(sequence),
      },
      this.now,
    );
  }

  /** Tick that worth is reckoned at. */
  now = 0;

  #lostTokens(sequence: Sequence, index: number): number {
    const { chain } = sequence;
    if (chain === null) return 0;
    const own = ownReach(this.#states, sequence).index;
    if (own <= index) return 0;
    const elsewhere = findResume(this.#states, chain.tenant, chain.plan, () => 0, sequence);
    return Math.max(0, cutAt(chain.plan, own) - cutAt(chain.plan, Math.max(index, elsewhere?.index ?? 0)));
  }
}

function keepOpen(sequence: Sequence, inPlace: boolean): Target {
  return { sequence, inPlace, park: "no" };
}
