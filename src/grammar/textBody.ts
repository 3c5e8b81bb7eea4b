/** Strings: patterns, formats and lengths, all at once, in each of a spelling's quotes. */
import { type CharSet, EVERY } from "./CharSet.ts";
import { ANY_TEXT, both, type Dfa, isEmpty, lengthBetween } from "./Dfa.ts";
import { formatDfa } from "./formats.ts";
import { dfaRule, type Gbnf, repeated } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import { PatternError, parsePattern } from "./parsePattern.ts";
import { patternDfa } from "./patternDfa.ts";
import { SchemaError } from "./SchemaError.ts";
import type { Shape, Texts } from "./Shape.ts";
import type { Quote, Spelling } from "./Spelling.ts";
import { DfaTooLarge } from "./Work.ts";

export type TextRules = Pick<Shape, "texts" | "lengthMin" | "lengthMax">;

/** Null where no string fits. */
export function textBody(gbnf: Gbnf, shape: TextRules, hint: string, spelling: Spelling): string | null {
  const { lengthMin, lengthMax } = shape;
  if (lengthMin > lengthMax) return null;
  const texts = shape.texts.filter((text) => text.keyword === "pattern" || formatDfa(text.pattern) !== null);
  const isFree = texts.length === 0 && lengthMin === 0 && lengthMax === Number.POSITIVE_INFINITY;
  if (isFree && spelling.name === "json") return jsonRule(gbnf, "string");
  const ways = spelling.quotes.flatMap((quote) => quotedBody(gbnf, { ...shape, texts }, hint, quote) ?? []);
  return ways.length === 0 ? null : ways.join(" | ");
}

function quotedBody(gbnf: Gbnf, rules: TextRules, hint: string, quote: Quote): string | null {
  const { texts, lengthMin, lengthMax } = rules;
  const simple = texts.length === 0 ? ANY_CHARACTERS : texts.length === 1 ? repeatedClass(texts[0]) : null;
  if (simple !== null) {
    const min = Math.max(simple.min, lengthMin);
    const max = Math.min(simple.max, lengthMax);
    if (min > max) return null;
    const isFree = simple.set === EVERY && min === 0 && max === Number.POSITIVE_INFINITY;
    // Beyond what an automaton counts, what ends the text early is not looked for.
    const isLong = (max === Number.POSITIVE_INFINITY ? min : max) > COUNTED_MAX;
    if (quote.allowed === null || (isLong && !isFree)) {
      const char = gbnf.rule(`s-${hint}-char`, character(gbnf, simple.set, quote));
      return `${quote.open} ${repeated(gbnf, char, min, max)} ${quote.close}`;
    }
  }
  const { allowed } = quote;
  const plain = textDfa(rules);
  const dfa = allowed === null ? plain : held(texts.at(-1), () => both(plain, allowed));
  if (isEmpty(dfa)) return null;
  const key = ["text", quote.open, quote.close, texts.map(({ keyword, pattern }) => [keyword, pattern])];
  return gbnf.once(JSON.stringify([...key, lengthMin, lengthMax]), () =>
    dfaRule(gbnf, `s-${hint}-text`, dfa, quote),
  );
}

const ANY_CHARACTERS = { set: EVERY, min: 0, max: Number.POSITIVE_INFINITY };
/** Characters that an automaton counts where it has to look for the text's end as well. */
const COUNTED_MAX = 120;

function character(gbnf: Gbnf, set: CharSet, quote: Quote): string {
  return set === EVERY && quote.allowed === null && quote.close === JSON_QUOTE
    ? jsonRule(gbnf, "char")
    : quote.character(gbnf, set);
}

const JSON_QUOTE = '"\\""';

/** Throws SchemaError naming the keyword that is too much. */
export function textDfa({ texts, lengthMin, lengthMax }: TextRules): Dfa {
  let dfa = ANY_TEXT;
  for (const text of texts) {
    dfa = held(text, () =>
      both(
        dfa,
        text.keyword === "pattern" ? patternDfa(text.pattern) : (formatDfa(text.pattern) ?? ANY_TEXT),
      ),
    );
  }
  return held(texts.at(-1), () => both(dfa, lengthBetween(lengthMin, lengthMax)));
}

function held<T>(text: Texts | undefined, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (text !== undefined && (error instanceof PatternError || error instanceof DfaTooLarge)) {
      throw new SchemaError(text.keyword, text.path, error.message);
    }
    throw error;
  }
}

/** `^[…]{m,n}$`, whose counts may be far beyond what an automaton can hold. */
function repeatedClass(text: Texts | undefined): { set: CharSet; min: number; max: number } | null {
  if (text?.keyword !== "pattern") return null;
  const { root, aheads } = held(text, () => parsePattern(text.pattern));
  if (root.kind !== "all" || root.of.length !== 3 || aheads.length > 0) return null;
  const [start, middle, end] = root.of;
  if (start?.kind !== "start" || middle?.kind !== "repeat" || end?.kind !== "end") return null;
  const { of, min, max } = middle;
  return of.kind === "chars" && of.set.length > 0 ? { set: of.set, min, max } : null;
}
