/**
 * A grammar as tables: productions over rules and character classes. Made by `parseGrammar`, walked by
 * `GrammarWalk`.
 */

/** Inclusive ranges of code points, flat: low, high, low, high, …; or all but those. */
export interface CharacterClass {
  readonly negated: boolean;
  readonly ranges: readonly number[];
}

/** A rule's index, or -1 minus a class's index. */
export type GrammarSymbol = number;

/**
 * One way to write a rule. It may end at its last symbol, and already before any symbol from `endsFrom` on:
 * that is how a bounded repetition is one production and not one rule for each count.
 */
export interface Production {
  readonly rule: number;
  readonly symbols: readonly GrammarSymbol[];
  readonly endsFrom: number;
}

/**
 * `&{min,max} comma (a b! c*)`, which llama.cpp's notation lacks: members in any order with a comma between two,
 * each at most once (`*`: as often as wanted; `!`: it has to come), `min` to `max` of them. As productions it would
 * take one rule for each set of members that were there; the walk makes those that it comes to.
 */
export interface AnyOrder {
  readonly rule: number;
  readonly comma: GrammarSymbol | null;
  readonly members: readonly {
    readonly symbol: GrammarSymbol;
    readonly required: boolean;
    readonly repeats: boolean;
  }[];
  readonly min: number;
  readonly max: number;
}

export interface Grammar {
  readonly root: number;
  /** Name of each rule; a synthesised one has that of the rule it stands in. */
  readonly names: readonly string[];
  readonly classes: readonly CharacterClass[];
  readonly productions: readonly Production[];
  readonly anyOrders: readonly AnyOrder[];
}

export function matchesClass(one: CharacterClass, codePoint: number): boolean {
  const { ranges } = one;
  for (let i = 0; i < ranges.length; i += 2) {
    if (codePoint >= (ranges[i] ?? 0) && codePoint <= (ranges[i + 1] ?? 0)) return !one.negated;
  }
  return one.negated;
}

/** Whether any code point of `low` to `high` matches. */
export function meetsClass(one: CharacterClass, low: number, high: number): boolean {
  const { ranges } = one;
  if (!one.negated) {
    for (let i = 0; i < ranges.length; i += 2) {
      if ((ranges[i] ?? 0) <= high && low <= (ranges[i + 1] ?? 0)) return true;
    }
    return false;
  }
  for (let i = 0; i < ranges.length; i += 2) {
    if ((ranges[i] ?? 0) <= low && high <= (ranges[i + 1] ?? 0)) return false;
  }
  return true;
}

/** Rules for which some production is wholly of symbols that hold; `terminal` says whether a class does. */
export function holdingRules(grammar: Grammar, terminal: boolean): boolean[] {
  const holds = grammar.names.map(() => false);
  const waiting = grammar.names.map((): { rule: number; left: number }[] => []);
  const found: number[] = [];
  const orders = grammar.anyOrders.flatMap(({ rule, members, min }): Production[] => {
    const needed = members.flatMap((member) => (member.required ? member.symbol : []));
    if (!terminal) return min === 0 && needed.length === 0 ? [{ rule, symbols: [], endsFrom: 0 }] : [];
    // One that must come but is not said which may be any of them.
    if (needed.length > 0 || min === 0) return [{ rule, symbols: needed, endsFrom: needed.length }];
    return members.map(({ symbol }) => ({ rule, symbols: [symbol], endsFrom: 1 }));
  });
  for (const { rule, symbols, endsFrom } of [...grammar.productions, ...orders]) {
    const needed = symbols.slice(0, endsFrom);
    if (!terminal && needed.some((symbol) => symbol < 0)) continue;
    const rules = needed.filter((symbol) => symbol >= 0);
    if (rules.length === 0) found.push(rule);
    const entry = { rule, left: rules.length };
    for (const symbol of rules) waiting[symbol]?.push(entry);
  }
  for (let rule = found.pop(); rule !== undefined; rule = found.pop()) {
    if (holds[rule]) continue;
    holds[rule] = true;
    for (const entry of waiting[rule] ?? []) if (--entry.left === 0) found.push(entry.rule);
  }
  return holds;
}
