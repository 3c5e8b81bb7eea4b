/** `/v1/messages` and `/v1/messages/count_tokens` without HTTP in it. */
import { continuationOf, endOfPrompt } from "../../chat/continuation.ts";
import { type Caller, type RunningTurn, runTurn } from "../../serve/runTurn.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import type { MessageHeading } from "./message.ts";
import { type MessagesRequest, readCountRequest, readMessagesRequest } from "./model.ts";

export interface StartedMessage {
  readonly request: MessagesRequest;
  readonly heading: MessageHeading;
  readonly running: RunningTurn;
}

/** `session` is the headers' hint. Throws AppError for everything that can be refused before the engine has it. */
export function startMessage(
  raw: string,
  caller: Caller,
  requestId: string,
  deps: ServiceDeps,
  signal: AbortSignal,
): StartedMessage {
  const request = readMessagesRequest(parseBody(raw), deps);
  const model = servedModel(request.model, deps.models);
  const newCallId = (): string => `toolu_${deps.newId().slice(0, 24)}`;
  const session = caller.session || request.session;
  const asking = { ...caller, session, scope: request.scope };
  const running = runTurn(request.turn, asking, { ...deps.turn, newCallId }, signal);
  const { maxTokens } = request.turn;
  return { request, running, heading: { id: `msg_${deps.newId()}`, model, requestId, maxTokens } };
}

/**
 * Tokens of the prompt as `/v1/messages` would render it, also where they are more than the context holds. Throws
 * AppError("prompt-too-long") for what is far beyond it: counting that would stop the thread for seconds.
 */
export function countTokens(raw: string, deps: ServiceDeps): number {
  const { prompt, model } = readCountRequest(parseBody(raw), deps.keepAttribution);
  servedModel(model, deps.models);
  const { prompter, engine } = deps.turn;
  const { ctxTokens } = engine.ready;
  return prompter.tokens(prompt, { ...endOfPrompt(continuationOf({ prompt })), ctxTokens }).tokens.length;
}
