/**
 * What is kept of the grammars used last: one conversation asks for the same one at each turn, and where a walk
 * has been before, a step is a table look-up and the tokens allowed are a list. Per vocabulary, for its lists.
 */
import { GrammarWalk } from "./GrammarWalk.ts";
import { parseGrammar } from "./parseGrammar.ts";
import { TokenLists } from "./TokenLists.ts";

/** A walk is begun anew with the run after it has come to this many places, of a kilobyte or so each. */
const PLACES_MAX = 4_000;
const GRAMMARS_MAX = 8;

export interface KnownGrammar {
  readonly walk: GrammarWalk;
  readonly lists: TokenLists;
}

const known = new WeakMap<object, Map<string, KnownGrammar>>();

/** @throws GrammarError, or TooAmbiguous. */
export function knownGrammar(text: string, vocab: object): KnownGrammar {
  const used = known.get(vocab) ?? new Map<string, KnownGrammar>();
  known.set(vocab, used);
  const last = used.get(text);
  const one = last === undefined || last.walk.size > PLACES_MAX ? begin(text, last?.walk) : last;
  used.delete(text);
  used.set(text, one);
  const [oldest] = used.keys();
  if (used.size > GRAMMARS_MAX && oldest !== undefined) used.delete(oldest);
  return one;
}

/** Not read again where only its walk has grown too large. */
function begin(text: string, last: GrammarWalk | undefined): KnownGrammar {
  return { walk: new GrammarWalk(last?.grammar ?? parseGrammar(text)), lists: new TokenLists() };
}
