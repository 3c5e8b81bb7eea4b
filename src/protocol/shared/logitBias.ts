/** `logit_bias`: OpenAI's `{"id": bias}` or llama-server's `[[id or text, bias], …]`; `false` forbids a token. */
import { arrayAt, invalid, kindOf } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../../json/kinds.ts";
import type { Sampling } from "../../run/RunSpec.ts";
import { PLAIN } from "../../run/samplerSettings.ts";
import type { TextVocab } from "../../run/TextVocab.ts";
import { numberAt } from "./RequestFields.ts";

type Bias = Sampling["logitBias"][number];
type BiasVocab = Pick<TextVocab, "size" | "tokenise">;

/** A text's bias is that of each of its tokens, as in llama-server. */
export function readLogitBias(value: Json | undefined, vocab: BiasVocab, max: number): readonly Bias[] {
  if (value === undefined) return [];
  const sent = isJsonObject(value) ? entriesOf(value, vocab) : pairsOf(value, vocab);
  const biases: Bias[] = [];
  for (const { at, tokens, bias } of sent) {
    const number = bias === false ? Number.NEGATIVE_INFINITY : numberAt(bias, at, PLAIN);
    for (const token of tokens) biases.push({ token, bias: number });
    if (biases.length > max)
      throw invalid("logit_bias", `names more than ${max} tokens; so many are allowed.`);
  }
  return biases;
}

interface Sent {
  readonly at: string;
  readonly tokens: Iterable<number>;
  readonly bias: Json | undefined;
}

function* entriesOf(value: ReadonlyMap<string, Json>, vocab: BiasVocab): Generator<Sent> {
  for (const [key, bias] of value) {
    const at = `logit_bias[${key.slice(0, NAME_CHARS_MAX)}]`;
    yield {
      at,
      bias,
      tokens: /^[+-]?\d+$/.test(key) ? [tokenAt(Number(key), at, vocab)] : tokensOf(key, at, vocab),
    };
  }
}

function* pairsOf(value: Json, vocab: BiasVocab): Generator<Sent> {
  if (!isJsonArray(value)) {
    throw invalid("logit_bias", `must be an object of token ids and biases, not ${kindOf(value)}.`);
  }
  for (const [index, item] of value.entries()) {
    const at = `logit_bias[${index}]`;
    const pair = arrayAt(item, at);
    if (pair.length !== 2) throw invalid(at, "must hold a token id or a text, and a bias.");
    const [token, bias] = pair;
    if (typeof token === "string") yield { at, bias, tokens: tokensOf(token, at, vocab) };
    else if (isJsonNumber(token)) yield { at, bias, tokens: [tokenAt(Number(token.raw), at, vocab)] };
    else throw invalid(at, `must begin with a token id or a text, not ${kindOf(token)}.`);
  }
}

/** Of a key that is shown in an error. */
const NAME_CHARS_MAX = 64;
/** Longest text that a bias may be given for. */
const TEXT_CHARS_MAX = 512;

function tokenAt(token: number, at: string, { size }: BiasVocab): number {
  if (Number.isInteger(token) && token >= 0 && token < size) return token;
  throw invalid(at, `must name a token id from 0 to ${size - 1}.`);
}

function tokensOf(text: string, at: string, vocab: BiasVocab): Int32Array {
  if (text.length > TEXT_CHARS_MAX) {
    throw invalid(at, `holds ${text.length} characters; at most ${TEXT_CHARS_MAX} are allowed.`);
  }
  return vocab.tokenise(text, false);
}
