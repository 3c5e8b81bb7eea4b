/** What a reply is made with, as llama-server tells it: in `generation_settings`, `/slots` and `/props`. */
import type { Sampling } from "../../run/RunSpec.ts";
import { NUMBER_KEYS, NUMBER_RULES } from "../../run/samplerSettings.ts";

export interface Told {
  readonly sampling: Omit<Sampling, "logitBias">;
  /** Infinity where there is no limit. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly stream: boolean;
}

export function generationSettings({ sampling, maxTokens, stop, stream }: Told): object {
  const tokens = maxTokens === Number.POSITIVE_INFINITY ? -1 : maxTokens;
  return {
    seed: sampling.seed,
    ...Object.fromEntries(NUMBER_KEYS.map((key) => [NUMBER_RULES[key].field, sampling[key]])),
    dry_sequence_breakers: sampling.drySequenceBreakers,
    samplers: sampling.samplers,
    stop,
    max_tokens: tokens,
    n_predict: tokens,
    n_keep: 0,
    n_discard: 0,
    ignore_eos: sampling.ignoreEos,
    stream,
    grammar: sampling.grammar ?? "",
    lora: [],
  };
}

/** The biases in llama-server's form. */
export function toldBiases({ logitBias }: Sampling): object[] {
  // JSON has no infinity; false forbids a token, as in a request.
  return logitBias.map(({ token, bias }) => ({
    token,
    bias: bias === Number.NEGATIVE_INFINITY ? false : bias,
  }));
}
