/** Reading what a filter, test or method was called with. */
import { wrong } from "./errors.ts";
import { str } from "./print.ts";
import { type Args, Markup, numberOf, plain, truth, typeName, type Value } from "./values.ts";

/** Values by parameter name, positional ones first. Undefined where not given. */
export class Params {
  readonly #what: string;
  readonly #values = new Map<string, Value>();

  constructor(what: string, given: Args, names: readonly string[]) {
    this.#what = what;
    if (given.positional.length > names.length) {
      throw wrong(`${what}() takes at most ${names.length} arguments (${given.positional.length} given)`);
    }
    for (const [i, value] of given.positional.entries()) this.#values.set(names[i] ?? "", plain(value));
    for (const [name, value] of given.named) {
      if (!names.includes(name)) throw wrong(`${what}() got an unexpected keyword argument '${name}'`);
      if (this.#values.has(name)) throw wrong(`${what}() got multiple values for argument '${name}'`);
      this.#values.set(name, plain(value));
    }
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  /** `otherwise` where the parameter was not given; None is a value. */
  or(name: string, otherwise: Value): Value {
    const value = this.#values.get(name);
    return value === undefined ? otherwise : value;
  }

  required(name: string): Value {
    const value = this.#values.get(name);
    if (value === undefined) throw wrong(`${this.#what}() missing required argument '${name}'`);
    return value;
  }

  flag(name: string): boolean {
    return truth(this.#values.get(name) ?? false);
  }

  /** A text, or null for none and None. */
  text(name: string): string | null {
    const value = this.#values.get(name) ?? null;
    if (value !== null && typeof value !== "string") {
      throw wrong(`${this.#what}() argument '${name}' must be str, not ${typeName(value)}`);
    }
    return value;
  }

  requiredText(name: string): string {
    const value = this.required(name);
    if (typeof value !== "string") {
      throw wrong(`${this.#what}() argument '${name}' must be str, not ${typeName(value)}`);
    }
    return value;
  }

  int(name: string, otherwise: number): number {
    const value = this.#values.get(name);
    return value === undefined || value === null ? otherwise : wholeNumber(value, this.#what);
  }

  /** `otherwise` too where the value is None. */
  orElse(name: string, otherwise: string): string {
    const value = this.#values.get(name);
    return value === undefined ? otherwise : str(value);
  }
}

/** An int that fits an index or a count. */
export function wholeNumber(value: Value, what: string): number {
  const number = numberOf(value);
  if (typeof number === "number" || typeof number === "bigint") return Number(number);
  throw wrong(`${what}: '${typeName(value)}' object cannot be interpreted as an integer`);
}

/** A filter's text: whatever it is, as text. */
export function soft(value: Value): string {
  return value instanceof Markup ? value.text : str(value);
}
