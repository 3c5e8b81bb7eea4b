/** What is known of each conversation's turns; the longest unheard of is forgotten first. */
const CONVERSATIONS_MAX = 65_536;

/**
 * How sure a conversation's next turn is. 0: it was asked once, as titles are. 1: it has come back before. 2: its
 * last reply was calls, whose results its client is about to send.
 */
export type Returns = 0 | 1 | 2;

interface Seen {
  readonly turn: number;
  readonly awaitsResults: boolean;
  readonly warmedTurn?: number;
}

export class Turns {
  readonly #seen = new Map<string, Seen>();

  /** The newest turn; 0 for a conversation that is not known. */
  newest(conversation: string): number {
    return this.#seen.get(conversation)?.turn ?? 0;
  }

  /** What is likeliest to follow this turn is kept as far as it could be known. */
  setWarmed(conversation: string, turn: number): void {
    const seen = this.#seen.get(conversation);
    if (seen !== undefined) this.#seen.set(conversation, { ...seen, warmedTurn: turn });
  }

  isWarmed(conversation: string, turn: number): boolean {
    return this.#seen.get(conversation)?.warmedTurn === turn;
  }

  returns(conversation: string): Returns {
    const seen = this.#seen.get(conversation);
    if (seen === undefined) return 0;
    if (seen.awaitsResults) return 2;
    return seen.turn > 1 ? 1 : 0;
  }

  /** Of its system prompt and tools: another conversation may begin with them. */
  headReturns(conversation: string): Returns {
    return this.returns(conversation) || 1;
  }

  /** A run of this turn begins; `awaitsResults`: it warms what follows calls. */
  see(conversation: string, turn: number, awaitsResults = false): void {
    const seen = this.#seen.get(conversation);
    const isNewer = seen === undefined || turn > seen.turn;
    const now: Seen = isNewer
      ? { turn, awaitsResults, ...(seen?.warmedTurn === undefined ? {} : { warmedTurn: seen.warmedTurn }) }
      : { ...seen, awaitsResults: seen.awaitsResults || awaitsResults };
    this.#seen.delete(conversation);
    this.#seen.set(conversation, now);
    if (this.#seen.size <= CONVERSATIONS_MAX) return;
    for (const oldest of this.#seen.keys()) {
      this.#seen.delete(oldest);
      return;
    }
  }
}
