/**
 * Reads GBNF as llama.cpp v0.4.0 does, into bare rules: which symbols may follow which. It accepts nothing
 * that llama.cpp refuses, and refuses what llama.cpp would parse without end or print to the log.
 */

/** A symbol of a sequence: a character of any kind, or a rule by its index. */
export type GrammarSymbol = "char" | number;

export interface GrammarRule {
  readonly name: string;
  /** null while only referred to. */
  alternates: GrammarSymbol[][] | null;
}

export interface ParsedGrammar {
  readonly rules: readonly GrammarRule[];
  /** Index of a named rule. */
  readonly names: ReadonlyMap<string, number>;
}

export class GrammarSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GrammarSyntaxError";
  }
}

/** Characters of grammar text. */
export const GRAMMAR_CHARS_MAX = 512 * 1024;
/** Parentheses inside one another: llama.cpp recurses on the C stack. */
const NESTING_MAX = 100;
/** Symbols that llama.cpp would hold after it has written repetitions out; 8 bytes each. */
const ELEMENTS_MAX = 1_000_000;
/** llama.cpp's own limit on the rules that one repetition may make. */
const REPETITION_MAX = 2000;

const WORD = /[a-zA-Z0-9-]/;
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const ESCAPES = 'trn\\"[]-';

export function parseGrammar(text: string): ParsedGrammar {
  if (text.length > GRAMMAR_CHARS_MAX) {
    throw new GrammarSyntaxError(`it has ${text.length} characters, more than ${GRAMMAR_CHARS_MAX}`);
  }
  if (text.includes("\0")) throw new GrammarSyntaxError("it holds a NUL character");
  return new GrammarReader(text).read();
}

/** The sequence being read, and where its last item starts: what `*` and its kin apply to. */
interface Sequence {
  symbols: GrammarSymbol[];
  itemStart: number;
  /** Rules that a repetition of the last item would multiply. */
  itemRules: number;
  /** Symbols that llama.cpp holds for the last item. */
  itemElements: number;
}

class GrammarReader {
  readonly #text: string;
  #at = 0;
  #elements = 0;
  /** As llama.cpp counts them: names, and one for each group and each written-out optional repetition. */
  #symbols = 0;
  readonly #rules: GrammarRule[] = [];
  readonly #names = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  read(): ParsedGrammar {
    this.#space(true);
    while (this.#at < this.#text.length) this.#rule();
    return { rules: this.#rules, names: this.#names };
  }

  #fail(what: string): never {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    const near = this.#text.slice(this.#at, this.#at + 20).split("\n")[0];
    throw new GrammarSyntaxError(`${what} on line ${line}${near ? ` at ${JSON.stringify(near)}` : ""}`);
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
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#symbols++;
    this.#names.set(name, this.#rules.length);
    return this.#rules.push({ name, alternates: null }) - 1;
  }

  #rule(): void {
    const name = this.#name();
    this.#space(false);
    const index = this.#named(name);
    if (!this.#text.startsWith("::=", this.#at)) this.#fail("expected ::=");
    this.#at += 3;
    this.#space(true);
    const alternates = this.#alternates(name, 0);
    const rule = this.#rules[index];
    if (rule) rule.alternates = alternates;
    if (this.#peek() === "\r") this.#at += this.#peek(1) === "\n" ? 2 : 1;
    else if (this.#peek() === "\n") this.#at++;
    else if (this.#at < this.#text.length) this.#fail("expected the rule's end");
    this.#space(true);
  }

  #alternates(name: string, depth: number): GrammarSymbol[][] {
    if (depth > NESTING_MAX) this.#fail(`more than ${NESTING_MAX} parentheses inside one another`);
    const out = [this.#sequence(name, depth)];
    while (this.#peek() === "|") {
      this.#at++;
      this.#space(true);
      out.push(this.#sequence(name, depth));
    }
    this.#count(out.length);
    return out;
  }

  #count(elements: number): void {
    this.#elements += elements;
    if (this.#elements > ELEMENTS_MAX) this.#fail("with its repetitions written out it is too large");
  }

  #sequence(name: string, depth: number): GrammarSymbol[] {
    const sequence: Sequence = { symbols: [], itemStart: 0, itemRules: 1, itemElements: 0 };
    while (this.#at < this.#text.length && this.#item(sequence, name, depth)) this.#space(depth > 0);
    return sequence.symbols;
  }

  /** One item or quantifier; false where the sequence ends. */
  #item(sequence: Sequence, name: string, depth: number): boolean {
    const c = this.#peek();
    if (c === '"') this.#characters(sequence, '"');
    else if (c === "[") this.#characters(sequence, "]");
    else if (c === ".") {
      this.#at++;
      this.#start(sequence, ["char"]);
    } else if (c === "<" || c === "!") this.#fail("token references (<…>) are not supported");
    else if (WORD.test(c)) this.#start(sequence, [this.#named(this.#name())]);
    else if (c === "(") this.#group(sequence, name, depth);
    else return this.#quantifier(sequence, name, depth);
    return true;
  }

  #start(
    sequence: Sequence,
    symbols: readonly GrammarSymbol[],
    { rules = 1, elements = symbols.length }: { rules?: number; elements?: number } = {},
  ): void {
    sequence.itemStart = sequence.symbols.length;
    sequence.itemRules = rules;
    sequence.itemElements = elements;
    sequence.symbols.push(...symbols);
    this.#count(elements);
  }

  #group(sequence: Sequence, name: string, depth: number): void {
    this.#at++;
    this.#space(true);
    const before = this.#symbols++;
    const index = this.#rules.push({ name, alternates: null }) - 1;
    const alternates = this.#alternates(name, depth + 1);
    const rule = this.#rules[index];
    if (rule) rule.alternates = alternates;
    if (this.#peek() !== ")") this.#fail("expected )");
    this.#at++;
    this.#start(sequence, [index], { rules: Math.max(1, this.#symbols - before) });
  }

  /** A literal or a class of any size. Two symbols stand for many: only what may come first is asked later. */
  #characters(sequence: Sequence, close: string): void {
    this.#at++;
    const isClass = close === "]";
    if (isClass && this.#peek() === "^") this.#at++;
    let elements = 0;
    while (this.#peek() !== close) {
      this.#character();
      elements++;
      if (isClass && this.#peek() === "-" && this.#peek(1) !== "]") {
        this.#at++;
        this.#character();
        elements++;
      }
    }
    this.#at++;
    const symbols = new Array<GrammarSymbol>(Math.min(elements, isClass ? 1 : 2)).fill("char");
    this.#start(sequence, symbols, { elements });
  }

  #character(): void {
    const c = this.#peek();
    if (c === "") this.#fail("unexpected end");
    if (c !== "\\") {
      this.#at += c >= "\ud800" && c <= "\udbff" ? 2 : 1;
      return;
    }
    const kind = this.#peek(1);
    const digits = HEX[kind];
    if (digits === undefined) {
      if (kind === "" || !ESCAPES.includes(kind)) this.#fail("unknown escape");
      this.#at += 2;
      return;
    }
    const hex = this.#text.slice(this.#at + 2, this.#at + 2 + digits);
    if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) this.#fail(`expected ${digits} hex digits`);
    this.#at += 2 + digits;
  }

  #quantifier(sequence: Sequence, name: string, depth: number): boolean {
    const c = this.#peek();
    const simple: Readonly<Record<string, readonly [number, number]>> = {
      "*": [0, Number.POSITIVE_INFINITY],
      "+": [1, Number.POSITIVE_INFINITY],
      "?": [0, 1],
    };
    const range = simple[c];
    if (range) this.#at++;
    else if (c !== "{") return false;
    const [min, max] = range ?? this.#braces(depth);
    this.#repeat(sequence, name, min, max);
    return true;
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
      max = /[0-9]/.test(this.#peek()) ? this.#integer() : Number.POSITIVE_INFINITY;
      this.#space(depth > 0);
    }
    if (this.#peek() !== "}") this.#fail("expected }");
    this.#at++;
    if (min > REPETITION_MAX) this.#fail(`a repetition of more than ${REPETITION_MAX}`);
    /* llama.cpp would count from the larger down to the smaller, without end. */
    if (max < min) this.#fail("a repetition whose maximum is below its minimum");
    return [min, max > REPETITION_MAX ? Number.POSITIVE_INFINITY : max];
  }

  #integer(): number {
    const start = this.#at;
    while (/[0-9]/.test(this.#peek())) this.#at++;
    if (this.#at === start) this.#fail("expected a number");
    if (this.#at - start > 9) this.#fail("a number that is too large");
    return Number(this.#text.slice(start, this.#at));
  }

  /** S{m,n} is m times S and then a rule that may add the rest; two copies of S stand for any number. */
  #repeat(sequence: Sequence, name: string, min: number, max: number): void {
    const item = sequence.symbols.slice(sequence.itemStart);
    if (item.length === 0) this.#fail("nothing to repeat before a quantifier");
    const total = Number.isFinite(max) && max > 0 ? max : Math.max(min, 1);
    if (sequence.itemRules * total >= REPETITION_MAX)
      this.#fail("repetitions inside one another are too many");
    const optional = Number.isFinite(max) ? max - min : 1;
    const elements = sequence.itemElements;
    this.#count(elements * Math.max(0, min - 1) + optional * (elements + 3));
    sequence.itemElements = elements * min + Math.min(optional, 1);
    sequence.symbols.length = sequence.itemStart;
    for (let copy = 0; copy < Math.min(min, 2); copy++) sequence.symbols.push(...item);
    if (optional > 0) {
      const index = this.#rules.length;
      this.#symbols += optional;
      const more = optional === 1 && Number.isFinite(max) ? item : [...item, index];
      this.#rules.push({ name, alternates: [more, []] });
      sequence.symbols.push(index);
    }
    sequence.itemRules *= total;
  }
}
