/** Strings: patterns, formats and lengths, all at once. */
import type { CharSet } from "./CharSet.ts";
import { ANY_TEXT, both, type Dfa, DfaTooLarge, isEmpty, lengthBetween } from "./Dfa.ts";
import { formatDfa } from "./formats.ts";
import { dfaRule, type Gbnf, jsonCharacter, repeated } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import { PatternError, parsePattern } from "./parsePattern.ts";
import { patternDfa } from "./patternDfa.ts";
import { SchemaError } from "./SchemaError.ts";
import type { Shape, Texts } from "./Shape.ts";

type TextRules = Pick<Shape, "texts" | "lengthMin" | "lengthMax">;

/** Null where no string fits. */
export function textBody(gbnf: Gbnf, shape: TextRules, hint: string): string | null {
  const { lengthMin, lengthMax } = shape;
  if (lengthMin > lengthMax) return null;
  const texts = shape.texts.filter((text) => text.keyword === "pattern" || formatDfa(text.pattern) !== null);
  if (texts.length === 0) {
    if (lengthMin === 0 && lengthMax === Number.POSITIVE_INFINITY) return jsonRule(gbnf, "string");
    return `"\\"" ${repeated(gbnf, jsonRule(gbnf, "char"), lengthMin, lengthMax)} "\\""`;
  }
  const simple = texts.length === 1 ? repeatedClass(texts[0]) : null;
  if (simple !== null) {
    const min = Math.max(simple.min, lengthMin);
    const max = Math.min(simple.max, lengthMax);
    if (min > max) return null;
    const char = gbnf.rule(`s-${hint}-char`, jsonCharacter(gbnf, simple.set));
    return `"\\"" ${repeated(gbnf, char, min, max)} "\\""`;
  }
  const dfa = textDfa(shape);
  if (isEmpty(dfa)) return null;
  const key = JSON.stringify([
    "text",
    texts.map(({ keyword, pattern }) => [keyword, pattern]),
    lengthMin,
    lengthMax,
  ]);
  return gbnf.once(key, () => dfaRule(gbnf, `s-${hint}-text`, dfa, "json"));
}

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
  const last = texts.at(-1) ?? { pattern: "", keyword: "pattern", path: "" };
  return held(last, () => both(dfa, lengthBetween(lengthMin, lengthMax)));
}

function held(text: Texts, make: () => Dfa): Dfa {
  try {
    return make();
  } catch (error) {
    if (error instanceof PatternError || error instanceof DfaTooLarge) {
      throw new SchemaError(text.keyword, text.path, error.message);
    }
    throw error;
  }
}

/** `^[…]{m,n}$`, whose counts may be far beyond what an automaton can hold. */
function repeatedClass(text: Texts | undefined): { set: CharSet; min: number; max: number } | null {
  if (text?.keyword !== "pattern") return null;
  try {
    const { root, aheads } = parsePattern(text.pattern);
    if (root.kind !== "all" || root.of.length !== 3 || aheads.length > 0) return null;
    const [start, middle, end] = root.of;
    if (start?.kind !== "start" || middle?.kind !== "repeat" || end?.kind !== "end") return null;
    const { of, min, max } = middle;
    return of.kind === "chars" && of.set.length > 0 ? { set: of.set, min, max } : null;
  } catch (error) {
    if (error instanceof PatternError) throw new SchemaError(text.keyword, text.path, error.message);
    throw error;
  }
}
