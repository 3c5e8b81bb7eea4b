/** `/completion`, `/infill` and `/apply-template` without HTTP in them. */

import { AppError } from "../../base/AppError.ts";
import { continuationOf, endOfPrompt } from "../../chat/continuation.ts";
import type { RawPrompt } from "../../prompt/RawPrompt.ts";
import { rawTokens } from "../../serve/prepareRaw.ts";
import type { Caller } from "../../serve/runTurn.ts";
import { needsText } from "../http/needsText.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import { readChatRequest } from "../openai/model.ts";
import { detokenise } from "../shared/detokenise.ts";
import type { SentPrompt } from "../shared/rawPrompts.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { type StartedRaw, startRaw } from "../shared/startRaw.ts";
import type { CompletionHeading } from "./completion.ts";
import { generationSettings, toldBiases } from "./generationSettings.ts";
import { checkFim, fittingInfill, type Infill, infillPrompt } from "./infill.ts";
import { type LlamaSettings, readCompletionRequest, readInfillRequest } from "./model.ts";

export interface StartedCompletion {
  readonly request: LlamaSettings;
  readonly heading: CompletionHeading;
  readonly running: StartedRaw["running"];
}

/** `caller.session` is the headers' hint. Throws AppError for what is refused before the engine has it. */
export type Start = (
  raw: string,
  caller: Caller,
  deps: ServiceDeps,
  signal: AbortSignal,
) => StartedCompletion;

export const startCompletion: Start = (raw, caller, deps, signal) => {
  const request = readCompletionRequest(parseBody(raw), deps.sampling);
  return started(request.prompts, request, caller, deps, signal);
};

export const startInfill: Start = (raw, caller, deps, signal) => {
  checkFim(deps.card.fim);
  const request = readInfillRequest(parseBody(raw), deps.sampling);
  const sent = { prompt: fitted(request.infill, request.maxTokens, deps), field: "input_prefix" };
  return started([sent], request, caller, deps, signal);
};

/** Leaves out what does not fit beside the reply. */
export function fitted(infill: Infill, maxTokens: number, { card, turn }: ServiceDeps): RawPrompt {
  const { ctxTokens } = turn.engine.ready;
  const reply = maxTokens === Number.POSITIVE_INFINITY ? 0 : maxTokens;
  return fittingInfill(
    infill,
    (some) => infillPrompt(some, card.fim, card.bos),
    (prompt) => {
      try {
        return rawTokens(prompt, "input_prefix", turn).length + reply < ctxTokens;
      } catch (error) {
        if (error instanceof AppError && error.code === "prompt-too-long") return false;
        throw error;
      }
    },
  );
}

function started(
  sent: readonly SentPrompt[],
  request: LlamaSettings,
  caller: Caller,
  deps: ServiceDeps,
  signal: AbortSignal,
): StartedCompletion {
  const { model, prompts, running } = startRaw(sent, request, caller, deps, signal);
  return {
    request,
    running,
    heading: {
      model,
      settings: { ...generationSettings(request), logit_bias: toldBiases(request.sampling) },
      vocab: deps.turn.vocab,
      ctxTokens: deps.turn.engine.ready.ctxTokens,
      prompts: prompts.map(({ tokens }) => ({
        tokens: tokens.length,
        text: detokenise(tokens, deps.turn.vocab),
      })),
    },
  };
}

/** The prompt that a chat request would be answered from. */
export function appliedTemplate(raw: string, deps: ServiceDeps): object {
  needsText(deps);
  const { turn, model } = readChatRequest(parseBody(raw), deps.sampling);
  servedModel(model, deps.models);
  return { prompt: deps.turn.prompter.text(turn.prompt, endOfPrompt(continuationOf(turn))) };
}
