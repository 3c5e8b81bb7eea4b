/**
 * Pairs of an object in their order, each at most once, then any of the others. A comma and the key behind it
 * are one choice, so that what may follow is open in one place only.
 */
import { type Gbnf, repeated } from "./Gbnf.ts";

export interface Key {
  /** Rule of the pair. */
  readonly pair: string;
  readonly required: boolean;
}

export interface PairOptions {
  /** Between two pairs: a body of GBNF, "" for nothing. */
  readonly comma: string;
  readonly anyOrder: boolean;
}

/** The pairs of one object, from the last to the first. */
export class PairRules {
  readonly #gbnf: Gbnf;
  readonly #keys: readonly Key[];
  readonly #extra: string | null;
  readonly #min: number;
  readonly #max: number;
  readonly #counts: boolean;
  readonly #hint: string;
  readonly #comma: string;
  readonly #anyOrder: boolean;
  readonly #known = new Map<string, string | null>();

  constructor(
    gbnf: Gbnf,
    keys: readonly Key[],
    extra: string | null,
    counts: { readonly propertiesMin: number; readonly propertiesMax: number },
    hint: string,
    { comma, anyOrder }: PairOptions,
  ) {
    this.#gbnf = gbnf;
    this.#keys = keys;
    this.#extra = extra;
    this.#hint = hint;
    this.#comma = comma;
    this.#anyOrder = anyOrder;
    const requiredCount = keys.filter((key) => key.required).length;
    this.#min = Math.max(counts.propertiesMin, requiredCount);
    this.#max = Math.min(counts.propertiesMax, extra === null ? keys.length : Number.POSITIVE_INFINITY);
    this.#counts =
      this.#min > requiredCount || this.#max < (extra === null ? keys.length : Number.POSITIVE_INFINITY);
  }

  get mayBeEmpty(): boolean {
    return this.#min === 0;
  }

  /** One pair or more; "" where there are none to write, null where no object fits. */
  inner(): string | null {
    if (this.#min > this.#max) return null;
    if (this.#anyOrder) return this.#anyOrderBody();
    return this.#tail(0, 0) ?? (this.#min > 0 ? null : "");
  }

  /** One symbol of the walker's own: written out, every set of keys that were there would be a rule. */
  #anyOrderBody(): string {
    const members = this.#keys.map(({ pair, required }) => (required ? `${pair}!` : pair));
    if (this.#extra !== null) members.push(`${this.#extra}*`);
    if (members.length === 0 || this.#max === 0) return "";
    const comma = this.#comma === "" ? "" : this.#gbnf.rule("comma", this.#comma);
    const max = this.#counts && this.#max < Number.POSITIVE_INFINITY ? this.#max : "";
    return `&{${Math.max(1, this.#counts ? this.#min : 0)},${max}} ${comma} (${members.join(" ")})`;
  }

  /** At least one pair of those from `index` on; `count` pairs stand before it, where that matters. */
  #tail(index: number, count: number): string | null {
    if (count >= this.#max) return null;
    const name = `t${index} ${count}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const next = this.#counts ? count + 1 : 0;
    const key = this.#keys[index];
    const ways: string[] = [];
    if (key === undefined) {
      const rest = this.#extra === null ? null : this.#rest(index, next);
      if (rest !== null) ways.push(`${this.#extra} ${rest}`.trim());
    } else {
      const rest = this.#rest(index + 1, next);
      if (rest !== null) ways.push(`${key.pair} ${rest}`.trim());
      const later = key.required ? null : this.#tail(index + 1, count);
      if (later !== null) ways.push(later);
    }
    const rule = ways.length === 0 ? null : this.#gbnf.rule(`s-${this.#hint}-pairs`, ways.join(" | "));
    this.#known.set(name, rule);
    return rule;
  }

  /** What may follow a pair; "" for nothing, null where there is no right way on. */
  #rest(index: number, count: number): string | null {
    if (index === this.#keys.length) return this.#extras(count);
    const tail = this.#tail(index, count);
    const mustGoOn =
      this.#keys.slice(index).some((key) => key.required) || (this.#counts && count < this.#min);
    if (mustGoOn)
      return tail === null ? null : this.#gbnf.rule(`s-${this.#hint}-rest`, `${this.#comma} ${tail}`);
    return tail === null ? "" : this.#gbnf.rule(`s-${this.#hint}-rest`, `(${this.#comma} ${tail})?`);
  }

  #extras(count: number): string | null {
    const least = this.#counts ? Math.max(0, this.#min - count) : 0;
    const most = this.#counts ? this.#max - count : Number.POSITIVE_INFINITY;
    if (this.#extra === null || most <= 0) return least > 0 ? null : "";
    const more = this.#gbnf.rule(`s-${this.#hint}-more`, `${this.#comma} ${this.#extra}`);
    return repeated(this.#gbnf, more, least, most);
  }
}
