/**
 * Objects: named keys in their order, each at most once, then other keys.
 */
import { ANY_TEXT, accepts, both, type Dfa, DfaTooLarge, isEmpty, noneOf, oneOf } from "./Dfa.ts";
import { dfaRule, type Gbnf, literal } from "./Gbnf.ts";
import { jsonRule } from "./jsonRules.ts";
import type { Part } from "./Keywords.ts";
import { type Key, PairRules } from "./PairRules.ts";
import { PatternError } from "./parsePattern.ts";
import { patternDfa } from "./patternDfa.ts";
import { SchemaError } from "./SchemaError.ts";
import type { SchemaRoot } from "./SchemaRoot.ts";
import { type ObjectClause, type Parts, type Shape, shapeOf } from "./Shape.ts";
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
  const pairs = new PairRules(compiler.gbnf, keys, extra, shape, hint);
  const inner = pairs.inner();
  if (inner === null) return null;
  const ws = jsonRule(compiler.gbnf, "ws");
  if (inner === "") return `"{" ${ws} "}"`;
  return pairs.mayBeEmpty ? `"{" ${ws} (${inner} ${ws})? "}"` : `"{" ${ws} ${inner} ${ws} "}"`;
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
