/** Whether a grammar can be followed, without a model: the request path refuses one that cannot before it queues. */
import { GrammarWalk, TooAmbiguous } from "./grammar/GrammarWalk.ts";
import { GrammarError, parseGrammar } from "./grammar/parseGrammar.ts";

/** A sentence saying what is wrong with `text`, or null. */
export function grammarProblem(text: string): string | null {
  try {
    new GrammarWalk(parseGrammar(text));
    return null;
  } catch (error) {
    if (error instanceof GrammarError) return error.message;
    if (error instanceof TooAmbiguous) return "The grammar is too ambiguous.";
    throw error;
  }
}
