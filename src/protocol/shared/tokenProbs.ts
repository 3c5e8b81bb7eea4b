/** Probabilities of tokens as OpenAI and llama-server write them: text, bytes, logarithm, and the likeliest. */
import type { ProbsWanted, TokenProb, TokenProbs } from "../../run/RunSpec.ts";
import type { TextVocab } from "../../run/TextVocab.ts";

interface ProbsForm {
  readonly vocab: Pick<TextVocab, "piece">;
  readonly wanted: Pick<ProbsWanted, "afterSampling">;
}

/** JSON has no infinity; OpenAI says this for what is as good as impossible. */
export const NEVER = -9999;

/** Entries of `logprobs.content`; after sampling with `prob` and `top_probs`, as in llama-server. */
export function probsJson(probs: readonly TokenProbs[], { vocab, wanted }: ProbsForm): object[] {
  const name = wanted.afterSampling ? "prob" : "logprob";
  const one = ({ token, value }: TokenProb): object => {
    const bytes = vocab.piece(token);
    return {
      id: token,
      token: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
      bytes: [...bytes],
      [name]: Math.max(value, NEVER),
    };
  };
  return probs.map((each) => ({ ...one(each), [`top_${name}s`]: each.top.map(one) }));
}
