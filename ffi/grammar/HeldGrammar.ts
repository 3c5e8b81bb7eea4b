/**
 * A run's grammar: from its first token on, or from where its trigger comes. A token that brings the trigger
 * and goes on in a way that the grammar does not know is refused like any other.
 */
import type { GrammarTrigger } from "../../src/engine/protocol.ts";
import { TokenGrammar } from "./TokenGrammar.ts";
import type { TokenTable } from "./TokenTable.ts";
import { TriggerWatch } from "./TriggerWatch.ts";

interface Tokens {
  readonly size: number;
  piece(token: number): Uint8Array;
  isEnd(token: number): boolean;
}

export class HeldGrammar {
  readonly #vocab: Tokens;
  readonly #grammar: TokenGrammar;
  #watch: TriggerWatch | null;
  /** Refused while the trigger has not come; the others are free. */
  #refused: Uint8Array | null = null;

  /** @throws GrammarError, or TooAmbiguous. */
  constructor(text: string, trigger: GrammarTrigger | undefined, vocab: Tokens, table: () => TokenTable) {
    this.#vocab = vocab;
    this.#grammar = new TokenGrammar(text, vocab, table);
    this.#watch = trigger === undefined ? null : new TriggerWatch(trigger);
  }

  /** @throws TooAmbiguous */
  allows(token: number): boolean {
    if (this.#watch === null) return this.#grammar.allows(token);
    const started = this.#startIn(token);
    return started === null || this.#grammar.fits(started);
  }

  /** Takes a token that is allowed. @throws TooAmbiguous */
  accept(token: number): void {
    if (this.#watch === null) {
      this.#grammar.accept(token);
      return;
    }
    this.#refused = null;
    const started = this.#startIn(token);
    if (started === null) this.#watch.take(this.#vocab.piece(token));
    else {
      this.#grammar.take(started);
      this.#watch = null;
    }
  }

  /** The tokens that may come instead of one that is not allowed. @throws TooAmbiguous */
  maskWithout(token: number): Uint8Array {
    if (this.#watch === null) return this.#grammar.mask();
    this.#refused ??= new Uint8Array(this.#vocab.size).fill(1);
    if (token >= 0) this.#refused[token] = 0;
    return this.#refused;
  }

  /** Whether a mask of all that is allowed is at hand: else only what was asked for is known to be refused. */
  get isWaiting(): boolean {
    return this.#watch !== null;
  }

  #startIn(token: number): Uint8Array | null {
    return this.#vocab.isEnd(token) ? null : (this.#watch?.startIn(this.#vocab.piece(token)) ?? null);
  }
}
