/** `/v1/completions` without HTTP in it. */

import { AppError } from "../../base/AppError.ts";
import { invalid } from "../../chat/fields.ts";
import type { RawPrompt } from "../../prompt/RawPrompt.ts";
import type { Caller } from "../../serve/runTurn.ts";
import { parseBody } from "../http/parseBody.ts";
import type { RunningReply } from "../http/replyResponse.ts";
import type { PlacedEvent } from "../http/severalReplies.ts";
import { checkFim } from "../llama/infill.ts";
import { fitted } from "../llama/service.ts";
import { detokenise } from "../shared/detokenise.ts";
import { headingOf, type ServiceDeps } from "../shared/ServiceDeps.ts";
import { startRaw } from "../shared/startRaw.ts";
import type { TextHeading } from "./textCompletion.ts";
import { readTextRequest, type TextRequest, textOf } from "./textModel.ts";

export interface StartedText {
  readonly request: TextRequest;
  readonly heading: TextHeading;
  readonly running: RunningReply<PlacedEvent>;
}

/** `caller.session` is the headers' hint. Throws AppError for what is refused before the engine has it. */
export function startText(raw: string, caller: Caller, deps: ServiceDeps, signal: AbortSignal): StartedText {
  const request = readTextRequest(parseBody(raw), deps.sampling);
  const sent = request.suffix === "" ? request.prompts : filledIn(request, deps);
  const { model, prompts, running } = startRaw(sent, request, caller, deps, signal);
  const echoes = prompts.map(({ prompt }) => (request.echo ? writtenText(prompt, deps) : ""));
  return {
    request,
    running,
    heading: {
      says: headingOf("cmpl", model, deps),
      echoes,
      vocab: deps.turn.vocab,
      progress: request.wishes.progress,
      copies: request.copies,
    },
  };
}

/** With a suffix, each prompt is what stands in front of it. */
function filledIn({ prompts, suffix, maxTokens }: TextRequest, deps: ServiceDeps): TextRequest["prompts"] {
  try {
    checkFim(deps.card.fim);
  } catch (error) {
    if (error instanceof AppError) throw invalid("suffix", error.message);
    throw error;
  }
  return prompts.map(({ prompt, field }) => {
    const prefix = textOf(prompt.parts) ?? "";
    return { field, prompt: fitted({ prefix, suffix, prompt: "", extra: [] }, maxTokens, deps) };
  });
}

/** The prompt as its client wrote it; token ids as what they spell. */
function writtenText({ parts }: RawPrompt, { turn }: ServiceDeps): string {
  return parts.map((part) => ("text" in part ? part.text : detokenise(part.tokens, turn.vocab))).join("");
}
