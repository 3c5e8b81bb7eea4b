/** What a request wants reported beside its reply, and what may be used for it: the same fields in every protocol. */

import type { Limits } from "../../base/limits.ts";
import { invalid } from "../../chat/fields.ts";
import type { ProbsWanted, RunWishes } from "../../run/RunSpec.ts";
import type { RequestFields } from "./RequestFields.ts";

export interface Wishes {
  readonly run: RunWishes;
  /** Tell how far prefill is, in streams. */
  readonly progress: boolean;
}

/** llama-server's `cache_prompt`, `timings_per_token` and `return_progress`. */
export function readWishes(fields: RequestFields, probs: ProbsWanted | undefined): Wishes {
  return {
    run: {
      ...(fields.boolean("cache_prompt", true) ? {} : { resumes: false }),
      ...(fields.boolean("timings_per_token", false) ? { reports: true } : {}),
      ...(probs === undefined ? {} : { probs }),
    },
    progress: fields.boolean("return_progress", false),
  };
}

/** OpenAI's `logprobs` with `top_logprobs`, or llama-server's `n_probs`. */
export function readChatProbs(fields: RequestFields, limits: Limits): ProbsWanted | undefined {
  const wanted = fields.boolean("logprobs", false);
  const top = fields.number("top_logprobs", -1, { whole: true, min: 0, max: limits.topLogprobsMax });
  if (!wanted && top >= 0) throw invalid("top_logprobs", "needs `logprobs` to be true.");
  const other = readNProbs(fields, limits);
  if (!wanted) return other;
  return { top: Math.max(top, other?.top ?? 0, 0), afterSampling: other?.afterSampling ?? false };
}

/** The same of prompts without messages, where OpenAI's `logprobs` is how many of the likeliest are told. */
export function readTextProbs(fields: RequestFields, limits: Limits): ProbsWanted | undefined {
  const top = fields.number("logprobs", -1, { whole: true, min: 0, max: limits.topLogprobsMax });
  const other = readNProbs(fields, limits);
  if (top < 0) return other;
  return { top: Math.max(top, other?.top ?? 0), afterSampling: other?.afterSampling ?? false };
}

/** llama-server's `n_probs` and `post_sampling_probs`. */
function readNProbs(fields: RequestFields, limits: Limits): ProbsWanted | undefined {
  const top = fields.number("n_probs", 0, { whole: true, min: 0, max: limits.nProbsMax });
  const afterSampling = fields.boolean("post_sampling_probs", false);
  return top === 0 ? undefined : { top, afterSampling };
}
