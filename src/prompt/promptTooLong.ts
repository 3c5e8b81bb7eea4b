/** The refusal of a prompt that no conversation can hold, in the words that clients know it by. */
import { AppError } from "../base/AppError.ts";

/** Clients compact their history when they read this. `atLeast`: counting stopped there. */
export function promptTooLong(tokens: number, ctxTokens: number, atLeast = false): AppError {
  return new AppError(
    "prompt-too-long",
    `The prompt is too long: ${atLeast ? "at least " : ""}${tokens} tokens > ${ctxTokens - 1} maximum. ` +
      `A conversation holds ${ctxTokens} tokens here (--ctx-size), prompt and reply together.`,
    // llama-server's names of both.
    { field: "messages", numbers: { n_prompt_tokens: tokens, n_ctx: ctxTokens } },
  );
}
