/** `/completion` without HTTP in it. */
import { rawTokens } from "../../serve/prepareRaw.ts";
import { type Caller, runRaw } from "../../serve/runTurn.ts";
import { parseBody } from "../http/parseBody.ts";
import type { RunningReply } from "../http/replyResponse.ts";
import { servedModel } from "../http/servedModel.ts";
import { type PlacedEvent, severalReplies } from "../http/severalReplies.ts";
import type { ChatServiceDeps } from "../openai/service.ts";
import type { CompletionHeading } from "./completion.ts";
import { detokenise } from "./detokenise.ts";
import { generationSettings, toldBiases } from "./generationSettings.ts";
import { type CompletionRequest, rawTurn, readCompletionRequest } from "./model.ts";

export interface StartedCompletion {
  readonly request: CompletionRequest;
  readonly heading: CompletionHeading;
  readonly running: RunningReply<PlacedEvent>;
}

/** `session` is the headers' hint. Throws AppError for everything that can be refused before the engine has it. */
export function startCompletion(
  raw: string,
  caller: Caller,
  deps: ChatServiceDeps,
  signal: AbortSignal,
): StartedCompletion {
  return startCompletions(readCompletionRequest(parseBody(raw), deps.sampling), caller, deps, signal);
}

function startCompletions(
  request: CompletionRequest,
  caller: Caller,
  deps: ChatServiceDeps,
  signal: AbortSignal,
): StartedCompletion {
  const model = servedModel(request.model, deps.models);
  const turns = request.prompts.map(({ prompt, field }) =>
    rawTurn(request, prompt, rawTokens(prompt, field, deps.turn)),
  );
  const session = caller.session || request.session;
  const runs = runRaw(turns, { ...caller, session }, deps.turn, signal);
  return {
    request,
    heading: {
      model,
      settings: { ...generationSettings(request), logit_bias: toldBiases(request.sampling) },
      ctxTokens: deps.turn.engine.ready.ctxTokens,
      prompts: turns.map(({ tokens }) => ({
        tokens: tokens.length,
        text: detokenise(tokens, deps.turn.vocab),
      })),
    },
    running: severalReplies(runs),
  };
}
