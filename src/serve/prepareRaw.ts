/** A prompt that no template is put around: its tokens as they are, its reply as the tokens spell it. */

import { AppError } from "../base/AppError.ts";
import { invalid } from "../chat/fields.ts";
import type { TextSchema } from "../chat/Message.ts";
import { promptTooLong } from "../prompt/promptTooLong.ts";
import { grownPrompt, type RawPrompt } from "../prompt/RawPrompt.ts";
import type { RunWishes, Sampling } from "../run/RunSpec.ts";
import { holdable } from "./holdable.ts";
import type { PreparedTurn } from "./PreparedTurn.ts";
import { RawReply } from "./RawReply.ts";
import { textGrammar } from "./replyGrammar.ts";
import type { TurnDeps } from "./TurnDeps.ts";

export interface RawTurn {
  readonly prompt: RawPrompt;
  /** The prompt's, as `rawTokens` gave them. */
  readonly tokens: Int32Array;
  readonly textSchema?: TextSchema;
  readonly sampling: Sampling;
  /** Tokens to generate at most; Infinity where the request names none. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly wishes?: RunWishes;
}

/** Throws AppError for an answer's schema that no grammar can hold. */
export function prepareRaw(turn: RawTurn, deps: TurnDeps): PreparedTurn {
  const { textSchema, tokens, maxTokens } = turn;
  const warn = deps.warn ?? (() => {});
  const reply = new RawReply({ vocab: deps.vocab, stop: turn.stop });
  return {
    tokens,
    sampling: holdable({
      ...turn.sampling,
      ...(textSchema === undefined ? {} : textGrammar(textSchema, warn)),
    }),
    maxTokens,
    wishes: turn.wishes ?? {},
    reply,
    prompt: null,
    finished: () => ({
      message: { role: "assistant", content: reply.text, reasoning: "", toolCalls: [] },
      remembered: null,
      warmable: () => ({ grown: grownPrompt(turn.prompt, reply) }),
    }),
  };
}

/** Throws AppError for a prompt without tokens, or with too many, naming the request's field that it is in. */
export function rawTokens(
  prompt: RawPrompt,
  field: string,
  { prompter, engine }: Pick<TurnDeps, "prompter" | "engine">,
): Int32Array {
  const { ctxTokens } = engine.ready;
  try {
    const tokens = prompter.rawTokens(prompt, ctxTokens);
    if (tokens.length === 0) throw invalid(field, "must not be empty.");
    if (tokens.length >= ctxTokens) throw promptTooLong(tokens.length, ctxTokens);
    return tokens;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "prompt-too-long") throw error;
    throw new AppError(error.code, error.message, { field, numbers: error.numbers });
  }
}
