/** Whether a text fits a grammar, by the walk that the sampler itself takes. */
import { GrammarWalk, type Place } from "../../../ffi/grammar/GrammarWalk.ts";
import { parseGrammar } from "../../../ffi/grammar/parseGrammar.ts";

export class GrammarMatcher {
  readonly #walk: GrammarWalk;

  constructor(text: string) {
    this.#walk = new GrammarWalk(parseGrammar(text));
  }

  /** Characters of `text` that fit, from its start. */
  fitting(text: string): number {
    return this.#read(text).length;
  }

  matches(text: string): boolean {
    const { length, place } = this.#read(text);
    return length === text.length && place.ends;
  }

  #read(text: string): { readonly length: number; readonly place: Place } {
    let place = this.#walk.start;
    let length = 0;
    for (const char of text) {
      this.#walk.rest();
      const next = this.#walk.step(place, char.codePointAt(0) ?? 0);
      if (next === null) break;
      place = next;
      length += char.length;
    }
    return { length, place };
  }
}
