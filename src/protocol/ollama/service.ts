/** `/api/chat` and `/api/generate` without HTTP in them. */

import { legacyCallId } from "../../chat/SentCalls.ts";
import type { Json } from "../../json/json.ts";
import { rawTokens } from "../../serve/prepareRaw.ts";
import { type Caller, type RunningTurn, runRaw, runTurn } from "../../serve/runTurn.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import type { SamplingRules } from "../shared/sampling.ts";
import type { OllamaRequest } from "./model.ts";

export interface StartedOllama {
  readonly request: OllamaRequest;
  readonly model: string;
  /** Null where nothing was asked. */
  readonly running: RunningTurn | null;
}

/** Throws AppError for everything that can be refused before the engine has it. */
export function startOllama(
  raw: string,
  read: (body: Json, rules: SamplingRules) => OllamaRequest,
  caller: Caller,
  deps: ServiceDeps,
  signal: AbortSignal,
): StartedOllama {
  const request = read(parseBody(raw), deps.sampling);
  const model = servedModel(request.model, deps.models);
  return { request, model, running: started(request, caller, deps, signal) };
}

function started(
  request: OllamaRequest,
  caller: Caller,
  deps: ServiceDeps,
  signal: AbortSignal,
): RunningTurn | null {
  const { turn, raw, calls } = request;
  if (turn !== null) {
    // As the call will be named when it comes back without an id.
    let count = calls;
    const newCallId = (): string => {
      count += 1;
      return legacyCallId(count);
    };
    return runTurn(turn, caller, { ...deps.turn, newCallId }, signal);
  }
  if (raw === undefined) return null;
  const { sampling, maxTokens, stop, textSchema } = request;
  const tokens = rawTokens(raw.prompt, raw.field, deps.turn);
  const prompt = {
    prompt: raw.prompt,
    tokens,
    sampling,
    maxTokens,
    stop,
    wishes: {},
    ...(textSchema === undefined ? {} : { textSchema }),
  };
  const [running] = runRaw([[prompt]], caller, deps.turn, signal);
  return running ?? null;
}
