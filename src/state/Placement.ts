/**
 * Which sequence a run takes. In place where the best state is its own conversation's, or where nothing would
 * be lost; else beside it, over the least worth. It only chooses: nothing is moved here.
 */
import type { Plan } from "../plan/Plan.ts";
import { type Chain, cutAt } from "./Chain.ts";
import { type Found, findResume, ownReach, type Place, type States } from "./findResume.ts";
import type { Sequence } from "./Sequence.ts";
import type { Turns } from "./Turns.ts";
import { worthOf } from "./worth.ts";

/** Ranks behind any variant. */
const RETRY = 3;

export interface Want {
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: number;
  readonly plan: Plan;
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
      if (place.kind === "disk") return 6;
      const { sequence } = place;
      if (sequence.busy) return 4;
      const own = sequence.chain?.conversation === want.conversation;
      // Before a spare: that may then take what the run's lane held.
      if (sequence.isLane) return own ? 0 : 1.2;
      return own && want.purpose === "warm" ? 1 : 2;
    };
  }

  /**
   * null: a warm run that has nowhere to go, because all that it could take the place of is worth more. Throws where
   * a request finds no lane idle: the loop must not ask then.
   */
  choose(want: Want, found: Found | null): Target | null {
    const at = found?.place.kind === "sequence" ? found.place.sequence : null;
    const source = at === null || at.busy || (want.purpose === "request" && !at.isLane) ? null : at;
    return want.purpose === "request"
      ? this.#forRequest(want, found, at, source)
      : this.#forWarm(want, found, at, source);
  }

  #forRequest(want: Want, found: Found | null, at: Sequence | null, source: Sequence | null): Target {
    if (source !== null && found !== null) {
      const own = source.chain?.conversation === want.conversation;
      if (own || !this.isWorthBeyond(source, found.index)) return take(source, true, "any");
    }
    const lanes = this.#idle((sequence) => sequence.isLane && sequence !== at);
    const least = lanes.find((sequence) => this.#isEarlier(sequence, want)) ?? this.#least(lanes);
    if (least !== null) return take(least, false, "any");
    if (source !== null) return take(source, true, "any");
    throw new Error("no lane is idle");
  }

  /** It may be put off for ever: so it takes only what is free, was saved whole before, or is worth less. */
  #forWarm(want: Want, found: Found | null, at: Sequence | null, source: Sequence | null): Target | null {
    if (source !== null && !this.isWorthBeyond(source, found?.index ?? 0)) return take(source, true, "no");
    // A second variant leaves the lanes to requests.
    const others = this.#idle((sequence) => sequence !== at && (want.variant === 0 || !sequence.isLane));
    // The likeliest next turn stays in its conversation's own lane; what lies there goes to what is free.
    if (source !== null && want.variant === 0 && source.chain?.conversation === want.conversation)
      return take(source, true, this.#parkFor(want, found, source));
    const free = others.find((sequence) => this.worth(sequence) === 0);
    if (free !== undefined) return take(free, false, "no");
    const earlier = others.find((sequence) => this.#isEarlier(sequence, want));
    if (earlier !== undefined) return take(earlier, false, "any");
    // Its conversation's own lane, where all of it is kept elsewhere: a recurrent snapshot is a full save.
    const kept = this.#idle(
      (sequence) =>
        sequence !== at && sequence.chain?.conversation === want.conversation && this.worth(sequence) === 0,
    )[0];
    if (kept !== undefined) return take(kept, false, "no");
    const least = this.#least(others);
    if (least !== null) return take(least, false, this.#parkFor(want, found, least));
    return source === null ? null : take(source, true, this.#parkFor(want, found, source));
  }

  /** What would save more than this warm run adds has to be saved whole first; the rest is parked if there is room. */
  #parkFor(want: Want, found: Found | null, sequence: Sequence): "any" | "host" {
    const { plan, conversation, variant } = want;
    const isSource = found?.place.kind === "sequence" && found.place.sequence === sequence;
    const added = {
      tokens: cutAt(plan, plan.cuts.length) - cutAt(plan, found?.index ?? 0),
      bytes: 1,
      usedAt: this.now,
      shared: false,
      returns: this.#turns.returns(conversation),
      variant,
      superseded: false,
    };
    const worth = this.worth(sequence, isSource ? found.index : 0, conversation);
    if (worth >= worthOf(added, this.now)) return "host";
    // Everybody's likeliest next turn comes before anybody's second.
    return variant === 0 || !this.#isLikeliest(sequence, conversation) ? "any" : "host";
  }

  #isLikeliest(sequence: Sequence, warming: string): boolean {
    const { chain } = sequence;
    return chain?.variant === 0 && !this.isOutdated(sequence) && !this.#isRetry(chain, warming);
  }

  #idle(which: (sequence: Sequence) => boolean): readonly Sequence[] {
    return this.#states.sequences.filter((sequence) => !sequence.busy && which(sequence));
  }

  /** Where to park a state: the spare that is worth least, or a lane that holds nothing of worth; null for none. */
  spare(except: Sequence, alsoExcept: Sequence | null): Sequence | null {
    const others = this.#idle((sequence) => sequence !== except && sequence !== alsoExcept);
    const least = this.#least(others.filter((sequence) => !sequence.isLane));
    if (least !== null && this.worth(least) === 0) return least;
    return others.find((sequence) => this.worth(sequence) === 0) ?? least;
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
    return this.lostTokens(sequence, index) > 0;
  }

  /** Its conversation has gone on elsewhere. */
  isOutdated(sequence: Sequence): boolean {
    const { chain } = sequence;
    return chain !== null && chain.turn < this.#turns.newest(chain.conversation);
  }

  /**
   * Of what would be lost if it were overwritten after its first `from` chunks. Once its next turn is warmed, or
   * when it is about to be (`warming`), a prompt's own end serves a retry alone: it ranks behind the variants.
   */
  worth(sequence: Sequence, from = 0, warming = ""): number {
    const { chain } = sequence;
    if (chain === null) return 0;
    return worthOf(
      {
        tokens: this.lostTokens(sequence, from),
        bytes: 1,
        usedAt: sequence.usedAt,
        shared: false,
        returns: this.#turns.returns(chain.conversation),
        variant: this.#isRetry(chain, warming) ? RETRY : chain.variant,
        superseded: this.isOutdated(sequence),
      },
      this.now,
    );
  }

  /**
   * The sequence is about to be overwritten. A whole save, or a spare, that its conversation's turn went on from was left
   * behind while the rows lay here, too; from now on it is all that the turn has.
   */
  handDown(sequence: Sequence): void {
    const { chain } = sequence;
    if (chain === null || this.isOutdated(sequence)) return;
    const elsewhere = findResume(this.#states, chain.tenant, chain.plan, () => 0, sequence);
    const place = elsewhere?.place;
    if (place?.kind === "sequence") {
      const held = place.sequence.chain;
      if (held?.conversation === chain.conversation && held.turn < chain.turn)
        place.sequence.chain = { ...held, turn: chain.turn };
      return;
    }
    if (place?.kind !== "host") return;
    const { save } = place;
    if (save.conversation === chain.conversation) save.turn = Math.max(save.turn, chain.turn);
  }

  /** Tick that worth is reckoned at. */
  now = 0;

  #isRetry(chain: Chain, warming: string): boolean {
    return !isForeseen(chain) && (chain.conversation === warming || this.#isWarmed(chain));
  }

  /** Is the next turn behind this prompt kept elsewhere? */
  #isWarmed({ conversation, turn }: Chain): boolean {
    const isNext = (chain: Chain, length: number): boolean =>
      chain.conversation === conversation &&
      chain.turn === turn &&
      isForeseen(chain) &&
      length === chain.plan.keys.length;
    if (this.#states.sequences.some(({ chain }) => chain !== null && isNext(chain, chain.length)))
      return true;
    for (const { chain, index } of this.#states.store.saves) if (isNext(chain, index)) return true;
    return false;
  }

  /**
   * Tokens that nothing else keeps. Of a turn that is past only those that were asked for: what was foreseen and did
   * not come will not come any more.
   */
  lostTokens(sequence: Sequence, index: number): number {
    const { chain } = sequence;
    if (chain === null) return 0;
    const reach = ownReach(this.#states, sequence).index;
    const own = this.isOutdated(sequence) ? Math.min(reach, chain.asked) : reach;
    if (own <= index) return 0;
    const elsewhere = findResume(this.#states, chain.tenant, chain.plan, () => 0, sequence);
    return Math.max(0, cutAt(chain.plan, own) - cutAt(chain.plan, Math.max(index, elsewhere?.index ?? 0)));
  }
}

/** Ends with what no request has asked for yet. */
function isForeseen(chain: Chain): boolean {
  return chain.asked < chain.plan.keys.length;
}

function take(sequence: Sequence, inPlace: boolean, park: Target["park"]): Target {
  return { sequence, inPlace, park };
}
