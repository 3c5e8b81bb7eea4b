/** A turn of messages: its prompt by the template, its grammar by its tools, its reply by the model's format. */

import { AppError } from "../base/AppError.ts";
import { callIds } from "../chat/callIds.ts";
import { type Continuation, continuationOf, continuedMessage, endOfPrompt } from "../chat/continuation.ts";
import type { PromptInput, Turn } from "../chat/Message.ts";
import { promptTooLong } from "../prompt/promptTooLong.ts";
import type { Sampling } from "../run/RunSpec.ts";
import { callableTools } from "./callableTools.ts";
import { holdable } from "./holdable.ts";
import type { FinishedTurn, PreparedTurn } from "./PreparedTurn.ts";
import { ReplyAssembler } from "./ReplyAssembler.ts";
import { type ReplyGrammarOptions, replyGrammar } from "./replyGrammar.ts";
import type { TurnDeps } from "./TurnDeps.ts";

/**
 * One turn for each of the `choices` that are wanted, of one prompt: the seeds count up from the request's. Throws
 * AppError for what is refused.
 */
export function prepareChat(turn: Turn, deps: TurnDeps, choices: number): readonly PreparedTurn[] {
  const continuation = continuationOf(turn);
  const continues = continuation === null ? {} : { continues: continuation.part };
  const { ctxTokens } = deps.engine.ready;
  const rendered = deps.prompter.tokens(turn.prompt, { ...endOfPrompt(continuation), ctxTokens });
  const { tokens, opensReasoning } = rendered;
  const format = rendered.format === undefined ? {} : { format: rendered.format };
  checkLength(tokens.length, ctxTokens);
  const warn = deps.warn ?? (() => {});
  const sampling = holdable({
    ...samplingOf(turn, { opensReasoning, ...continues, warn, ...format }),
    ...budgetOf(turn, deps, rendered),
  });
  // With a continued message, that message and the reply together are the answer to what stands before it.
  const prompt = continuation?.history ?? turn.prompt;
  return Array.from({ length: choices }, (_, choice) => {
    const reply = new ReplyAssembler({
      vocab: deps.vocab,
      stop: turn.stop,
      opensReasoning,
      tools: callableTools(turn.prompt.tools, turn.toolChoice),
      ...format,
      ...continues,
      newCallId: callIds(rendered.format?.calls, turn.prompt.messages, deps.newCallId),
    });
    return {
      tokens,
      sampling: { ...sampling, seed: (sampling.seed + choice) % 2 ** 32 },
      maxTokens: turn.maxTokens,
      wishes: turn.wishes ?? {},
      reply,
      prompt,
      finished: () => finished(reply, prompt, continuation),
    };
  });
}

function finished(
  reply: ReplyAssembler,
  prompt: PromptInput,
  continuation: Continuation | null,
): FinishedTurn {
  const message = reply.message();
  const whole = continuation === null ? message : continuedMessage(continuation, message);
  return { message, remembered: whole, warmable: (habits) => ({ prompt, reply: whole, habits }) };
}

function checkLength(promptTokens: number, ctxTokens: number): void {
  if (promptTokens === 0) {
    const message = "The model's chat template made an empty prompt of these messages.";
    throw new AppError("template-refused", message, { field: "messages" });
  }
  if (promptTokens >= ctxTokens) throw promptTooLong(promptTokens, ctxTokens);
}

function budgetOf(
  turn: Turn,
  deps: TurnDeps,
  { reasoningTags, opensReasoning: opened }: ReturnType<TurnDeps["prompter"]["tokens"]>,
): Pick<Sampling, "reasoningBudget"> {
  const tokensMax = turn.reasoningBudget ?? deps.reasoningBudget ?? Number.POSITIVE_INFINITY;
  if (!reasoningTags || tokensMax === Number.POSITIVE_INFINITY) return {};
  return { reasoningBudget: { ...reasoningTags, tokensMax, opened } };
}

/** A client's own grammar is taken as it is. */
function samplingOf(turn: Turn, options: ReplyGrammarOptions): Sampling {
  if (turn.sampling.grammar !== undefined) return turn.sampling;
  return { ...turn.sampling, ...replyGrammar({ ...turn, tools: turn.prompt.tools }, options) };
}
