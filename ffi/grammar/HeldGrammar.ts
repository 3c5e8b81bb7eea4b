/**
 * A run's grammar: from its first token on, or from where its trigger comes. A token that brings the trigger
 * and goes on in a way that the grammar does not know is refused like any other.
 */
import type { GrammarTrigger } from "../../src/run/RunSpec.ts";
import { TokenGrammar } from "./TokenGrammar.ts";
import type { TokenTable } from "./TokenTable.ts";
import { TriggerWatch } from "./TriggerWatch.ts";

/** Tokens refused, where most are allowed, before the vocabulary is looked through. */
const REFUSED_MAX = 128;

interface Tokens {
  piece(token: number): Uint8Array;
  isEnd(token: number): boolean;
}

export type Instead = { readonly only: Int32Array } | { readonly allBut: Int32Array };

export class HeldGrammar {
  readonly #vocab: Tokens;
  readonly #grammar: TokenGrammar;
  #watch: TriggerWatch | null;
  /** Since the last token that was taken. */
  readonly #refused: number[] = [];

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
    this.#refused.length = 0;
    if (this.#watch === null) {
      this.#grammar.accept(token);
      return;
    }
    const started = this.#startIn(token);
    if (started === null) this.#watch.take(this.#vocab.piece(token));
    else {
      this.#grammar.take(started);
      this.#watch = null;
    }
  }

  /** Whether most tokens are allowed, so that one that is will soon be found. @throws TooAmbiguous */
  get looksFirst(): boolean {
    return this.#watch !== null || (this.#refused.length < REFUSED_MAX && this.#grammar.isWide);
  }

  /**
   * What may come instead of tokens that are not allowed (none: none was to be had): the tokens that are
   * allowed, or, where the vocabulary is not looked through, all but those refused. @throws TooAmbiguous
   */
  instead(tokens: readonly number[]): Instead {
    if (this.#watch === null && (tokens.length === 0 || !this.looksFirst))
      return { only: this.#grammar.allowed() };
    this.#refused.push(...tokens);
    return { allBut: Int32Array.from(this.#refused) };
  }

  /** Whether the trigger has not come yet. */
  get isWaiting(): boolean {
    return this.#watch !== null;
  }

  #startIn(token: number): Uint8Array | null {
    return this.#vocab.isEnd(token) ? null : (this.#watch?.startIn(this.#vocab.piece(token)) ?? null);
  }
}
