/** `/v1/chat/completions` and `/v1/models` without HTTP in it. */
import type { Limits } from "../../limits.ts";
import type { Clock } from "../../serve/Clock.ts";
import { type Caller, runChoices } from "../../serve/runTurn.ts";
import type { TurnDeps } from "../../serve/TurnDeps.ts";
import { parseBody } from "../http/parseBody.ts";
import type { RunningReply } from "../http/replyResponse.ts";
import { type ModelNames, servedModel } from "../http/servedModel.ts";
import { type PlacedEvent, severalReplies } from "../http/severalReplies.ts";
import type { ModelCard } from "../llama/ModelCard.ts";
import type { Heading } from "./chatCompletion.ts";
import { type ChatRequest, readChatRequest } from "./model.ts";
import type { SamplingRules } from "./sampling.ts";

export interface ChatServiceDeps {
  readonly turn: TurnDeps;
  readonly models: ModelNames;
  readonly sampling: SamplingRules;
  readonly card: ModelCard;
  /** How vectors are normalised where a request says nothing: llama.cpp's number. */
  readonly embdNormalize: number;
  /** Which of the endpoints that tell of the server are on. */
  readonly endpoints: { readonly slots: boolean; readonly metrics: boolean };
  /** Whether Claude Code's billing line stays in its system prompt. */
  readonly keepAttribution: boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface StartedChat {
  readonly request: ChatRequest;
  readonly heading: Heading;
  readonly running: RunningReply<PlacedEvent>;
}

/** Throws AppError for everything that can be refused before the engine has the run. */
export function startChat(
  raw: string,
  caller: Caller,
  deps: ChatServiceDeps,
  signal: AbortSignal,
): StartedChat {
  const request = readChatRequest(parseBody(raw), deps.sampling);
  const model = servedModel(request.model, deps.models);
  const asking = { ...caller, session: caller.session || request.session };
  const runs = runChoices(request.turn, request.choices, asking, deps.turn, signal);
  return {
    request,
    running: severalReplies(runs),
    heading: headingOf("chatcmpl", model, deps),
  };
}

export function headingOf(kind: "chatcmpl" | "cmpl", model: string, deps: ChatServiceDeps): Heading {
  const setup = BigInt.asUintN(64, deps.turn.engine.ready.setup).toString(16).padStart(16, "0");
  return {
    id: `${kind}-${deps.newId()}`,
    created: deps.clock.nowSeconds(),
    model,
    system_fingerprint: `wt-${setup}`,
  };
}

/** Satisfies OpenAI's, Anthropic's and llama-server's list shapes alike. */
export function modelList(deps: ChatServiceDeps): object {
  const { name } = deps.models;
  return {
    object: "list",
    data: [modelRow(deps)],
    has_more: false,
    first_id: name,
    last_id: name,
  };
}

export function modelRow({ models, card, turn }: ChatServiceDeps): object {
  const { name, createdSeconds } = models;
  return {
    id: name,
    object: "model",
    created: createdSeconds,
    owned_by: "warmturn",
    type: "model",
    display_name: name,
    created_at: new Date(createdSeconds * 1000).toISOString(),
    meta: {
      vocab_type: card.vocabKind,
      n_vocab: card.vocabSize,
      n_ctx: turn.engine.ready.ctxTokens,
      n_ctx_train: card.ctxTrain,
      n_embd: card.embedding,
      n_params: card.parameters,
      size: card.bytes,
    },
  };
}
