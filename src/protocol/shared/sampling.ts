/**
 * Sampling fields with llama-server's names, the same in every protocol. A field that is missing is taken from the
 * server's flags, else from the model's recommendations, else from the defaults.
 */

import type { Limits } from "../../base/limits.ts";
import { arrayAt, invalid, kindOf } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import { isJsonArray } from "../../json/kinds.ts";
import type { Sampling } from "../../run/RunSpec.ts";
import {
  infillProblem,
  SAMPLER_NAMES,
  type SamplerName,
  type SamplingDefaults,
  samplerNumbers,
} from "../../run/samplerSettings.ts";
import { samplerByLetter, samplerByName } from "../../run/samplerSpelling.ts";
import type { TextVocab } from "../../run/TextVocab.ts";
import { readLogitBias } from "./logitBias.ts";
import type { RequestFields } from "./RequestFields.ts";

export interface SamplingRules {
  readonly defaults: SamplingDefaults;
  readonly vocab: Pick<TextVocab, "size" | "tokenise">;
  readonly limits: Limits;
}

/** Throws AppError that names the field. */
export function readSampling(fields: RequestFields, { defaults, vocab, limits }: SamplingRules): Sampling {
  const grammar = readGrammar(fields, limits);
  const numbers = samplerNumbers((key, rule) => fields.number(rule.field, defaults[key], rule));
  const samplers = readSamplers(fields.get("samplers"), defaults.samplers, limits.samplersMax);
  const problem = infillProblem({ samplers, topK: numbers.topK });
  if (problem !== null) throw invalid("samplers", problem);
  return {
    ...numbers,
    // As in llama-server, which takes no base below 1.
    dryBase: numbers.dryBase < 1 ? defaults.dryBase : numbers.dryBase,
    samplers,
    drySequenceBreakers: readBreakers(fields.get("dry_sequence_breakers"), defaults, limits),
    seed: wrappedSeed(fields.number("seed", defaults.seed, { whole: true })),
    logitBias: readLogitBias(fields.get("logit_bias"), vocab, limits.logitBiasMax),
    ...(grammar === undefined ? {} : { grammar }),
    ignoreEos: fields.boolean("ignore_eos", defaults.ignoreEos),
  };
}

/** A blank grammar is none, as in llama-server. */
function readGrammar(fields: RequestFields, { grammarCharsMax }: Limits): string | undefined {
  const grammar = fields.text("grammar");
  if (grammar === undefined || grammar.trim() === "") return undefined;
  if (grammar.length <= grammarCharsMax) return grammar;
  throw invalid("grammar", `holds ${grammar.length} characters; at most ${grammarCharsMax} are allowed.`);
}

/** 32 bits; -1 draws one, and so does the number that it is in 32 bits, as in llama-server. */
function wrappedSeed(seed: number): number {
  const bits = Number(BigInt.asUintN(32, BigInt(seed)));
  if (bits !== DRAWN) return bits;
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % DRAWN;
}

const DRAWN = 2 ** 32 - 1;

/** Names in a list, or llama-server's letters in one string. */
function readSamplers(
  value: Json | undefined,
  fallback: readonly SamplerName[],
  max: number,
): readonly SamplerName[] {
  if (value === undefined) return fallback;
  if (typeof value !== "string" && !isJsonArray(value)) {
    throw invalid("samplers", `must be an array of names or a string of letters, not ${kindOf(value)}.`);
  }
  const sent: readonly Json[] = typeof value === "string" ? [...value] : value;
  if (sent.length > max) throw invalid("samplers", `holds ${sent.length}; at most ${max} are allowed.`);
  return sent.map((one, index) => {
    const at = `samplers[${index}]`;
    if (typeof one !== "string") throw invalid(at, `must be a string, not ${kindOf(one)}.`);
    const name = typeof value === "string" ? samplerByLetter(one) : samplerByName(one);
    if (name !== undefined) return name;
    throw invalid(at, `"${one}" is no sampler here; known are ${SAMPLER_NAMES.join(", ")}.`);
  });
}

function readBreakers(
  value: Json | undefined,
  { drySequenceBreakers: fallback }: SamplingDefaults,
  { dryBreakersMax, stopCharsMax }: Limits,
): readonly string[] {
  if (value === undefined) return fallback;
  const at = "dry_sequence_breakers";
  const list = arrayAt(value, at);
  if (list.length === 0) throw invalid(at, "must hold at least one string.");
  if (list.length > dryBreakersMax) {
    throw invalid(at, `holds ${list.length} strings; at most ${dryBreakersMax} are allowed.`);
  }
  return list.map((one, index) => {
    if (typeof one !== "string") throw invalid(`${at}[${index}]`, `must be a string, not ${kindOf(one)}.`);
    if (one.length <= stopCharsMax) return one;
    throw invalid(`${at}[${index}]`, `holds ${one.length} characters; at most ${stopCharsMax} are allowed.`);
  });
}
