/** `/v1/chat/completions` without HTTP in it. */
import { type Caller, runChoices } from "../../serve/runTurn.ts";
import { parseBody } from "../http/parseBody.ts";
import type { RunningReply } from "../http/replyResponse.ts";
import { servedModel } from "../http/servedModel.ts";
import { type PlacedEvent, severalReplies } from "../http/severalReplies.ts";
import { type Heading, headingOf, type ServiceDeps } from "../shared/ServiceDeps.ts";
import { nextLegacyId } from "./legacyFunctions.ts";
import { type ChatRequest, readChatRequest } from "./model.ts";

export interface StartedChat {
  readonly request: ChatRequest;
  readonly heading: Heading;
  readonly running: RunningReply<PlacedEvent>;
}

/** Throws AppError for everything that can be refused before the engine has the run. */
export function startChat(raw: string, caller: Caller, deps: ServiceDeps, signal: AbortSignal): StartedChat {
  const request = readChatRequest(parseBody(raw), deps.sampling);
  const model = servedModel(request.model, deps.models);
  const asking = { ...caller, session: caller.session || request.session, scope: request.scope };
  const { turn, legacy, choices } = request;
  const own = legacy ? { newCallId: () => nextLegacyId(turn.prompt.messages) } : {};
  const runs = runChoices(turn, choices, asking, { ...deps.turn, ...own }, signal);
  return {
    request,
    running: severalReplies(runs),
    heading: headingOf("chatcmpl", model, deps),
  };
}
