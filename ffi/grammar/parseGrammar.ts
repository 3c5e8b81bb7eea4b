/**
 * Reads GBNF, the notation that llama.cpp takes, less its token references. What does not parse is refused
 * with its line; what would be too large to walk, too.
 */
import {
  type AnyOrder,
  type CharacterClass,
  type Grammar,
  type GrammarSymbol,
  holdingRules,
  type Production,
} from "./Grammar.ts";

export class GrammarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GrammarError";
  }
}

/** Characters of grammar text. */
export const GRAMMAR_CHARS_MAX = 512 * 1024;
/** Parentheses inside one another. */
const NESTING_MAX = 100;
/** Symbols of all productions, repetitions written out. */
const SYMBOLS_MAX = 200_000;
/** As llama.cpp: a larger maximum is none, a larger minimum an error. */
const REPETITION_MAX = 2000;
const CODE_POINT_MAX = 0x10ffff;

const WORD = /[a-zA-Z0-9-]/;
const DIGIT = /[0-9]/;
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const ESCAPES: Readonly<Record<string, string>> = { t: "\t", r: "\r", n: "\n" };
const ESCAPED = '\\"[]-';
const QUANTIFIERS: Readonly<Record<string, readonly [number, number]>> = {
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
  "?": [0, 1],
};

/** @throws GrammarError in a sentence. */
export function parseGrammar(text: string): Grammar {
  if (text.length > GRAMMAR_CHARS_MAX) {
    throw new GrammarError(`The grammar has ${text.length} characters, more than ${GRAMMAR_CHARS_MAX}.`);
  }
  const grammar = new GrammarReader(text).read();
  if (!holdingRules(grammar, true)[grammar.root]) {
    throw new GrammarError('The grammar\'s rule "root" can never match anything.');
  }
  return grammar;
}

/** The sequence being read, and where its last item starts: what `*` and its kin apply to. */
interface Sequence {
  readonly symbols: GrammarSymbol[];
  itemStart: number;
}

class GrammarReader {
  readonly #text: string;
  #at = 0;
  #symbols = 0;
  readonly #names: string[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #defined = new Map<number, Production[]>();
  readonly #classes: CharacterClass[] = [];
  readonly #anyOrders: AnyOrder[] = [];
  readonly #singles = new Map<number, GrammarSymbol>();

  constructor(text: string) {
    this.#text = text;
  }

  read(): Grammar {
    this.#space(true);
    while (this.#at < this.#text.length) this.#rule();
    if (this.#names.length === 0) throw new GrammarError("The grammar is empty.");
    const missing = this.#names.findIndex((_, index) => !this.#defined.has(index));
    if (missing >= 0) {
      throw new GrammarError(`The grammar uses the rule "${this.#names[missing]}" but does not define it.`);
    }
    const root = this.#indexes.get("root");
    if (root === undefined) throw new GrammarError('The grammar has no rule "root".');
    const productions = [...this.#defined.values()].flat();
    return { root, names: this.#names, classes: this.#classes, productions, anyOrders: this.#anyOrders };
  }

  #fail(what: string): never {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    const near = this.#text.slice(this.#at, this.#at + 20).split("\n")[0];
    const place = near ? ` at ${JSON.stringify(near)}` : "";
    throw new GrammarError(`The grammar does not parse: ${what} on line ${line}${place}.`);
  }

  #peek(offset = 0): string {
    return this.#text[this.#at + offset] ?? "";
  }

  #space(newlines: boolean): void {
    for (;;) {
      const c = this.#peek();
      if (c === "#") {
        while (this.#at < this.#text.length && this.#peek() !== "\r" && this.#peek() !== "\n") this.#at++;
      } else if (c === " " || c === "\t" || (newlines && (c === "\r" || c === "\n"))) {
        this.#at++;
      } else {
        return;
      }
    }
  }

  #name(): string {
    const start = this.#at;
    while (WORD.test(this.#peek())) this.#at++;
    if (this.#at === start) this.#fail("expected a rule's name");
    return this.#text.slice(start, this.#at);
  }

  #named(name: string): number {
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    this.#indexes.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }

  /** Defines a rule, again if need be: the last definition holds. */
  #define(rule: number, productions: readonly Omit<Production, "rule">[]): void {
    for (const { symbols } of productions) this.#symbols += symbols.length + 1;
    if (this.#symbols > SYMBOLS_MAX) this.#fail("with its repetitions written out it is too large");
    this.#defined.set(
      rule,
      productions.map((production) => ({ rule, ...production })),
    );
  }

  #synthesise(name: string, productions: readonly Omit<Production, "rule">[]): GrammarSymbol {
    const rule = this.#names.push(name) - 1;
    this.#define(rule, productions);
    return rule;
  }

  #rule(): void {
    const name = this.#name();
    this.#space(false);
    const rule = this.#named(name);
    if (!this.#text.startsWith("::=", this.#at)) this.#fail("expected ::=");
    this.#at += 3;
    this.#space(true);
    this.#define(rule, this.#alternates(name, 0));
    if (this.#peek() === "\r") this.#at += this.#peek(1) === "\n" ? 2 : 1;
    else if (this.#peek() === "\n") this.#at++;
    else if (this.#at < this.#text.length) this.#fail("expected the rule's end");
    this.#space(true);
  }

  #alternates(name: string, depth: number): Omit<Production, "rule">[] {
    if (depth > NESTING_MAX) this.#fail(`more than ${NESTING_MAX} parentheses inside one another`);
    const out = [whole(this.#sequence(name, depth))];
    while (this.#peek() === "|") {
      this.#at++;
      this.#space(true);
      out.push(whole(this.#sequence(name, depth)));
    }
    return out;
  }

  #sequence(name: string, depth: number): GrammarSymbol[] {
    const sequence: Sequence = { symbols: [], itemStart: 0 };
    while (this.#at < this.#text.length && this.#item(sequence, name, depth)) this.#space(depth > 0);
    return sequence.symbols;
  }

  /** One item or quantifier; false where the sequence ends. */
  #item(sequence: Sequence, name: string, depth: number): boolean {
    const c = this.#peek();
    const quantifier = QUANTIFIERS[c];
    if (quantifier || c === "{") {
      if (quantifier) this.#at++;
      const [min, max] = quantifier ?? this.#braces(depth);
      this.#repeat(sequence, name, min, max);
      return true;
    }
    const start = sequence.symbols.length;
    if (c === '"') sequence.symbols.push(...this.#literal());
    else if (c === "[") sequence.symbols.push(...this.#class());
    else if (c === "(") sequence.symbols.push(this.#group(name, depth));
    else if (c === "&") sequence.symbols.push(this.#anyOrder(name, depth));
    else if (c === "<" || c === "!") this.#fail("token references (<…>) are not supported");
    else if (WORD.test(c)) sequence.symbols.push(this.#named(this.#name()));
    else if (c === ".") {
      this.#at++;
      sequence.symbols.push(this.#classSymbol({ negated: true, ranges: [] }));
    } else return false;
    sequence.itemStart = start;
    return true;
  }

  #group(name: string, depth: number): GrammarSymbol {
    this.#at++;
    this.#space(true);
    const alternates = this.#alternates(name, depth + 1);
    if (this.#peek() !== ")") this.#fail("expected )");
    this.#at++;
    return this.#synthesise(name, alternates);
  }

  /** `&{min,max} comma (a b! c*)`: names of rules alone. */
  #anyOrder(name: string, depth: number): GrammarSymbol {
    this.#at++;
    if (this.#peek() !== "{") this.#fail("expected {");
    const [min, max] = this.#braces(depth);
    this.#space(depth > 0);
    const comma = WORD.test(this.#peek()) ? this.#named(this.#name()) : null;
    this.#space(depth > 0);
    if (this.#peek() !== "(") this.#fail("expected (");
    this.#at++;
    this.#space(true);
    const members: { symbol: GrammarSymbol; required: boolean; repeats: boolean }[] = [];
    while (this.#peek() !== ")") {
      const symbol = this.#named(this.#name());
      const mark = this.#peek();
      if (mark === "!" || mark === "*") this.#at++;
      members.push({ symbol, required: mark === "!", repeats: mark === "*" });
      this.#space(true);
    }
    this.#at++;
    this.#symbols += members.length;
    if (this.#symbols > SYMBOLS_MAX) this.#fail("with its repetitions written out it is too large");
    if (members.length === 0) this.#fail("nothing to put in order");
    const rule = this.#synthesise(name, []);
    this.#anyOrders.push({ rule, comma, members, min, max });
    return rule;
  }

  #literal(): GrammarSymbol[] {
    this.#at++;
    const out: GrammarSymbol[] = [];
    while (this.#peek() !== '"') {
      const codePoint = this.#character();
      const known = this.#singles.get(codePoint);
      const symbol = known ?? this.#classSymbol({ negated: false, ranges: [codePoint, codePoint] });
      if (known === undefined) this.#singles.set(codePoint, symbol);
      out.push(symbol);
    }
    this.#at++;
    return out;
  }

  /** One symbol; none for `[]`, as llama.cpp reads it. */
  #class(): GrammarSymbol[] {
    this.#at++;
    const negated = this.#peek() === "^";
    if (negated) this.#at++;
    const ranges: number[] = [];
    while (this.#peek() !== "]") {
      const low = this.#character();
      let high = low;
      if (this.#peek() === "-" && this.#peek(1) !== "]") {
        this.#at++;
        high = this.#character();
        if (high < low) this.#fail("a range that runs backwards");
      }
      ranges.push(low, high);
    }
    this.#at++;
    return ranges.length === 0 ? [] : [this.#classSymbol({ negated, ranges })];
  }

  #classSymbol(one: CharacterClass): GrammarSymbol {
    return -this.#classes.push(one);
  }

  #character(): number {
    const c = this.#text.codePointAt(this.#at);
    if (c === undefined) this.#fail("unexpected end");
    if (c !== 0x5c) {
      this.#at += c > 0xffff ? 2 : 1;
      return c;
    }
    const kind = this.#peek(1);
    const digits = HEX[kind];
    if (digits === undefined) {
      if (kind === "" || !(kind in ESCAPES || ESCAPED.includes(kind))) this.#fail("unknown escape");
      this.#at += 2;
      return (ESCAPES[kind] ?? kind).charCodeAt(0);
    }
    const hex = this.#text.slice(this.#at + 2, this.#at + 2 + digits);
    if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) this.#fail(`expected ${digits} hex digits`);
    const codePoint = Number.parseInt(hex, 16);
    if (codePoint > CODE_POINT_MAX) this.#fail("a character that Unicode does not have");
    this.#at += 2 + digits;
    return codePoint;
  }

  #braces(depth: number): readonly [number, number] {
    this.#at++;
    this.#space(depth > 0);
    const min = this.#integer();
    this.#space(depth > 0);
    let max = min;
    if (this.#peek() === ",") {
      this.#at++;
      this.#space(depth > 0);
      max = DIGIT.test(this.#peek()) ? this.#integer() : Number.POSITIVE_INFINITY;
      this.#space(depth > 0);
    }
    if (this.#peek() !== "}") this.#fail("expected }");
    this.#at++;
    if (min > REPETITION_MAX) this.#fail(`a repetition of more than ${REPETITION_MAX}`);
    if (max < min) this.#fail("a repetition whose maximum is below its minimum");
    return [min, max > REPETITION_MAX ? Number.POSITIVE_INFINITY : max];
  }

  #integer(): number {
    const start = this.#at;
    while (DIGIT.test(this.#peek())) this.#at++;
    if (this.#at === start) this.#fail("expected a number");
    if (this.#at - start > 9) this.#fail("a number that is too large");
    return Number(this.#text.slice(start, this.#at));
  }

  /** S{m,n} is one production of n times S that may end from m on; S{m,} ends in `more ::= more S | `. */
  #repeat(sequence: Sequence, name: string, min: number, max: number): void {
    const item = sequence.symbols.splice(sequence.itemStart);
    const [first] = item;
    if (first === undefined) this.#fail("nothing to repeat before a quantifier");
    if (max === 0) return;
    const one = item.length === 1 ? first : this.#synthesise(name, [whole(item)]);
    const finite = Number.isFinite(max);
    const symbols = new Array<GrammarSymbol>(finite ? max : min).fill(one);
    if (!finite) {
      const more = this.#names.push(name) - 1;
      this.#define(more, [whole([more, one]), whole([])]);
      symbols.push(more);
    }
    sequence.symbols.push(this.#synthesise(name, [{ symbols, endsFrom: finite ? min : symbols.length }]));
  }
}

function whole(symbols: readonly GrammarSymbol[]): Omit<Production, "rule"> {
  return { symbols, endsFrom: symbols.length };
}
