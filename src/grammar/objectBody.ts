/**
 * Objects: named keys in their order, each at most once, then other keys. A comma and the key behind it are one
 * choice, so that what may follow is open in one place only.
 */
import { ANY_TEXT, accepts, both, type Dfa, DfaTooLarge, isEmpty, noneOf, oneOf } from "./Dfa.ts";
import { dfaRule, type Gbnf, literal, repeated } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import { PatternError } from "./parsePattern.ts";
import { patternDfa } from "./patternDfa.ts";
import { SchemaError } from "./SchemaError.ts";
import type { SchemaRoot } from "./SchemaRoot.ts";
import { type ObjectClause, type Part, type Parts, type Shape, shapeOf } from "./Shape.ts";
import { textDfa } from "./textBody.ts";

/** Patterns of keys that may overlap: each set of them is a case of its own. */
const PATTERNS_MAX = 5;
/** Optional keys in one object: llama.cpp opens them one inside the other. */
const OPTIONAL_MAX = 300;

interface Compiler {
  readonly gbnf: Gbnf;
  readonly root: SchemaRoot;
  rule(parts: Parts, hint: string): string | null;
}

interface Key {
  /** Rule of the pair. */
  readonly pair: string;
  readonly required: boolean;
}

/** Null where no object fits. */
export function objectBody(compiler: Compiler, shape: Shape, hint: string, path: string): string | null {
  const keyDfas = keyPatterns(shape);
  const names = namesDfa(compiler, shape);
  const known = new Set([
    ...shape.objects.flatMap(({ properties }) => [...properties.keys()]),
    ...shape.required,
  ]);
  const keys: Key[] = [];
  for (const name of known) {
    const required = shape.required.has(name);
    const value = accepts(names, name)
      ? compiler.rule(partsOfKey(shape.objects, name, keyDfas), hintOf(name, hint))
      : null;
    if (value !== null) {
      const body = `${literal(`${JSON.stringify(name)}:`)} ${jsonRule(compiler.gbnf, "ws")} ${value}`;
      keys.push({ pair: compiler.gbnf.rule(`s-${hintOf(name, hint)}-pair`, body), required });
    } else if (required) return null;
  }
  if (keys.filter((key) => !key.required).length > OPTIONAL_MAX) {
    throw new SchemaError("properties", `${path}/properties`, `has more than ${OPTIONAL_MAX} optional keys`);
  }
  const extra = extraPair(compiler, shape, [...known], names, keyDfas, hint, path);
  return new PairRules(compiler.gbnf, keys, extra, shape, hint).body();
}

function hintOf(name: string, hint: string): string {
  return name.replace(/[^a-zA-Z0-9]/g, "").slice(0, 24) || hint;
}

type KeyPatterns = ReadonlyMap<string, Dfa>;

function keyPatterns({ objects }: Shape): KeyPatterns {
  const out = new Map<string, Dfa>();
  for (const { patterns, at } of objects) {
    for (const { pattern } of patterns) {
      if (!out.has(pattern))
        out.set(
          pattern,
          keyDfa(`${at}/patternProperties`, () => patternDfa(pattern)),
        );
    }
  }
  return out;
}

function keyDfa(path: string, make: () => Dfa): Dfa {
  try {
    return make();
  } catch (error) {
    if (error instanceof PatternError || error instanceof DfaTooLarge) {
      throw new SchemaError("patternProperties", path, error.message);
    }
    throw error;
  }
}

function namesDfa({ root }: Compiler, { names }: Shape): Dfa {
  let dfa = ANY_TEXT;
  for (const part of names) {
    const shape = shapeOf([part], root);
    if (shape.choices.length > 0) {
      throw new SchemaError("propertyNames", part.path, "has choices, which keys cannot be held to");
    }
    const isText = !shape.never && (shape.types === null || shape.types.has("string"));
    const texts = (shape.values ?? []).filter((value) => typeof value === "string");
    if (!isText) dfa = oneOf([]);
    else if (shape.values !== null) dfa = both(dfa, oneOf(texts));
    dfa = both(dfa, textDfa(shape));
  }
  return dfa;
}

function partsOfKey(clauses: readonly ObjectClause[], name: string, dfas: KeyPatterns): Part[] {
  return clauses.flatMap(({ properties, patterns, additional }) => {
    const own = properties.get(name);
    const matching = patterns.filter(({ pattern }) => accepts(dfas.get(pattern) ?? ANY_TEXT, name));
    const parts = [...(own === undefined ? [] : [own]), ...matching.map(({ part }) => part)];
    if (parts.length > 0) return parts;
    return additional ?? [];
  });
}

/** The rule of a pair with any other key; null where there are none. */
function extraPair(
  compiler: Compiler,
  { objects }: Shape,
  known: readonly string[],
  names: Dfa,
  dfas: KeyPatterns,
  hint: string,
  path: string,
): string | null {
  const patterns = [...dfas.keys()];
  if (patterns.length > PATTERNS_MAX) {
    throw new SchemaError("patternProperties", `${path}/patternProperties`, "has too many patterns");
  }
  // Keys that no schema speaks of are allowed where one says so, or none speaks of keys at all.
  const saysMore = objects.some(({ additional }) => additional !== null);
  const isOpen =
    saysMore || (objects.every(({ properties }) => properties.size === 0) && patterns.length === 0);
  const pairs: string[] = [];
  const unknown = known.length === 0 ? names : both(names, noneOf(oneOf(known)));
  for (let set = 0; set < 2 ** patterns.length; set += 1) {
    if (set === 0 && !isOpen) continue;
    const wanted = patterns.filter((_, index) => (set >> index) & 1);
    const parts = objects.flatMap((clause) => {
      const matching = clause.patterns
        .filter(({ pattern }) => wanted.includes(pattern))
        .map(({ part }) => part);
      return matching.length > 0 ? matching : (clause.additional ?? []);
    });
    const key = keyDfa(`${path}/patternProperties`, () =>
      patterns.reduce((dfa, pattern, index) => {
        const one = dfas.get(pattern) ?? ANY_TEXT;
        return both(dfa, (set >> index) & 1 ? one : noneOf(one));
      }, unknown),
    );
    if (isEmpty(key)) continue;
    const value = compiler.rule(parts, `${hint}-value`);
    if (value === null) continue;
    const keyRule =
      key === ANY_TEXT
        ? jsonRule(compiler.gbnf, "string")
        : dfaRule(compiler.gbnf, `s-${hint}-key`, key, "json");
    pairs.push(
      compiler.gbnf.rule(`s-${hint}-pair`, `${keyRule} ":" ${jsonRule(compiler.gbnf, "ws")} ${value}`),
    );
  }
  return pairs.length === 0 ? null : compiler.gbnf.rule(`s-${hint}-extra`, pairs.join(" | "));
}

/** The pairs of one object, from the last to the first. */
class PairRules {
  readonly #gbnf: Gbnf;
  readonly #keys: readonly Key[];
  readonly #extra: string | null;
  readonly #min: number;
  readonly #max: number;
  readonly #counts: boolean;
  readonly #hint: string;
  readonly #known = new Map<string, string | null>();

  constructor(gbnf: Gbnf, keys: readonly Key[], extra: string | null, shape: Shape, hint: string) {
    this.#gbnf = gbnf;
    this.#keys = keys;
    this.#extra = extra;
    this.#hint = hint;
    const requiredCount = keys.filter((key) => key.required).length;
    this.#min = Math.max(shape.propertiesMin, requiredCount);
    this.#max = Math.min(shape.propertiesMax, extra === null ? keys.length : Number.POSITIVE_INFINITY);
    this.#counts =
      this.#min > requiredCount || this.#max < (extra === null ? keys.length : Number.POSITIVE_INFINITY);
  }

  body(): string | null {
    if (this.#min > this.#max) return null;
    const ws = jsonRule(this.#gbnf, "ws");
    const pairs = this.#tail(0, 0);
    if (pairs === null) return this.#min > 0 ? null : `"{" ${ws} "}"`;
    return this.#min > 0 ? `"{" ${ws} ${pairs} ${ws} "}"` : `"{" ${ws} (${pairs} ${ws})? "}"`;
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
    if (mustGoOn) return tail === null ? null : this.#gbnf.rule(`s-${this.#hint}-rest`, `"," ws ${tail}`);
    return tail === null ? "" : this.#gbnf.rule(`s-${this.#hint}-rest`, `("," ws ${tail})?`);
  }

  #extras(count: number): string | null {
    const least = this.#counts ? Math.max(0, this.#min - count) : 0;
    const most = this.#counts ? this.#max - count : Number.POSITIVE_INFINITY;
    if (this.#extra === null || most <= 0) return least > 0 ? null : "";
    const more = this.#gbnf.rule(`s-${this.#hint}-more`, `"," ws ${this.#extra}`);
    return repeated(this.#gbnf, more, least, most);
  }
}
