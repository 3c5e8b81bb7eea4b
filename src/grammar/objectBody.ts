/** Objects: named keys, each at most once, in the schema's order or in any, and other keys. */
import type { Json } from "../json/json.ts";
import { ANY_TEXT, accepts, both, type Dfa, isEmpty, noneOf, oneOf } from "./Dfa.ts";
import type { Gbnf } from "./Gbnf.ts";
import type { Part } from "./Keywords.ts";
import { type Key, PairRules } from "./PairRules.ts";
import { PatternError } from "./parsePattern.ts";
import { patternDfa } from "./patternDfa.ts";
import { SchemaError } from "./SchemaError.ts";
import type { SchemaRoot } from "./SchemaRoot.ts";
import { type ObjectClause, type Parts, type Shape, shapeOf } from "./Shape.ts";
import type { Spelling, ValueRule } from "./Spelling.ts";
import { textDfa } from "./textBody.ts";
import { DfaTooLarge } from "./Work.ts";

/** Patterns of keys that may overlap: each set of them is a case of its own. */
const PATTERNS_MAX = 5;
/** Optional keys in one object: llama.cpp opens them one inside the other. */
const OPTIONAL_MAX = 300;

interface Compiler {
  readonly gbnf: Gbnf;
  readonly root: SchemaRoot;
  readonly options: { readonly anyOrder?: boolean };
  rule(parts: Parts, hint: string, spelling: Spelling): string | null;
}

const TEXT: Json = new Map([["type", "string"]]);
const OTHER: Json = new Map([["type", ["null", "boolean", "object", "array", "number"]]]);

/** The rule of a pair's value, of all that fit or of the texts or the rest of them. */
function valueRule(compiler: Compiler, parts: Parts, hint: string): ValueRule {
  return (spelling, kind) => {
    if (kind === "any") return compiler.rule(parts, hint, spelling);
    return compiler.rule([...parts, { json: kind === "text" ? TEXT : OTHER, path: "" }], hint, spelling);
  };
}

/** Null where no object fits. */
export function objectBody(
  compiler: Compiler,
  shape: Shape,
  hint: string,
  path: string,
  spelling: Spelling,
): string | null {
  const keyDfas = keyPatterns(shape);
  const names = namesDfa(compiler, shape);
  const known = new Set([
    ...shape.objects.flatMap(({ properties }) => [...properties.keys()]),
    ...shape.required,
  ]);
  const keys: Key[] = [];
  for (const name of known) {
    const required = shape.required.has(name);
    const parts = partsOfKey(shape.objects, name, keyDfas);
    const value = valueRule(compiler, parts, hintOf(name, hint));
    const pair = accepts(names, name) ? spelling.pair(compiler.gbnf, name, value) : null;
    if (pair !== null)
      keys.push({ pair: compiler.gbnf.rule(`s-${hintOf(name, hint)}-pair`, pair), required });
    else if (required) return null;
  }
  if (keys.filter((key) => !key.required).length > OPTIONAL_MAX) {
    throw new SchemaError("properties", `${path}/properties`, `has more than ${OPTIONAL_MAX} optional keys`);
  }
  const extra = extraPair(compiler, shape, [...known], names, keyDfas, hint, path, spelling);
  const { open, close, comma } = spelling.object(compiler.gbnf);
  const anyOrder = compiler.options.anyOrder === true;
  const pairs = new PairRules(compiler.gbnf, keys, extra, shape, hint, { comma, anyOrder });
  const inner = pairs.inner();
  if (inner === null) return null;
  if (inner === "") return open === "" && close === "" ? '""' : `${open} ${close}`;
  return `${open} ${pairs.mayBeEmpty ? `(${inner})?` : inner} ${close}`.trim();
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
  spelling: Spelling,
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
    const value = valueRule(compiler, parts, `${hint}-value`);
    const pair = spelling.otherPair(compiler.gbnf, key === ANY_TEXT ? null : key, value);
    if (pair !== null) pairs.push(compiler.gbnf.rule(`s-${hint}-pair`, pair));
  }
  return pairs.length === 0 ? null : compiler.gbnf.rule(`s-${hint}-extra`, pairs.join(" | "));
}
