/** Random texts of a grammar, made by writing its rules out; short ones where rules go round in circles. */
import type { Grammar, Production } from "../../../ffi/grammar/Grammar.ts";
import { matchesClass } from "../../../ffi/grammar/Grammar.ts";
import { parseGrammar } from "../../../ffi/grammar/parseGrammar.ts";
import type { Prng } from "../tinyModels/Prng.ts";

/** Characters that texts are made of where a class allows them. */
const COMMON = Array.from('aabcdeeiou xyzABZ0123456789-_.,:/@é漢😀"\\\n', (char) => char.codePointAt(0) ?? 0);
const BUDGET = 400;

export class GrammarSampler {
  readonly #grammar: Grammar;
  readonly #random: Prng;
  readonly #productions: Production[][];
  /** Characters of a rule's shortest text. */
  readonly #least: number[];
  #left = 0;

  constructor(text: string, random: Prng) {
    this.#grammar = parseGrammar(text);
    this.#random = random;
    this.#productions = this.#grammar.names.map((_, rule) =>
      this.#grammar.productions.filter((production) => production.rule === rule),
    );
    this.#least = this.#grammar.names.map(() => Number.POSITIVE_INFINITY);
    for (let changed = true; changed; ) {
      changed = false;
      for (const production of this.#grammar.productions) {
        const least = this.#cost(production);
        if (least >= (this.#least[production.rule] ?? 0)) continue;
        this.#least[production.rule] = least;
        changed = true;
      }
    }
  }

  sample(): string {
    this.#left = BUDGET;
    return this.#rule(this.#grammar.root);
  }

  #below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  /** One more than the symbols' own: of two ways to write nothing the shorter one ends. */
  #cost({ symbols, endsFrom }: Production): number {
    return symbols
      .slice(0, endsFrom)
      .reduce((sum, symbol) => sum + (symbol < 0 ? 1 : (this.#least[symbol] ?? 0)), 0.01);
  }

  #rule(rule: number): string {
    // Written out with a stack of its own: rules nest as deeply as texts are long.
    const todo = [rule];
    let out = "";
    for (let symbol = todo.pop(); symbol !== undefined; symbol = todo.pop()) {
      if (symbol < 0) {
        out += this.#character(-symbol - 1);
        this.#left -= 1;
        continue;
      }
      todo.push(...this.#choice(symbol).toReversed());
    }
    return out;
  }

  #choice(rule: number): readonly number[] {
    const all = this.#productions[rule] ?? [];
    this.#left -= 0.2;
    const costs = all.map((production) => this.#cost(production));
    const least = Math.min(...costs);
    const open = all.filter((_, index) => {
      const cost = costs[index] ?? 0;
      return cost === least || (this.#left > 0 && cost < this.#left);
    });
    const production = open[this.#below(open.length)];
    if (production === undefined) return [];
    const { symbols, endsFrom } = production;
    const more = this.#left > 0 ? this.#below(Math.min(symbols.length - endsFrom, 12) + 1) : 0;
    return symbols.slice(0, endsFrom + more);
  }

  #character(index: number): string {
    const one = this.#grammar.classes[index];
    if (one === undefined) return "";
    if (!one.negated && one.ranges.length === 2 && one.ranges[0] === one.ranges[1]) {
      return String.fromCodePoint(one.ranges[0] ?? 0);
    }
    for (let tries = 0; tries < 20; tries += 1) {
      const code = COMMON[this.#below(COMMON.length)] ?? 0;
      if (matchesClass(one, code)) return String.fromCodePoint(code);
    }
    if (one.negated) {
      for (let code = 0x21; ; code += 1) if (matchesClass(one, code)) return String.fromCodePoint(code);
    }
    const pair = 2 * this.#below(one.ranges.length / 2);
    const [low = 0, high = 0] = [one.ranges[pair], one.ranges[pair + 1]];
    const code = low + this.#below(Math.min(high - low + 1, 1 << 20));
    return String.fromCodePoint(code >= 0xd800 && code < 0xe000 ? low : code);
  }
}
