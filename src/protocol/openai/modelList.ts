/** `/v1/models`: the served model as OpenAI, Anthropic and llama-server list it. */
import type { ServiceDeps } from "../shared/ServiceDeps.ts";

/** Satisfies OpenAI's, Anthropic's and llama-server's list shapes alike. */
export function modelList(deps: ServiceDeps): object {
  const { name } = deps.models;
  return {
    object: "list",
    data: [modelRow(deps)],
    has_more: false,
    first_id: name,
    last_id: name,
  };
}

export function modelRow({ models, card, turn }: ServiceDeps): object {
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
