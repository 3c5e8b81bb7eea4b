/** Both directions for one schema: what a validator accepts fits the grammar, what the grammar writes is valid. */
import { Validator } from "@cfworker/json-schema";
import { compileSchema } from "../../../src/grammar/compileSchema.ts";
import { Gbnf } from "../../../src/grammar/Gbnf.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import { writeJson } from "../../../src/json/writeJson.ts";
import { Prng } from "../tinyModels/Prng.ts";
import { GrammarMatcher } from "./GrammarMatcher.ts";
import { GrammarSampler } from "./GrammarSampler.ts";
import { InstanceMaker, type Plain, type PlainSchema } from "./makeInstance.ts";

export interface SchemaCheck {
  /** Values that the validator accepts, and so the grammar has to. */
  readonly accepted: number;
  readonly sampled: number;
  /** Values that the validator refuses and the grammar, too. */
  readonly refused: number;
  /** What went wrong, in words. */
  readonly faults: readonly string[];
  readonly grammarChars: number;
  readonly compileMs: number;
}

export function grammarOf(schema: PlainSchema): string {
  const gbnf = new Gbnf();
  gbnf.define("root", compileSchema(fromPlain(schema), gbnf).rule);
  return gbnf.text();
}

/** `count` of each kind, from a seed. */
export function checkSchema(schema: PlainSchema, count: number, seed: string): SchemaCheck {
  const started = performance.now();
  const grammar = grammarOf(schema);
  const compileMs = performance.now() - started;
  const validator = new Validator(schema as object, draftOf(schema));
  const isValid = (value: Plain): boolean => validator.validate(value as object).valid;
  const matcher = new GrammarMatcher(grammar);
  const faults: string[] = [];
  const maker = new InstanceMaker(schema, new Prng(`${seed} instances`));
  let accepted = 0;
  let refused = 0;
  for (let tries = 0; tries < 20 * count && accepted < count; tries += 1) {
    const value = maker.make();
    const valid = isValid(value);
    const text = writeJson(fromPlain(value), tries % 2 === 0 ? "spaced" : "compact");
    if (valid) accepted += 1;
    const fits = matcher.matches(text);
    if (valid && !fits) faults.push(`refused, though valid, from ${matcher.fitting(text)}: ${text}`);
    if (!valid && !fits) refused += 1;
    if (!valid && fits) faults.push(`accepted, though not valid: ${text}`);
  }
  const sampler = new GrammarSampler(grammar, new Prng(`${seed} samples`));
  for (let index = 0; index < count; index += 1) {
    let text = sampler.sample();
    while (repeatsKey(text)) text = sampler.sample();
    const why = sampleFault(text, isValid);
    if (why !== null) faults.push(`${why}: ${text}`);
  }
  return { accepted, refused, sampled: count, faults, grammarChars: grammar.length, compileMs };
}

function sampleFault(text: string, isValid: (value: Plain) => boolean): string | null {
  try {
    return isValid(JSON.parse(text)) ? null : "written, though not valid";
  } catch {
    return "written, though no JSON";
  }
}

/** Whether an object names a key twice, of which a reader sees the last: no grammar can know all others. */
function repeatsKey(text: string): boolean {
  const keys: Set<string>[] = [];
  for (const token of text.matchAll(/"(?:\\.|[^"\\])*"(\s*:)?|[{}]/g)) {
    if (token[0] === "{") keys.push(new Set());
    else if (token[0] === "}") keys.pop();
    else if (token[1] !== undefined) {
      const key: unknown = JSON.parse(token[0].slice(0, -token[1].length));
      if (keys.at(-1)?.has(String(key))) return true;
      keys.at(-1)?.add(String(key));
    }
  }
  return false;
}

function draftOf(schema: PlainSchema): "4" | "7" | "2020-12" {
  const text = JSON.stringify(schema);
  if (text.includes('"exclusiveMinimum":true')) return "4";
  return text.includes('"items":[') ? "7" : "2020-12";
}
