/** Sampling fields with llama-server's names and defaults. */
import { arrayAt, invalid, kindOf } from "../../chat/fields.ts";
import type { Sampling } from "../../engine/protocol.ts";
import type { Json } from "../../json/json.ts";
import { isJsonArray, isJsonObject } from "../../json/kinds.ts";
import type { Limits } from "../../limits.ts";
import { numberAt, type RequestFields } from "./RequestFields.ts";

const INT_MAX = 2 ** 31 - 1;
/** What stays finite as an f32 when it is added or multiplied; nobody means more. */
const PLAIN = { min: -1e9, max: 1e9 };

export function readSampling(fields: RequestFields, vocabSize: number, limits: Limits): Sampling {
  const grammar = fields.text("grammar");
  if (grammar !== undefined && grammar.length > limits.grammarCharsMax) {
    throw invalid(
      "grammar",
      `holds ${grammar.length} characters; at most ${limits.grammarCharsMax} are allowed.`,
    );
  }
  return {
    temperature: fields.number("temperature", 0.8, PLAIN),
    topK: fields.number("top_k", 40, { whole: true, min: -INT_MAX, max: INT_MAX }),
    topP: fields.number("top_p", 0.95, { min: 0, max: 1 }),
    minP: fields.number("min_p", 0.05, { min: 0, max: 1 }),
    repeatPenalty: fields.number("repeat_penalty", 1, { min: 1e-3, max: 1e3 }),
    presencePenalty: fields.number("presence_penalty", 0, PLAIN),
    frequencyPenalty: fields.number("frequency_penalty", 0, PLAIN),
    repeatLastN: fields.number("repeat_last_n", 64, { whole: true, min: -1 }),
    seed: seedOf(fields.number("seed", -1, { whole: true })),
    logitBias: readLogitBias(fields.get("logit_bias"), vocabSize, limits.logitBiasMax),
    // A blank grammar is none, as in llama-server.
    ...(grammar === undefined || grammar.trim() === "" ? {} : { grammar }),
    ignoreEos: fields.boolean("ignore_eos", false),
  };
}

/** 32 bits; -1 draws one, as in llama-server. */
function seedOf(seed: number): number {
  if (seed !== -1) return Number(BigInt.asUintN(32, BigInt(seed)));
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

type Bias = Sampling["logitBias"][number];

/** OpenAI's `{"id": bias}` or llama-server's `[[id, bias], …]`; `false` forbids the token. */
function readLogitBias(value: Json | undefined, vocabSize: number, max: number): readonly Bias[] {
  if (value === undefined) return [];
  const pairs = isJsonObject(value) ? [...value] : pairsOf(value);
  if (pairs.length > max)
    throw invalid("logit_bias", `holds ${pairs.length} tokens; at most ${max} are allowed.`);
  return pairs.map(([key, bias]) => {
    const at = `logit_bias[${key}]`;
    const token = Number(key);
    if (!/^\d+$/.test(key) || token >= vocabSize) {
      throw invalid(at, `must name a token id from 0 to ${vocabSize - 1}.`);
    }
    return { token, bias: bias === false ? Number.NEGATIVE_INFINITY : numberAt(bias, at, PLAIN) };
  });
}

function pairsOf(value: Json): [string, Json | undefined][] {
  if (!isJsonArray(value)) {
    throw invalid("logit_bias", `must be an object of token ids and biases, not ${kindOf(value)}.`);
  }
  return value.map((item, index) => {
    const at = `logit_bias[${index}]`;
    const pair = arrayAt(item, at);
    if (pair.length !== 2) throw invalid(at, "must hold a token id and a bias.");
    return [String(numberAt(pair[0], at, { whole: true, min: 0 })), pair[1]];
  });
}
