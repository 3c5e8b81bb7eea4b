/** The value of an arithmetic expression, as far as a pocket calculator goes. */

/** At most two places behind the point. Throws an Error that says what is wrong. */
export function calculate(expression: string): number {
  if (expression.length > CHARS_MAX) throw new Error(`at most ${CHARS_MAX} characters`);
  const reader = new SumReader(expression);
  const value = Math.round(reader.sum() * 100) / 100;
  reader.end();
  if (!Number.isFinite(value)) throw new Error("no number comes of this");
  return value;
}

/** Brackets are read by recursion. */
const CHARS_MAX = 1000;

const TOKEN = /\s*(\d+(?:\.\d+)?|\.\d+|[-+*/%^()])/y;

class SumReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    const tokens: string[] = [];
    TOKEN.lastIndex = 0;
    for (;;) {
      const from = TOKEN.lastIndex;
      const token = TOKEN.exec(text)?.[1];
      if (token !== undefined) tokens.push(token);
      else if (text.slice(from).trim() === "") break;
      else throw new Error(`not understood: ${text.slice(from).trim().slice(0, 20)}`);
    }
    this.#tokens = tokens;
  }

  end(): void {
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new Error(`not understood: ${rest}`);
  }

  sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#take("+")) value += this.#product();
      else if (this.#take("-")) value -= this.#product();
      else return value;
    }
  }

  #product(): number {
    let value = this.#signed();
    for (;;) {
      if (this.#take("*")) value *= this.#signed();
      else if (this.#take("/")) value /= this.#signed();
      else if (this.#take("%")) value %= this.#signed();
      else return value;
    }
  }

  #signed(): number {
    if (this.#take("-")) return -this.#signed();
    this.#take("+");
    return this.#power();
  }

  #power(): number {
    const base = this.#single();
    return this.#take("^") ? base ** this.#signed() : base;
  }

  #single(): number {
    if (this.#take("(")) {
      const value = this.sum();
      if (!this.#take(")")) throw new Error("a bracket is not closed");
      return value;
    }
    const token = this.#tokens[this.#at] ?? "";
    if (!/^[\d.]/.test(token)) throw new Error("a number is missing");
    this.#at += 1;
    return Number(token);
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }
}
