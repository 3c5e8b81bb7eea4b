/**
 * How values are written: as JSON, or in a model family's own way. The compiler knows what a schema allows; a
 * spelling knows what that looks like. All texts here are bodies of GBNF.
 */
import type { CharSet } from "./CharSet.ts";
import type { Dfa } from "./Dfa.ts";
import type { Gbnf } from "./Gbnf.ts";

/** One way to write a string. */
export interface Quote {
  readonly open: string;
  readonly close: string;
  /** Texts that can be written in it; null for all. */
  readonly allowed: Dfa | null;
  /** One character out of `set`. */
  character(gbnf: Gbnf, set: CharSet): string;
  /** A text as it is written, without the quotes; the usual way first. */
  write(text: string): readonly string[];
}

export interface Brackets {
  readonly open: string;
  readonly close: string;
  /** Between two items. */
  readonly comma: string;
}

/** Which of a pair's values are meant. */
export type ValueKind = "any" | "text" | "other";

/** The rule of a pair's value in a spelling; null where none fits. */
export type ValueRule = (spelling: Spelling, kind: ValueKind) => string | null;

export interface Spelling {
  /** Unique: rules are told apart by it. */
  readonly name: string;
  readonly quotes: readonly Quote[];
  readonly words: Readonly<Record<"null" | "true" | "false", readonly string[]>>;
  object(gbnf: Gbnf): Brackets;
  array(gbnf: Gbnf): Brackets;
  /** A pair with this key; null where its value has no rule. */
  pair(gbnf: Gbnf, key: string, value: ValueRule): string | null;
  /** A pair with any of these keys; null for any at all. */
  otherPair(gbnf: Gbnf, keys: Dfa | null, value: ValueRule): string | null;
  /** An array's item around its value. */
  item(value: string): string;
  /** Rule of any value; null where the spelling is one of objects alone. */
  any(gbnf: Gbnf): string | null;
}
