/** The newest turn seen of each conversation; the longest unheard of is forgotten first. */
const CONVERSATIONS_MAX = 65_536;

export class Turns {
  readonly #newest = new Map<string, number>();

  /** 0 for a conversation that is not known. */
  newest(conversation: string): number {
    return this.#newest.get(conversation) ?? 0;
  }

  see(conversation: string, turn: number): void {
    const newest = Math.max(turn, this.newest(conversation));
    this.#newest.delete(conversation);
    this.#newest.set(conversation, newest);
    if (this.#newest.size <= CONVERSATIONS_MAX) return;
    for (const oldest of this.#newest.keys()) {
      this.#newest.delete(oldest);
      return;
    }
  }
}
